/** Reads a script's request into the first hop of a chain; everything after that trusts it. */
import type { ScriptRequest } from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { parseScriptHeaders } from "./request-headers.ts";
import { parseTarget } from "./target.ts";

/** One request on its way, as it is about to be judged and sent. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** The script's own headers, lower-case names. */
  readonly own: ReadonlyMap<string, string>;
  readonly body: Buffer | undefined;
  /** False once a redirect has led to another origin. */
  readonly allowSecrets: boolean;
  /** Redirects followed so far. */
  readonly redirects: number;
}

/** The first hop. Throws INVALID_REQUEST, without values in its message. */
export function parseScriptRequest(request: ScriptRequest, { maxBodyBytes }: { readonly maxBodyBytes: number }): Hop {
  const url = parseTarget(request.url);
  const method = parseMethod(request.method);
  const own = parseScriptHeaders(request.headers);
  const body = parseBody(request.body);
  if (body !== undefined && body.length > maxBodyBytes) {
    throw new ToolError(
      "INVALID_REQUEST",
      `The body of the request has ${body.length} bytes; the limit is ${maxBodyBytes} ("requestBodyBytes" in "limits"). Send less at once.`,
      { data: { limit: "requestBodyBytes", value: maxBodyBytes } },
    );
  }
  return { url, method, own, body, allowSecrets: true, redirects: 0 };
}

/** Methods that make a server send the request back (RFC 9110, 9.3.8), or make it a tunnel: no request has one. */
export const REFUSED_METHODS: readonly string[] = ["CONNECT", "TRACE", "TRACK"];

/** Fetch standard, "normalize a method": these in any case are sent in capitals, all others as they are written. */
const NORMAL_METHODS: readonly string[] = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];

function parseMethod(text: string): string {
  if (!/^[A-Za-z][A-Za-z-]{0,31}$/u.test(text))
    throw new ToolError("INVALID_REQUEST", "The method of the request is not a word of letters, such as GET.");
  const method = text.toUpperCase();
  if (REFUSED_METHODS.includes(method)) throw new ToolError("INVALID_REQUEST", `The method ${method} cannot be used.`);
  return NORMAL_METHODS.includes(method) ? method : text;
}

function parseBody(body: ScriptRequest["body"]): Buffer | undefined {
  switch (body.kind) {
    case "none":
      return undefined;
    case "text":
      return Buffer.from(body.text, "utf8");
    case "bytes":
      return Buffer.from(body.base64, "base64");
  }
}
