/**
 * Asks for a token (OAuth 2 client credentials, RFC 6749, 4.4). One request to the one URL that tools.json names, judged like
 * every other; no redirect is followed, and nothing of the answer but the token leaves this file.
 */
import { ToolError } from "../core/errors.ts";
import { hostPortOf } from "../core/host-pattern.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { Secret } from "../core/secret.ts";
import { AddressRefused } from "./connector.ts";
import { toNetworkError } from "./network-error.ts";
import { type EgressPolicy, judgeTarget, refuseAddress } from "./target.ts";
import type { Answer, Transport } from "./transport.ts";

/** A token request, complete. */
export interface TokenRequest {
  readonly url: URL;
  /** What the request may reach: where the client's secrets are bound to. */
  readonly policy: EgressPolicy;
  /** The client's `Authorization`; absent where it shows itself in the body. */
  readonly authorization?: Secret;
  /** Form-encoded. */
  readonly body: Secret;
}

/** A token as the issuer gave it. */
export interface IssuedToken {
  readonly token: Secret;
  /** How long it holds from now on, in milliseconds; undefined: the issuer does not say. */
  readonly lifeMs: number | undefined;
}

/** Largest answer of an issuer, in bytes: tokens with many claims have some KiB. */
const MAX_ANSWER_BYTES = 65_536;

/** Longest token, in characters: with it all headers of a request are still under the 16 KiB that servers take. */
const MAX_TOKEN_CHARACTERS = 12_288;

/**
 * Gets a token. Throws `ToolError` AUTH_FAILED for whatever the issuer does instead of giving one, the errors of
 * `judgeTarget` where it may not be asked, and the signal's reason if that is a `ToolError`.
 */
export async function requestToken(
  { url, policy, authorization, body }: TokenRequest,
  { transport, signal }: { readonly transport: Transport; readonly signal: AbortSignal },
): Promise<IssuedToken> {
  const reach = judgeTarget(url, policy, { carriesSecret: true });
  const headers = new Map([
    ["user-agent", "toolyard"],
    ["accept", "application/json"],
    ["accept-encoding", "identity"],
    ["content-type", "application/x-www-form-urlencoded"],
  ]);
  if (authorization !== undefined) headers.set("authorization", authorization.reveal());
  const failed = failureOf(url, policy);
  try {
    const answer = await transport.send({ url, method: "POST", headers, body: Buffer.from(body.reveal(), "utf8"), reach, signal });
    const text = await readAnswer(answer);
    if (text === undefined) throw failed("its answer is over 64 KiB", "TOO_LARGE");
    const json = parseObject(text);
    if (answer.status >= 300 && answer.status <= 399) throw failed("it redirects, which no token request follows", "REDIRECT");
    if (answer.status !== 200) throw failed(refusalText(answer.status, json), `HTTP_${answer.status}`);
    return readToken(json, failed);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (signal.aborted && signal.reason instanceof ToolError) throw signal.reason;
    if (error instanceof AddressRefused) throw refuseAddress(url, policy, error.addressClass);
    if (signal.aborted) throw failed("it gave no whole answer in time", "TIMEOUT");
    const { reason } = toNetworkError(error, hostPortOf(url)).data;
    throw failed(`it could not be reached (${String(reason)})`, String(reason));
  }
}

type Failure = (found: string, reason: string) => ToolError;

/** Path, query and whatever the issuer said stay out: its texts can repeat what it was sent. */
function failureOf(url: URL, { toolName }: EgressPolicy): Failure {
  const host = hostPortOf(url);
  return (found, reason) =>
    new ToolError(
      "AUTH_FAILED",
      `${toolName}: no token from ${host}: ${found}. Nothing was sent to the API. Check "auth" of the tool in tools.json and the secrets it names.`,
      { data: { host, reason } },
    );
}

/** The codes of RFC 6749, 5.2; anything else in their place is not repeated. */
const REFUSALS: readonly string[] = [
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
];

function refusalText(status: number, json: JsonObject | undefined): string {
  const code = REFUSALS.find((known) => known === json?.error);
  return `it answered ${status}${code === undefined ? "" : ` (${code})`}`;
}

function readToken(json: JsonObject | undefined, failed: Failure): IssuedToken {
  if (json === undefined) throw failed("its answer is no JSON object", "BAD_ANSWER");
  const { access_token: token, token_type: type, expires_in: life } = json;
  // Visible ASCII, as RFC 6750, 2.1 has it: anything else could not stand in the header.
  if (typeof token !== "string" || token === "" || token.length > MAX_TOKEN_CHARACTERS || !/^[\x21-\x7e]+$/.test(token)) {
    throw failed("its answer has no usable access_token", "BAD_ANSWER");
  }
  if (type !== undefined && (typeof type !== "string" || type.toLowerCase() !== "bearer")) {
    throw failed("its token is of another type than Bearer", "BAD_ANSWER");
  }
  // A number by RFC 6749, 5.1; some issuers write it as text.
  const seconds = typeof life === "string" && /^[0-9]{1,10}$/.test(life) ? Number(life) : life;
  const isKnown = typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0;
  return { token: new Secret(token), lifeMs: isKnown ? seconds * 1_000 : undefined };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not JSON, which the caller tells as such.
    return undefined;
  }
}

/** The body as text; undefined if it is over {@link MAX_ANSWER_BYTES}. */
async function readAnswer(answer: Answer): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
