import type { Problem } from "../../core/problem.ts";
import { BundleService } from "../../workspace/bundle/bundle-service.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** A line that means nothing before its types are taken out. */
const LINE = "export default (count: number): number => count;\n";

/** The process that puts TypeScript and imports together starts and does so. Scripts in plain JavaScript without imports do without it. */
export const bundlerProbe: Probe<DoctorContext> = {
  name: "bundler",
  about: "the bundler starts, and bundles TypeScript",
  code: "BUNDLE",
  run: async () => {
    await using service = new BundleService();
    const outcome = await service.build("line.ts", "", {
      resolve: () => ({ kind: "empty" }),
      load: () => ({ kind: "text", contents: LINE, loader: "ts" }),
    });
    switch (outcome.kind) {
      case "built":
        return service.isConfined ? [] : [finding("warning", "does not start with what Linux can take from it, so it runs without it")];
      case "late":
      case "broken":
        return [finding("error", outcome.reason)];
      case "failed":
        return [finding("error", `did not bundle a line of TypeScript: ${outcome.errors[0]?.text ?? "no reason was given"}`)];
    }
  },
};

function finding(severity: Problem["severity"], found: string): Problem {
  return {
    code: "BUNDLE",
    severity,
    place: { kind: "none" },
    message: `The bundler, which scripts in TypeScript or with imports need, ${found}.`,
  };
}
