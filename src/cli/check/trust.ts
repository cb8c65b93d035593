import type { Probe } from "../probe.ts";
import type { CheckContext } from "./check-context.ts";

/** The folder is the one that was recorded, and nothing that it asks for waits for a person. */
export const trustProbe: Probe<CheckContext> = {
  name: "trust",
  about: "nothing the workspace asks for is off",
  code: "NOT_TRUSTED",
  run: ({ runtime, flag }) => {
    const mend = `toolyard trust${flag}`;
    const asked = runtime.asks().filter((ask) => !ask.isTrusted);
    return [
      ...(runtime.trust().state() === "moved" ? [{ ...FINDING, place: { kind: "none" } as const, message: MOVED, mend }] : []),
      ...asked.map(({ entry, place, about }) => ({ ...FINDING, place, tool: entry.tool, message: `may not ${about} yet`, mend })),
    ];
  },
};

const FINDING = { code: "NOT_TRUSTED", severity: "warning" } as const;

const MOVED =
  "This folder is not the workspace that was recorded: it moved, was copied, or another one was put at its path. Its secrets and trust are off.";
