import { type JSONRPCMessage, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { isJsonObject, kindText } from "../core/json.ts";
import { MAX_JSON_DEPTH, type ParsedJson } from "./json-text.ts";

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
}

/** One message, or the error to answer in its place. */
export type WireMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | { readonly kind: "refused"; readonly error: WireError };

/** A JSON-RPC error object as it goes on the wire. */
export function wireErrorBody({ code, message, id }: WireError): {
  jsonrpc: "2.0";
  id: string | number | null;
  error: { code: number; message: string };
} {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** Reads one JSON-RPC message; batches are refused (they left the protocol with revision 2025-06-18). */
export function toWireMessage(parsed: ParsedJson): WireMessage {
  if (parsed.kind === "syntax") return refuse(PARSE_ERROR, "The message is not valid JSON in UTF-8.", null);
  if (parsed.kind === "too-deep") return refuse(INVALID_REQUEST, `The message is nested deeper than ${MAX_JSON_DEPTH} levels.`, null);
  const { value } = parsed;
  if (Array.isArray(value)) return refuse(INVALID_REQUEST, "Batches are not supported. Send each message by itself.", null);
  const fault = callFault(value);
  if (fault !== undefined) return refuse(INVALID_PARAMS, fault, idOf(value));
  try {
    return { kind: "message", message: parseJSONRPCMessage(withoutNullArguments(value)) };
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

/**
 * What is wrong with the shape of a call, in words: the SDK would answer with the output of its schema checker, which a
 * model cannot read. Undefined for everything else, notifications included, which get no answer.
 */
function callFault(value: unknown): string | undefined {
  if (!isJsonObject(value) || value.method !== "tools/call" || idOf(value) === null) return undefined;
  const { params } = value;
  if (!isJsonObject(params))
    return `The parameters of tools/call must be an object with "name" and "arguments"; found ${kindText(params)}.`;
  const { name, arguments: args } = params;
  if (typeof name !== "string") return `"name" of tools/call must be the name of a tool, as text; found ${kindText(name)}.`;
  if (args === undefined || args === null || isJsonObject(args)) return undefined;
  const next = typeof args === "string" ? " Send the object itself, not its JSON text." : "";
  return `"arguments" of tools/call must be an object with what the tool takes, or left out; found ${kindText(args)}.${next}`;
}

/** Some clients send `"arguments": null` for a tool without parameters; the protocol's schema knows only an object or nothing. */
function withoutNullArguments(value: unknown): unknown {
  if (!isJsonObject(value) || value.method !== "tools/call") return value;
  const { params } = value;
  if (!isJsonObject(params) || params.arguments !== null) return value;
  const { arguments: _null, ...rest } = params;
  return { ...value, params: rest };
}
