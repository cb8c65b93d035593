/** Answers that are one JSON-RPC error, for requests that do not reach the SDK. */
import { isJsonObject } from "../core/json.ts";

/** What is answered; see {@link refusal}. */
interface RefusalText {
  readonly message: string;
  /** JSON-RPC error code. Default -32000, a server's own. */
  readonly code?: number;
  /** The message that is refused, whose id the answer has. Default none: the id is null. */
  readonly to?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer with this HTTP status. */
export function refusal(status: number, { message, code = -32_000, to, headers = {} }: RefusalText): Response {
  const id = isJsonObject(to) && to.id !== undefined ? to.id : null;
  return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status, headers });
}
