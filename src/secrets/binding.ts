import { ToolError } from "../core/errors.ts";
import { hostPatternText, parseHostPattern } from "../core/host-pattern.ts";
import { HTTP_TOKEN, isConnectionHeader, isHeaderValue } from "../core/http-header.ts";

/**
 * Where a secret may go. Stored beside the value and bound to it by encryption: changing it in the file makes the value
 * unreadable. What is absent is not restricted.
 */
export interface Binding {
  /** Patterns of core/host-pattern.ts in canonical form, at least one. */
  readonly hosts: readonly string[];
  /** The only header that may carry it, in lower case. */
  readonly header?: string;
  /** The only form of that header's value; `%s` stands for the secret, once. */
  readonly format?: string;
  /** The only methods of requests that may carry it, in capitals. */
  readonly methods?: readonly string[];
}

/** Most patterns of one secret. */
const MAX_HOSTS = 64;

/** Checks a binding as a person gave it and brings it to its canonical form. Throws `ToolError` INVALID_REQUEST. */
export function parseBinding({ hosts, header, format, methods }: Binding): Binding {
  if (hosts.length === 0) {
    throw new ToolError(
      "INVALID_REQUEST",
      "A secret needs at least one host it may go to: --host api.example.com. There is no way to say any host.",
    );
  }
  if (hosts.length > MAX_HOSTS)
    throw new ToolError("INVALID_REQUEST", `A secret has at most ${MAX_HOSTS} hosts; ${hosts.length} were given.`);
  const canonical = new Set(hosts.map((host) => hostPatternText(parseHostPattern(host, { kind: "binding" }))));
  if (header !== undefined && !HTTP_TOKEN.test(header))
    throw new ToolError("INVALID_REQUEST", "--header is not the name of a header, such as Authorization.");
  if (header !== undefined && isConnectionHeader(header))
    throw new ToolError("INVALID_REQUEST", "--header names a header that is made from the request itself; no tool can set it.");
  if (format !== undefined && (!isHeaderValue(format) || format.split("%s").length !== 2)) {
    throw new ToolError("INVALID_REQUEST", '--format has to hold "%s" once, where the secret goes, such as "Bearer %s".');
  }
  const verbs = methods === undefined ? undefined : new Set(methods.map((method) => method.toUpperCase()));
  if (verbs !== undefined && (verbs.size === 0 || [...verbs].some((method) => !HTTP_TOKEN.test(method)))) {
    throw new ToolError("INVALID_REQUEST", "--method is not the name of a method, such as GET.");
  }
  return {
    hosts: [...canonical],
    ...(header === undefined ? {} : { header: header.toLowerCase() }),
    ...(format === undefined ? {} : { format }),
    ...(verbs === undefined ? {} : { methods: [...verbs] }),
  };
}

/** The binding as one line for people: its hosts, then what else it demands. */
export function bindingText({ hosts, header, format, methods }: Binding): string {
  const also = [
    header === undefined ? "" : `in header ${header}`,
    format === undefined ? "" : `as ${JSON.stringify(format)}`,
    methods === undefined ? "" : `with ${methods.join(", ")}`,
  ].filter((text) => text !== "");
  return [hosts.join(", "), ...also].join(" ");
}
