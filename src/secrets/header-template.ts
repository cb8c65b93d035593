import { ToolError } from "../core/errors.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import { HTTP_TOKEN, isConnectionHeader } from "../core/http-header.ts";
import { parseTemplate, type Template } from "./secret-template.ts";

/** A header as tools.json writes it. */
export interface HeaderText {
  readonly name: string;
  readonly value: string;
  readonly hosts?: readonly string[] | undefined;
  readonly replaceExisting?: boolean | undefined;
}

/** A header of tools.json, parsed. */
export interface HeaderTemplate {
  readonly name: string;
  readonly template: Template;
  /** The only hosts it goes to; absent: every host the tool may reach. */
  readonly hosts?: readonly HostPattern[];
  /** False: a script that sets a header of this name gets an error instead of having it replaced. Default true. */
  readonly replaceExisting: boolean;
}

/** Parses a header once, when tools.json is loaded. Throws `ToolError` INVALID_REQUEST; its message does not repeat the value. */
export function parseHeaderTemplate({ name, value, hosts, replaceExisting = true }: HeaderText): HeaderTemplate {
  if (!HTTP_TOKEN.test(name)) {
    throw new ToolError("INVALID_REQUEST", `${JSON.stringify(name.slice(0, 80))} is not the name of a header. Write it like "X-Api-Key".`);
  }
  if (isConnectionHeader(name))
    throw new ToolError("INVALID_REQUEST", `The header "${name}" is made from the request itself and cannot be set. Remove it.`);
  const template = parseTemplate(value);
  if (hosts === undefined) return { name, template, replaceExisting };
  return { name, template, replaceExisting, hosts: hosts.map((host) => parseHostPattern(host, { kind: "allowed" })) };
}
