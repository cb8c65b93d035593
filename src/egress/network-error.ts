/**
 * The one place where errors of undici, Node, TLS and DNS become ours. What they say is not passed on: their texts and
 * causes can hold header values and URLs.
 */
import { ToolError } from "../core/errors.ts";

/** NETWORK_ERROR for anything thrown by a request, with `data` `{ host, reason }`. `host` is `host:port`. */
export function toNetworkError(error: unknown, host: string): ToolError {
  return networkError(host, reasonOf(error));
}

/** NETWORK_ERROR with a reason: one of the codes of Node or undici, or one of ours. */
export function networkError(host: string, reason: string): ToolError {
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  const said = words ?? wordsOfTls(reason) ?? "the request failed on its way";
  return new ToolError("NETWORK_ERROR", `Request to ${host} failed: ${said} (${reason}).`, { data: { host, reason } });
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name does not exist",
  EAI_AGAIN: "the name could not be looked up",
  ECONNREFUSED: "nothing answers on that port",
  ECONNRESET: "the connection was broken off",
  EPIPE: "the connection was broken off",
  UND_ERR_SOCKET: "the connection was broken off",
  ETIMEDOUT: "the other end no longer answers",
  CONNECT_TIMEOUT: "no connection within 10 s",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  TIMEOUT: "no whole answer within the time of the request",
  BAD_HTTP: "the answer is not valid HTTP",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are over 32 KiB",
  TOO_MANY_HEADERS: "the answer has more than 1,000 headers",
  PROXY_REFUSED: "the proxy of settings.json refused to connect",
  PROXY_UNREACHABLE: "the proxy of settings.json does not answer",
  PROXY_TIMEOUT: "the proxy of settings.json did not connect within 10 s",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer ended before its announced length",
  TOO_MANY_REDIRECTS: "it was redirected too often",
  REDIRECT: 'the answer is a redirect, and the request says redirect: "error"',
  BAD_REDIRECT: "it was redirected to something that is not an acceptable http or https URL",
  REDIRECT_TO_HTTP: "it was redirected from https to http",
};

function reasonOf(error: unknown): string {
  // undici gives some of these no code, and puts the data of the answer into the error.
  if (error instanceof Error && error.name === "HTTPParserError") return "BAD_HTTP";
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  // Codes are constants of the libraries; anything else could be text from outside.
  return typeof code === "string" && /^[A-Z][A-Z0-9_/]{1,59}$/u.test(code) ? code : "UNKNOWN";
}

function wordsOfTls(reason: string): string | undefined {
  if (/^(?:CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/u.test(reason)) {
    return "its TLS certificate is not accepted";
  }
  return reason.startsWith("ERR_SSL_") ? "no TLS connection that is safe came about" : undefined;
}
