/**
 * The seam of `g`: each member with a host side is one Capability (a folder `src/capabilities/<name>/`, a line in
 * `capabilities/index.ts`). From that list come the `g` object inside the isolate, the checks at the border and g.d.ts.
 */
import type { z } from "zod";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Answer, Question } from "./question.ts";
import type { PlacedLine, Progress } from "./tool.ts";

/** What a host method may use. One per call; dead once the call has ended. */
export interface CapabilityContext {
  readonly callId: string;
  readonly toolName: string;
  /** Aborted at the end of the call, whatever the reason. */
  readonly signal: AbortSignal;
  /** Milliseconds left until the time limit. */
  readonly remainingMs: () => number;
  readonly log: (line: PlacedLine) => void;
  readonly progress: (progress: Progress) => void;
  /** Sends a request through the egress guard, with the tool's headers; absent where the server has no network. */
  readonly request: HostRequest | undefined;
  /** Asks a person through the client while the time limit stands still; gives the milliseconds that took too. Throws `ToolError`. */
  readonly ask: (question: Question) => Promise<{ readonly answer: Answer; readonly waitedMs: number }>;
}

/** A request as a script gives it, already checked. `bodyBase64` where the body is bytes. */
export interface ScriptRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    | { readonly kind: "none" }
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "bytes"; readonly base64: string };
  /** Milliseconds; the rest of the call if that is less. */
  readonly timeoutMs?: number;
  readonly redirect: "follow" | "manual" | "error";
}

/** An answer as a script gets it, redacted. */
export interface ScriptResponse {
  readonly status: number;
  readonly statusText: string;
  /** Lower-case names; repeated values joined with ", ", but for set-cookie. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookie: readonly string[];
  /** Text where the body is valid UTF-8 (a byte order mark is left out), else its bytes. */
  readonly body: { readonly kind: "text"; readonly text: string } | { readonly kind: "bytes"; readonly base64: string };
  /** Final URL, without what a secret stands in. */
  readonly url: string;
  readonly redirected: boolean;
}

/** See {@link CapabilityContext.request}. Throws `ToolError`. */
export type HostRequest = (request: ScriptRequest, signal: AbortSignal) => Promise<ScriptResponse>;

/** A method a script can await. */
export interface HostMethod<Params> {
  readonly params: z.ZodType<Params>;
  run(context: CapabilityContext, params: Params): Promise<JsonValue>;
}

/** A message a script sends without waiting, such as a log line. */
export interface HostNotice<Params> {
  readonly params: z.ZodType<Params>;
  accept(context: CapabilityContext, params: Params): void;
}

/** One member of `g`. */
export interface Capability {
  /** Name of the member: `g.<name>`. */
  readonly name: string;
  /** Awaited calls by name; the border calls them `<name>.<method>`. */
  readonly methods: ReadonlyMap<string, HostMethod<unknown>>;
  /** Messages by name; the border calls them `<name>.<notice>`, such as `log.write`. */
  readonly notices: ReadonlyMap<string, HostNotice<unknown>>;
  /**
   * JavaScript text that runs inside the isolate: an expression for a function of one parameter, the call's bridge
   * (see sandbox/guest/bridge.d.ts), that gives `{ member, globals }`: what `g.<name>` is, and names such as `fetch`.
   */
  readonly guest: string;
  /** Declarations for g.d.ts. */
  readonly types: string;
}

/** What the guest side of every capability knows of a call; it crosses the border as JSON. */
export interface CallFacts {
  readonly callId: string;
  readonly args: JsonObject;
  readonly tool: { readonly name: string; readonly title?: string; readonly description: string };
  readonly config: JsonObject;
  readonly agent: { readonly id: string; readonly instanceId: string };
  readonly run: { readonly origin: string; readonly startedAt: string; readonly timeoutMs: number };
}
