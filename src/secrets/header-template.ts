import { ToolError } from "../core/errors.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import { HTTP_TOKEN, isConnectionHeader } from "../core/http-header.ts";
import { parseTemplate, type Template } from "../core/secret-template.ts";

/** A header or query parameter as tools.json writes it. */
export interface AddedText {
  readonly name: string;
  readonly value: string;
  readonly hosts?: readonly string[] | undefined;
  readonly replaceExisting?: boolean | undefined;
}

/** A header or query parameter of tools.json, parsed. */
export interface AddedTemplate {
  readonly name: string;
  readonly template: Template;
  /** The only hosts it goes to; absent: every host the tool may reach. */
  readonly hosts?: readonly HostPattern[];
  /** False: a script that sets one of this name gets an error instead of having it replaced. Default true. */
  readonly replaceExisting: boolean;
}

/** Parses a header once, when tools.json is loaded. Throws `ToolError` INVALID_REQUEST; its message does not repeat the value. */
export function parseHeaderTemplate(header: AddedText): AddedTemplate {
  const { name } = header;
  if (!HTTP_TOKEN.test(name)) {
    throw new ToolError("INVALID_REQUEST", `${JSON.stringify(name.slice(0, 80))} is not the name of a header. Write it like "X-Api-Key".`);
  }
  if (isConnectionHeader(name))
    throw new ToolError("INVALID_REQUEST", `The header "${name}" is made from the request itself and cannot be set. Remove it.`);
  return parseAdded(header);
}

/** Parses a query parameter, as {@link parseHeaderTemplate}. `{{basic …}}` has no meaning there: INVALID_REQUEST. */
export function parseQueryTemplate(parameter: AddedText): AddedTemplate {
  const parsed = parseAdded(parameter);
  if (parsed.template.parts.some(({ kind }) => kind === "basic")) {
    throw new ToolError(
      "INVALID_REQUEST",
      `{{basic USER PASS}} makes the value of a header; the query parameter "${parameter.name}" takes none.`,
    );
  }
  return parsed;
}

function parseAdded({ name, value, hosts, replaceExisting = true }: AddedText): AddedTemplate {
  const template = parseTemplate(value);
  if (hosts === undefined) return { name, template, replaceExisting };
  return { name, template, replaceExisting, hosts: hosts.map((host) => parseHostPattern(host, { kind: "allowed" })) };
}
