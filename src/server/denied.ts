import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Caller } from "../core/tool.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * Throws `ProtocolError` invalid params for a caller who may use nothing here, with the words that a call of a tool gets. That
 * there is no such prompt would send a person to look for a misspelled name, and whatever the name the answer is the same.
 */
export function refuseDenied(engine: Engine, caller: Caller): void {
  const denial = engine.denial(caller);
  if (denial !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, denial, { code: "DENIED" });
}
