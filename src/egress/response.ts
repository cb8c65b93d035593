/** Turns an answer into what a script gets: body read and decompressed within its limit, then everything masked. */
import type { ScriptResponse } from "../core/capability.ts";
import { hostPortOf } from "../core/host-pattern.ts";
import { findsDeep } from "./deep-search.ts";
import { REDACTED, type Redactor } from "./redactor.ts";
import { readBody, responseTooLarge } from "./response-body.ts";
import type { Answer } from "./transport.ts";

/** What belongs to the answer besides itself. */
export interface ResponseOptions {
  readonly url: URL;
  readonly redirected: boolean;
  readonly maxBytes: number;
  /** Asked once the body is there; undefined if no place of the chain was sent a secret. */
  readonly redactor: () => Redactor | undefined;
}

/** See {@link ScriptResponse}. Throws RESPONSE_TOO_LARGE and NETWORK_ERROR. */
export async function toScriptResponse(answer: Answer, { url, redirected, maxBytes, redactor }: ResponseOptions): Promise<ScriptResponse> {
  const host = hostPortOf(url);
  if (Number(answer.headers.get("content-length")?.[0] ?? 0) > maxBytes && answer.hasBody) {
    await answer.discard();
    throw responseTooLarge(host, maxBytes);
  }
  const pieces = await readBody(answer.body, { encoding: answer.headers.get("content-encoding")?.join(","), maxBytes, host });
  // Only now: another request of this call may have sent a secret meanwhile, and the server put it into this body.
  const masks = redactor();
  const mask = (text: string): string => (masks === undefined ? text : maskedText(text, masks));
  const headers = [...answer.headers]
    .filter(([name]) => name !== "set-cookie")
    .map(([name, values]) => [mask(name), mask(values.join(", "))] as const);
  const shown = mask(url.href);
  return {
    status: answer.status,
    statusText: mask(answer.statusText),
    headers: Object.fromEntries(headers),
    setCookie: (answer.headers.get("set-cookie") ?? []).map(mask),
    body: bodyOf(masks === undefined ? Buffer.concat(pieces) : maskedBody(pieces, masks)),
    // The host it came from is the script's to know.
    url: shown === REDACTED ? `${url.origin}/${REDACTED}` : shown,
    redirected,
  };
}

/** A text that hides a secret deeper than single places of it can be masked is masked as a whole. */
function maskedText(text: string, masks: Redactor): string {
  const masked = masks.redactText(text);
  return findsDeep(masks, masked) ? REDACTED : masked;
}

/** Empties `pieces` while it goes, so that the body is held once. */
function maskedBody(pieces: Uint8Array[], masks: Redactor): Buffer {
  const stream = masks.stream();
  const masked: Buffer[] = [];
  pieces.reverse();
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) masked.push(stream.write(piece));
  masked.push(stream.end());
  return Buffer.concat(masked);
}

function bodyOf(body: Buffer): ScriptResponse["body"] {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(body) };
  } catch {
    // Not UTF-8, which is no error.
    return { kind: "bytes", base64: body.toString("base64") };
  }
}
