import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";

/** What the loader found in tools.json, toolyard.json and the scripts. */
export const filesProbe: Probe<CheckContext> = {
  name: "files",
  about: "tools.json, toolyard.json and the scripts are as they should be",
  code: "FILE_UNREADABLE",
  run: ({ runtime }) => runtime.engine.problems(),
};
