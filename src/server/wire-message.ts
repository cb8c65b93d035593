import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { FORBIDDEN_KEY, isJsonObject, type JsonObject } from "../core/json.ts";
import { MAX_JSON_DEPTH, type ParsedJson, parseJsonText } from "./json-text.ts";
import { type RequestFault, requestFault } from "./request-shape.ts";

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;

/** JSON-RPC 2.0, section 5.1. */
export const INVALID_REQUEST = -32_600;

/** JSON-RPC 2.0, section 5.1: the request is understood, but not what it asks with. */
export const INVALID_PARAMS = -32_602;

/** An error that the transport itself answers, before any handler. `id` is null where the message does not tell it. */
export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly id: string | number | null;
  readonly data?: JsonObject;
  /** True where the request itself is malformed, and not only what it asks with. */
  readonly isMalformed?: boolean;
}

/** One message, or the error to answer in its place. */
export type WireMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | { readonly kind: "refused"; readonly error: WireError };

/** A JSON-RPC error object as it goes on the wire. */
export function wireErrorBody({ code, message, id, data }: WireError): {
  jsonrpc: "2.0";
  id: string | number | null;
  error: { code: number; message: string; data?: JsonObject };
} {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Reads one JSON-RPC message; batches are refused (they left the protocol with revision 2025-06-18). */
export function toWireMessage(parsed: ParsedJson): WireMessage {
  if (parsed.kind === "syntax") return refuse(PARSE_ERROR, "The message is not valid JSON in UTF-8.", null);
  if (parsed.kind === "too-deep") return refuse(INVALID_REQUEST, `The message is nested deeper than ${MAX_JSON_DEPTH} levels.`, null);
  const { value } = parsed;
  if (Array.isArray(value)) return refuse(INVALID_REQUEST, "Batches are not supported. Send each message by itself.", null);
  const message = withReadableArguments(value);
  const fault = faultOf(message);
  if (fault !== undefined) {
    return { kind: "refused", error: { code: INVALID_PARAMS, message: fault.message, id: idOf(value), isMalformed: fault.isOfMeta } };
  }
  try {
    return { kind: "message", message: parseJSONRPCMessage(message) };
  } catch {
    // The parser's error quotes what it found, which may be anything; the caller has it anyway.
    return refuse(INVALID_REQUEST, "The message is not a JSON-RPC 2.0 request, notification or response.", idOf(value));
  }
}

function refuse(code: number, message: string, id: WireError["id"]): WireMessage {
  return { kind: "refused", error: { code, message, id } };
}

function idOf(value: unknown): WireError["id"] {
  const id = isJsonObject(value) ? value.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** What is wrong with the parameters of a request. Undefined for notifications, which get no answer. */
function faultOf(value: unknown): RequestFault | undefined {
  if (!isJsonObject(value) || typeof value.method !== "string" || idOf(value) === null) return undefined;
  return requestFault(value.method, value.params);
}

/**
 * The message with the arguments of a call as they can be passed on. Some clients send null for a tool without parameters, or
 * the JSON text of the object; the protocol's schema knows only an object or nothing. And the SDK drops a key `__proto__` without
 * a word, after which the call would run as if it had not been written. So what was written otherwise is noted where the handler
 * sees it.
 */
function withReadableArguments(value: unknown): unknown {
  if (!isJsonObject(value) || value.method !== "tools/call") return value;
  const { params } = value;
  if (!isJsonObject(params)) return value;
  if (params.arguments === null) {
    const { arguments: _null, ...rest } = params;
    return { ...value, params: rest };
  }
  const fromText = objectInText(params.arguments);
  const args = fromText ?? params.arguments;
  const isForbidden = isJsonObject(args) && Object.hasOwn(args, FORBIDDEN_KEY);
  if (fromText === undefined && !isForbidden) return value;
  const notes = { ...(fromText === undefined ? {} : { [TEXT_META_KEY]: true }), ...(isForbidden ? { [FORBIDDEN_META_KEY]: true } : {}) };
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return { ...value, params: { ...params, arguments: args, _meta: { ...meta, ...notes } } };
}

function objectInText(written: unknown): JsonObject | undefined {
  if (typeof written !== "string") return undefined;
  const parsed = parseJsonText(written);
  return parsed.kind === "value" && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** Set in `_meta` of a call on its way from the transport to the handler: its arguments had the key `__proto__`. */
const FORBIDDEN_META_KEY = "toolyard/forbiddenKey";

/** The same for arguments that were the JSON text of an object. */
const TEXT_META_KEY = "toolyard/argumentsText";

/**
 * The arguments as they were written. With the key `__proto__` of their own, where the SDK has dropped it, so that they are
 * refused for it like any. As text, where they were: whether that is read as an object is for the tool to say (`repair`).
 */
export function argumentsAsWritten(args: unknown, meta: unknown): unknown {
  if (!isJsonObject(meta)) return args;
  // Entries and not assignment, which would set the prototype.
  const isForbidden = meta[FORBIDDEN_META_KEY] === true;
  const whole = isForbidden ? Object.fromEntries([...Object.entries(isJsonObject(args) ? args : {}), [FORBIDDEN_KEY, null]]) : args;
  return meta[TEXT_META_KEY] === true && isJsonObject(whole) ? JSON.stringify(whole) : whole;
}
