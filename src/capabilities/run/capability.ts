/** `g.run`: facts of this call, its time left, and progress for the client. Progress is a message without an answer. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Capability, HostNotice } from "../../core/capability.ts";
import { cutText, wellFormed } from "../../core/text.ts";

/** Makes the capability; reads its guest text from disk. */
export function createRunCapability(): Capability {
  return {
    name: "run",
    methods: new Map(),
    notices: new Map([["progress", progressNotice()]]),
    guest: readFileSync(new URL("./guest.js", import.meta.url), "utf8"),
    types: TYPES,
  };
}

/** Longest progress message, in UTF-16 units; the rest is cut. Clients show it on one line. */
const MAX_MESSAGE_CHARACTERS = 1_000;

interface ProgressParams {
  readonly done: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function progressNotice(): HostNotice<ProgressParams> {
  return {
    params: z.strictObject({ done: z.number().min(0), total: z.number().min(0).optional(), message: z.string().optional() }),
    accept(context, { done, total, message }) {
      context.progress({
        done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message: cutText(wellFormed(message), MAX_MESSAGE_CHARACTERS) }),
      });
    },
  };
}

const TYPES = `interface GRun {
  readonly id: string;
  /** "mcp" for a client's call, "cli" for toolyard run, "job" for a job. */
  readonly origin: "mcp" | "cli" | "job";
  readonly startedAt: string;
  /** Milliseconds until the time limit. */
  remainingMs(): number;
  /** Sent to the client as MCP progress when it asked for it. */
  progress(done: number, total?: number, message?: string): void;
  sleep(ms: number): Promise<void>;
}
interface G { readonly run: GRun; }
`;
