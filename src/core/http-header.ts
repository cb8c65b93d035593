/** Rules for names and values of HTTP headers, shared by all that reads, stores or sends one. */

/** Longest name of a header or method, in characters: far beyond any in use. */
const MAX_TOKEN_CHARACTERS = 128;

/**
 * Headers that frame a message or belong to one connection, in lower case (RFC 9110, 7.6.1 and 7.2; RFC 9112, 6 and 9;
 * RFC 7540, 3.2.1): two readings of them are an attack, and with another Host than the URL's a shared front end answers
 * for somebody else. Names that start with `proxy-` belong to them.
 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "http2-settings",
]);

/** Headers by which frameworks take another method than the request's. */
const METHOD_HEADERS: ReadonlySet<string> = new Set([
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "x-method",
  "http-method-override",
  "x-original-method",
  "x-forwarded-method",
]);

/**
 * Headers by which frameworks and proxies take another path, or put one in front: those of IIS, Symfony and Zend, of Spring,
 * Traefik, Envoy and WSGI, and the second path of WebDAV. The host is among them, since with it goes a virtual host's tree.
 */
const PATH_HEADERS: ReadonlySet<string> = new Set([
  "x-original-url",
  "x-original-uri",
  "x-original-path",
  "x-original-host",
  "x-rewrite-url",
  "x-rewrite-uri",
  "x-forwarded-prefix",
  "x-forwarded-path",
  "x-forwarded-uri",
  "x-forwarded-url",
  "x-forwarded-host",
  "x-forwarded-server",
  "x-envoy-original-path",
  "x-http-path-override",
  "x-http-destinationurl",
  "x-script-name",
  "x-base-url",
  "x-waws-unencoded-url",
  "x-host",
  "forwarded",
  "destination",
]);

/** A token (RFC 9110, 5.6.2) of 1 to 128 characters: the name of a header or method. */
export const HTTP_TOKEN = new RegExp(`^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${MAX_TOKEN_CHARACTERS}}$`);

/** What can stand in a header value (RFC 9110, 5.5): tab, visible ASCII, blank, and 0x80 to 0xFF. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True for text that can stand in a header value. */
export function isHeaderValue(text: string): boolean {
  return HEADER_VALUE.test(text);
}

/** True for a header that is made from the request and its connection, in any case; neither scripts nor tools.json set it. */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return CONNECTION_HEADERS.has(lower) || lower.startsWith("proxy-");
}

/** Whether servers take a part of the request from this header, in any case: two readings of what a secret is bound to. */
export function isSteeringHeader(name: string, part: "method" | "path"): boolean {
  // Behind CGI and WSGI both spellings are one header.
  const plain = name.toLowerCase().replaceAll("_", "-");
  return (part === "method" ? METHOD_HEADERS : PATH_HEADERS).has(plain);
}
