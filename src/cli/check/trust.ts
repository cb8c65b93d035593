import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";

/** Nothing that the workspace asks for waits for a person. */
export const trustProbe: Probe<CheckContext> = {
  name: "trust",
  about: "nothing the workspace asks for is off",
  code: "NOT_TRUSTED",
  run: ({ runtime, flag }) =>
    runtime
      .asks()
      .filter((ask) => !ask.isTrusted)
      .map(({ entry, place, about }) => ({
        code: "NOT_TRUSTED",
        severity: "warning",
        place,
        tool: entry.tool,
        message: `may not ${about} yet`,
        mend: `toolyard trust${flag}`,
      })),
};
