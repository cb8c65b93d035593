/**
 * What a script's end is to its caller: the outcome text of the isolate, checked again, as a value or an error.
 * The text was made inside the isolate, so everything in it is data of the script: bounded, and never a code that the
 * script could not have met.
 */
import { type ErrorCode, isErrorCode, ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { cutText, wellFormed } from "../core/text.ts";
import { memoryError } from "./call-errors.ts";
import { base64Length } from "./isolate-contract.ts";
import type { FailurePlace, SandboxCall, SandboxResult, SourcePosition } from "./sandbox-call.ts";

/** Caps in force and the codes this call's host calls have answered with. */
export interface OutcomeRules {
  readonly resultBytes: number;
  readonly mediaBytes: number;
  readonly messageCharacters: number;
  readonly answeredCodes: ReadonlySet<ErrorCode>;
}

/** Deepest nesting of a value that crosses the border, as inside the isolate: deeper ones overflow recursive readers. */
export const MAX_VALUE_DEPTH = 1_000;

/** Most frames that a guest tells of one error. */
const MAX_FRAMES = 16;

/** Codes that the guest itself throws; any other must have been the answer to a host call. */
const GUEST_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "SCRIPT_ERROR",
  "RESULT_TOO_LARGE",
  "TOO_MANY_REQUESTS",
  "SECRET_ACCESS_DENIED",
  "INVALID_REQUEST",
  "INVALID_ARGUMENTS",
  "RESPONSE_TOO_LARGE",
  "RESPONSE_NOT_JSON",
]);

/** The result of a call, or undefined if the text is none that a guest writes (the host or its realm was overcome). */
export function readOutcome(text: string, call: SandboxCall, cpuMs: number, rules: OutcomeRules): SandboxResult | undefined {
  const outcome = parseJson(text);
  if (!isRecord(outcome) || !hasKnownNames(outcome)) return undefined;
  switch (outcome.kind) {
    case "value":
      return typeof outcome.json === "string" ? valueResult(outcome.json, call, cpuMs, rules) : undefined;
    case "content":
      return typeof outcome.json === "string" ? contentResult(outcome.json, call, cpuMs, rules) : undefined;
    case "failed":
      return failedResult(outcome, call, cpuMs, rules);
    case "error":
      return scriptError(outcome, call, cpuMs, rules);
    default:
      return undefined;
  }
}

/** The names an outcome of each kind may have beside `kind` (`onDone` of isolate-contract.ts). */
const OUTCOME_NAMES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["value", ["json"]],
  ["content", ["json"]],
  ["failed", ["message", "json"]],
  ["error", ["name", "message", "code", "file", "line", "column", "frames"]],
]);

function hasKnownNames(outcome: Readonly<Record<string, unknown>>): boolean {
  const names = OUTCOME_NAMES.get(outcome.kind);
  return names !== undefined && Object.keys(outcome).every((name) => name === "kind" || names.includes(name));
}

/** The text as JSON if it is JSON of allowed depth. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isShallow(value, MAX_VALUE_DEPTH) ? value : undefined;
  } catch {
    // What the parser found is quoted script data; that it is no JSON is all there is to know.
    return undefined;
  }
}

function valueResult(json: string, call: SandboxCall, cpuMs: number, { resultBytes }: OutcomeRules): SandboxResult | undefined {
  const bytes = Buffer.byteLength(json);
  if (bytes > resultBytes) return tooLarge(call, bytes, { cpuMs, limit: resultBytes });
  const value = parseJson(json);
  return value === undefined ? undefined : { kind: "value", value, jsonBytes: bytes, cpuMs };
}

/** Which of it are bytes, under a limit of their own, is known once the blocks are checked; here both limits count together. */
function contentResult(json: string, call: SandboxCall, cpuMs: number, rules: OutcomeRules): SandboxResult | undefined {
  const limit = rules.resultBytes + base64Length(rules.mediaBytes);
  const bytes = Buffer.byteLength(json);
  if (bytes > limit) return tooLarge(call, bytes, { cpuMs, limit });
  const content = parseJson(json);
  if (!isJsonObject(content) || !Array.isArray(content.blocks)) return undefined;
  const blocks: readonly JsonValue[] = content.blocks;
  return { kind: "content", blocks, ...(content.value === undefined ? {} : { value: content.value }), cpuMs };
}

function failedResult(
  { message, json }: Readonly<Record<string, unknown>>,
  call: SandboxCall,
  cpuMs: number,
  rules: OutcomeRules,
): SandboxResult | undefined {
  if (typeof message !== "string") return undefined;
  const error = new ToolError("SCRIPT_ERROR", `Tool "${call.tool}" failed: ${shorten(message, rules)}`);
  if (json === undefined) return { kind: "error", error, cpuMs };
  const content = typeof json === "string" ? contentResult(json, call, cpuMs, rules) : undefined;
  return content?.kind === "content" ? { kind: "error", error, blocks: content.blocks, cpuMs } : content;
}

function tooLarge(call: SandboxCall, bytes: number, { cpuMs, limit }: { readonly cpuMs: number; readonly limit: number }): SandboxResult {
  const text = `Tool "${call.tool}" returned ${bytes} bytes of JSON; the limit is ${limit} ("resultBytes" in "limits"). Return less, such as a page or a summary.`;
  return errorResult("RESULT_TOO_LARGE", text, cpuMs);
}

function scriptError(
  outcome: Readonly<Record<string, unknown>>,
  call: SandboxCall,
  cpuMs: number,
  rules: OutcomeRules,
): SandboxResult | undefined {
  const { name, message, code } = outcome;
  if (typeof name !== "string" || typeof message !== "string") return undefined;
  // V8 lets a script catch this one, so it comes as an error of the script; to the caller it is the limit all the same.
  if (name === "RangeError" && message === "Array buffer allocation failed") return { kind: "error", error: memoryError(call), cpuMs };
  const known = typeof code === "string" && isErrorCode(code) && (GUEST_CODES.has(code) || rules.answeredCodes.has(code));
  const text = shorten(message, rules);
  const place = placeOf(outcome, call, text);
  if (known && code !== "SCRIPT_ERROR") return errorResult(code, text, cpuMs, place.data);
  const shownName = cutText(wellFormed(name), 100);
  const thrown = shownName === "" || text.startsWith(`${shownName}:`) ? text : `${shownName}: ${text}`;
  return errorResult("SCRIPT_ERROR", `Tool "${call.tool}" failed${place.text}: ${withHint(thrown, place.hint)}`, cpuMs, place.data);
}

interface ToldPlace {
  readonly text: string;
  readonly hint?: string | undefined;
  readonly data: { readonly [key: string]: JsonValue };
}

/** Only the script's own file is a place: a stack can be forged, and a host path must not come out of one. */
function placeOf(outcome: Readonly<Record<string, unknown>>, { script }: SandboxCall, message: string): ToldPlace {
  const { file, line, column } = outcome;
  const unknown: ToldPlace = { text: ` in ${script.file}`, data: { file: script.file } };
  if (file !== script.file || !isPosition(line)) return unknown;
  const frames = readFrames(outcome);
  if (script.locate !== undefined) {
    const found = frames.length === 0 ? undefined : script.locate(frames, message);
    return found === undefined ? unknown : toldPlace(found);
  }
  return isPosition(column)
    ? { text: ` at ${file}:${line}:${column}`, data: { file, line, column } }
    : { text: ` at ${file}:${line}`, data: { file, line } };
}

function withHint(text: string, hint: string | undefined): string {
  return hint === undefined ? text : `${/[.!?]$/.test(text) ? text : `${text}.`} ${hint}`;
}

function toldPlace({ file, line, column, thrownIn, excerpt, hint }: FailurePlace): ToldPlace {
  const inside = thrownIn === undefined ? "" : ` (thrown at ${thrownIn.file}:${thrownIn.line}:${thrownIn.column})`;
  return {
    text: ` at ${file}:${line}:${column}${inside}`,
    hint,
    data: {
      file,
      line,
      column,
      ...(thrownIn === undefined ? {} : { thrownIn: { ...thrownIn } }),
      ...(excerpt === undefined ? {} : { excerpt }),
    },
  };
}

/** The frames of the script, the innermost first. What is no pair of positions is left out, with all behind it. */
function readFrames({ line, column, frames }: Readonly<Record<string, unknown>>): readonly SourcePosition[] {
  const flat: readonly unknown[] = Array.isArray(frames) ? frames.slice(0, 2 * MAX_FRAMES) : [line, column];
  const found: SourcePosition[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const [frameLine, frameColumn] = [flat[index], flat[index + 1]];
    if (!isPosition(frameLine) || !isPosition(frameColumn)) break;
    found.push({ line: frameLine, column: frameColumn });
  }
  return found;
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function errorResult(code: ErrorCode, message: string, cpuMs: number, data: { readonly [key: string]: JsonValue } = {}): SandboxResult {
  return { kind: "error", error: new ToolError(code, message, { data }), cpuMs };
}

function shorten(message: string, { messageCharacters }: OutcomeRules): string {
  return cutText(wellFormed(message), messageCharacters);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const parts: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => isShallow(part, levels - 1));
}
