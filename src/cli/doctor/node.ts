import { platformProblem } from "../platform-check.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** Node and platform have a prebuilt sandbox. */
export const nodeProbe: Probe<DoctorContext> = {
  name: "node",
  about: `Node ${process.versions.node} on ${process.platform}-${process.arch} fits`,
  code: "NODE",
  run: () => {
    const { versions, platform, arch } = process;
    const message = platformProblem({ nodeVersion: versions.node, abi: versions.modules, platform, arch });
    return message === undefined ? [] : [{ code: "NODE", severity: "error", place: { kind: "none" }, message }];
  },
};
