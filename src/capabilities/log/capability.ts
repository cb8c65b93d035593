/** `g.log` and `console`: lines of the call's log. Messages without an answer; never on the server's stdout. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Capability, HostNotice } from "../../core/capability.ts";
import { wellFormed } from "../../core/text.ts";
import type { PlacedLine } from "../../core/tool.ts";

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

/** Line and column of each frame that a guest tells of one place. */
const MAX_POSITIONS = 32;

function writeNotice(): HostNotice<PlacedLine> {
  return {
    params: z.strictObject({
      level: z.enum(["debug", "info", "warn", "error"]),
      text: z.string(),
      at: z.array(z.int().positive()).max(MAX_POSITIONS).optional(),
    }),
    accept(context, { level, text, at }) {
      // The limit is of the whole call: kept inside the isolate, and counted once more by the engine.
      context.log({ level, text: wellFormed(text), ...(at === undefined ? {} : { at }) });
    },
  };
}

const TYPES = `interface GLog {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
/** As in Node, also with "%s" and its like in a first text; colours and boxes are left out. */
interface GConsole extends GLog {
  log(...values: unknown[]): void;
  dir(value: unknown): void;
  /** One line for the columns and one for each row, at most 100. */
  table(data: unknown, columns?: string[]): void;
  /** At level debug, with the place it is called at. */
  trace(...values: unknown[]): void;
  assert(condition: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  timeEnd(label?: string): void;
}
interface G { readonly log: GLog; }
declare const console: GConsole;
`;
