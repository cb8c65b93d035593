/** `g.log` and `console`: lines of the call's log. Messages without an answer; never on the server's stdout. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Capability, HostNotice } from "../../core/capability.ts";
import { wellFormed } from "../../core/text.ts";
import type { LogLine } from "../../core/tool.ts";

/** Makes the capability; reads its guest text from disk. */
export function createLogCapability(): Capability {
  return {
    name: "log",
    methods: new Map(),
    notices: new Map([["write", writeNotice()]]),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

function writeNotice(): HostNotice<LogLine> {
  return {
    params: z.strictObject({ level: z.enum(["debug", "info", "warn", "error"]), text: z.string() }),
    accept(context, { level, text }) {
      // The limit is of the whole call: kept inside the isolate, and counted once more by the engine.
      context.log({ level, text: wellFormed(text) });
    },
  };
}

const TYPES = `interface GLog {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
interface GConsole extends GLog { log(...values: unknown[]): void; }
interface G { readonly log: GLog; }
declare const console: GConsole;
`;
