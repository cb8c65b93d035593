/**
 * Which messages of a connection over stdio go on to the SDK, which takes the first one as what decides of the protocol
 * generation and looks no more at the version that the later ones name. But "the server accepts or rejects each request
 * independently", and must refuse a version it does not have and a request of 2026-07-28 that names none; `initialize` is what
 * selects an older version (MCP 2026-07-28, versioning, and `_meta` of basic).
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { shownName } from "../core/text.ts";
import { LAST_VERSION } from "./call-result.ts";
import { namedVersion } from "./request-meta.ts";
import { INVALID_PARAMS, type WireError } from "./wire-message.ts";

/** Versions that a request can name in its `_meta`. */
const MODERN_VERSIONS: readonly string[] = [LAST_VERSION.modern];

/** What becomes of a message. `drop`: it asks for no answer and means nothing yet. */
export type Admission = { readonly kind: "pass" } | { readonly kind: "drop" } | { readonly kind: "refuse"; readonly error: WireError };

const PASS: Admission = { kind: "pass" };

/** Judges the messages of one connection, in their order. */
export function createOpening(): (message: JSONRPCMessage) => Admission {
  // "discovered": only server/discover so far, after which the SDK still takes whatever comes for the opening.
  let opened: "nothing" | "discovered" | "modern" | "legacy" = "nothing";
  return (message) => {
    if (!("method" in message)) return PASS;
    const { method, params } = message;
    const version = namedVersion(params);
    if (!("id" in message)) {
      // Of itself a notification opens nothing: a client may cancel its first request and go on in whatever version.
      const isEarly = opened === "nothing" || (opened === "discovered" && version === undefined);
      return isEarly ? { kind: "drop" } : PASS;
    }
    if (method === "initialize") {
      if (opened !== "modern") opened = "legacy";
      return PASS;
    }
    if (version === undefined) {
      if (opened === "discovered" || opened === "modern") return { kind: "refuse", error: withoutVersion(message.id) };
      opened = "legacy";
      return PASS;
    }
    if (typeof version !== "string" || !MODERN_VERSIONS.includes(version)) {
      return { kind: "refuse", error: unsupported(String(version), message.id) };
    }
    if (opened !== "legacy" && opened !== "modern") opened = method === "server/discover" ? "discovered" : "modern";
    return PASS;
  };
}

function unsupported(version: string, id: WireError["id"]): WireError {
  const requested = shownName(version);
  const { code, message } = new UnsupportedProtocolVersionError({ supported: [...MODERN_VERSIONS], requested });
  return { code, message, id, data: { supported: MODERN_VERSIONS, requested } };
}

function withoutVersion(id: WireError["id"]): WireError {
  const message =
    `This connection was opened by 2026-07-28, so each request needs "_meta" with "${PROTOCOL_VERSION_META_KEY}" ` +
    `and "${CLIENT_CAPABILITIES_META_KEY}". For an older version send initialize as the first request.`;
  return { code: INVALID_PARAMS, message, id };
}
