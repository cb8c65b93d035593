/**
 * Every error made on purpose: one class, one table of codes.
 * The table is the only list (docs/errors.md is generated from it); scripts see the same codes in `error.code`.
 * A message says what failed, where, what was found and what to do next, and never holds a value of a secret, header or body.
 */
import { isJsonObject, type JsonObject } from "./json.ts";
import { wellFormed, wellFormedJson } from "./text.ts";

/** What each code means and what the person who meets it can do. */
export const ERROR_CODES = {
  TOOL_NOT_FOUND: "No tool of that name for this caller. Ask GetWorkspaceTools for the list.",
  TOOL_BROKEN: "The tool is set aside because its entry or script has an error. Fix the file named; no restart is needed.",
  FILE_VERSION: "A file was written by a newer version. Update toolyard to the version named.",
  INVALID_ARGUMENTS: "The arguments do not fit the tool's parameters. The message lists each field.",
  DENIED:
    "The policy does not let this caller use the tool, or the caller's agent is not defined in toolyard.json: then every call gets this, whatever the name.",
  APPROVAL_REQUIRED: "A person must approve this first.",
  NOT_TRUSTED: "The workspace asks for more than it may have by itself. A person decides with toolyard trust.",
  SECRET_MISSING: "A secret the tool names is not stored. Store it with toolyard secrets set.",
  SECRET_HOST: "The request would carry a secret to a host it is not bound to. Nothing was sent.",
  AUTH_FAILED: 'The token that the tool\'s "auth" asks for could not be had. The API itself was sent nothing.',
  SECRET_ACCESS_DENIED: "Scripts cannot read secrets. Put a template into the tool's headers, query or auth instead.",
  VAULT_LOCKED: "The vault's key is not available. The message names the source of the key and how to unlock it.",
  VAULT_KEY: "The key does not open the vault.",
  VAULT_TAMPERED: "The vault file was changed or damaged outside toolyard.",
  HOST_NOT_ALLOWED: "The tool may not reach that host or address.",
  INVALID_REQUEST: "A request or parameter of a script call is malformed.",
  NETWORK_ERROR: "The request failed on its way: name look-up, connection, TLS or protocol.",
  RESPONSE_TOO_LARGE: "The answer of the other server is over the limit.",
  RESPONSE_NOT_JSON: "The answer of the other server is not JSON, and the script took it for that. The message has its status and type.",
  TOO_MANY_REQUESTS: "The call made more requests, or asked people more questions, than its limit.",
  SCRIPT_ERROR: "The script threw, failed on purpose, or returned something that is not JSON.",
  IMPORT_OUTSIDE: "An import leaves the workspace.",
  TIMEOUT: "The call ran past its time limit.",
  OUT_OF_MEMORY: "The script used more memory than its limit.",
  RESULT_TOO_LARGE: "The result is over the limit. Where the message has an id, the whole is kept for an hour and can be read in pages.",
  RESULT_NOT_FOUND: "No kept result of that id for this caller: unknown, over its hour, or gone for newer ones. Call the tool again.",
  OUTPUT_MISMATCH: "The result does not fit the tool's output schema.",
  CANCELLED: "The caller cancelled the call, or the server is stopping.",
  SANDBOX_CRASHED: "The sandbox process ended during the call. The call was not repeated, since its requests may have had effects.",
  BUSY: "Too many calls wait already, the tool crashed its sandbox several times, or its imports are still being bundled. Try again after the time named.",
  UNAVAILABLE: "This part is not configured or not available here.",
  STORE_ERROR: "A file of the server's own could not be read or written.",
  QUOTA_EXCEEDED: "A store is full.",
  WORKSPACE_BROKEN: "tools.json or toolyard.json cannot be read. The last good set stays in service where there is one.",
} as const;

/** A code of the table. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Facts for machines beside the message, such as the bad fields; never secret values. */
export interface ToolErrorOptions {
  readonly cause?: unknown;
  readonly data?: JsonObject;
  /** `"operator"`: the caller gets only the code and the call's id; the message goes to the log. Default `"caller"`. */
  readonly audience?: "caller" | "operator";
}

/** The one class of errors thrown on purpose. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly audience: "caller" | "operator";
  readonly data: JsonObject;

  constructor(code: ErrorCode, message: string, { cause, data = {}, audience = "caller" }: ToolErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.audience = audience;
    this.data = data;
  }
}

/** True for a code of the table; used on text that comes from a sandbox host. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

/**
 * The error as the caller may see it, well-formed: an operator's message and any foreign error are replaced by the call's id.
 * With `audience` `"operator"` the caller is the one who runs toolyard, for whom there is no log to look into: nothing is replaced.
 */
export function toCallerError(
  error: unknown,
  callId: string,
  audience: ToolError["audience"] = "caller",
): { readonly code: ErrorCode; readonly message: string; readonly data: JsonObject } {
  if (error instanceof ToolError && (error.audience === "caller" || audience === "operator")) {
    // Names that a caller made up come back in messages.
    const data = wellFormedJson(error.data);
    return { code: error.code, message: wellFormed(error.message), data: isJsonObject(data) ? data : {} };
  }
  const code = error instanceof ToolError ? error.code : "UNAVAILABLE";
  if (audience === "operator") return { code, message: wellFormed(foreignErrorText(error)), data: {} };
  return {
    code,
    message: `The server could not finish this call (id ${callId}). The reason is in the server's log under that id.`,
    data: {},
  };
}

/** An error that nobody made on purpose, for the one who runs toolyard. */
export function foreignErrorText(error: unknown): string {
  return `Something failed that no message was written for: ${messageOf(error)}`;
}

/** Message of anything thrown, for logs and causes; never for callers. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Code of an error of the operating system, such as `ENOENT`; `"unknown"` for anything else. Safe in messages: it holds no data. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}
