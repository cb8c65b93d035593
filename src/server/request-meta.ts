/** What is wrong with the `_meta` of a request: the envelope that 2026-07-28 has in every request, and what all versions have there. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { type FieldRule, fieldsFault, object, optional, text } from "./field-rules.ts";

/** Levels of MCP's log messages, the least serious first (2025-11-25, logging; after RFC 5424). */
export const LOG_LEVELS: readonly LoggingLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** A field that is one of MCP's log levels. */
export function logLevel(key: string): FieldRule {
  return { key, what: `one of ${LOG_LEVELS.join(", ")}`, is: (value) => LOG_LEVELS.some((level) => level === value) };
}

const objects = (key: string): FieldRule => optional({ ...object(key, "an object of objects"), values: "an object" });
const flag = (key: string): FieldRule => ({ key, what: "true or false", isOptional: true, is: (value) => typeof value === "boolean" });
const part = (key: string, fields: readonly FieldRule[] = []): FieldRule => optional(object(key, "an object", fields));

/** A field that holds the capabilities of a client (MCP 2025-11-25 and 2026-07-28, schema). */
export function clientCapabilities(key: string): FieldRule {
  return object(key, "an object with what the client can do, such as {}", [
    objects("experimental"),
    objects("extensions"),
    part("sampling", [part("context"), part("tools")]),
    part("elicitation", [part("form", [flag("applyDefaults")]), part("url")]),
    part("roots", [flag("listChanged")]),
    part("tasks"),
  ]);
}

/** A field that holds the name and version of a client. */
export function clientInfo(key: string): FieldRule {
  return object(key, 'an object with "name" and "version" of the client', [
    text("name", "the client's name"),
    text("version", "the client's version"),
    optional(text("title", "the client's title")),
    optional(text("description", "the client's description")),
    optional(text("websiteUrl", "the client's page")),
  ]);
}

const ENVELOPE: readonly FieldRule[] = [
  text(PROTOCOL_VERSION_META_KEY, 'the version of the protocol, such as "2026-07-28"'),
  clientCapabilities(CLIENT_CAPABILITIES_META_KEY),
  optional(clientInfo(CLIENT_INFO_META_KEY)),
  optional(logLevel(LOG_LEVEL_META_KEY)),
];

const META: readonly FieldRule[] = [
  {
    key: "progressToken",
    what: "text or a whole number",
    isOptional: true,
    is: (value) => typeof value === "string" || Number.isInteger(value),
  },
];

/** The version that a request names in its `_meta`, of whatever type it is; undefined for a request that names none, as those of 2025-11-25 and older. */
export function namedVersion(params: unknown): unknown {
  const meta = metaOf(params);
  return meta !== undefined && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
}

/** True for a request of 2026-07-28 or later that has all it must have in its `_meta`. */
export function hasEnvelope(params: unknown): boolean {
  const meta = metaOf(params);
  return meta !== undefined && fieldsFault("", meta, ENVELOPE) === undefined;
}

/**
 * The first fault of a request's `_meta`; undefined for one that is well-formed, or has none. A request that names a version
 * there must have the rest of the envelope too, but for `initialize`, which is of the older versions whatever its `_meta` says.
 */
export function metaFault(method: string, params: unknown): string | undefined {
  if (!isJsonObject(params) || params._meta === undefined) return undefined;
  const envelope = method === "initialize" || namedVersion(params) === undefined ? [] : ENVELOPE;
  return fieldsFault(method, params, [object("_meta", "an object", [...META, ...envelope])]);
}

function metaOf(params: unknown): JsonObject | undefined {
  return isJsonObject(params) && isJsonObject(params._meta) ? params._meta : undefined;
}
