/**
 * Templates for secrets: `{{NAME}}` and `<<NAME>>` stand for a value, `{{basic USER PASS}}` for the whole value of a header
 * `Authorization: Basic`. The one grammar for all that reads or writes templates. Parsed once, when tools.json is loaded;
 * what a script or a model gives is never searched for templates, and neither is the value of a secret.
 */
import { ToolError } from "./errors.ts";
import { isHeaderValue } from "./http-header.ts";
import { Secret } from "./secret.ts";

/** A piece of a value. `basic`: two secrets, as user name and password of HTTP's basic authentication (RFC 7617). */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "secret"; readonly name: string }
  | { readonly kind: "basic"; readonly user: string; readonly password: string };

/** Text that looks like a template and is none; it is sent as it stands. Shown as finding TEMPLATE_LITERAL. */
export interface TemplateWarning {
  readonly code: "TEMPLATE_LITERAL";
  /** Where it begins in the text, in UTF-16 units from 0. */
  readonly offset: number;
  readonly message: string;
}

/** A parsed value. `names` holds each secret once, in order of appearance. */
export interface Template {
  readonly parts: readonly TemplatePart[];
  readonly names: readonly string[];
  readonly warnings: readonly TemplateWarning[];
}

const NAME = "[A-Z][A-Z0-9_]{0,63}";
const SECRET_NAME = new RegExp(`^${NAME}$`);
const INSIDE = `[ \\t]*(?:(${NAME})|basic[ \\t]+(${NAME})[ \\t]+(${NAME}))[ \\t]*`;
const TEMPLATE = new RegExp(`\\{\\{${INSIDE}\\}\\}|<<${INSIDE}>>`, "g");

/** True for a name that a secret can have: capital letters, digits and "_", at most 64, the first one a letter. */
export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text);
}

/** True if a template stands anywhere in the text; for places where none is filled in. */
export function holdsTemplate(text: string): boolean {
  return text.search(TEMPLATE) >= 0;
}

/**
 * Parses a value. Blanks and tabs inside the marks are accepted, lower-case names are not. Throws `ToolError`
 * INVALID_REQUEST for a character that no header can carry, and for `{{basic …}}` beside anything else.
 */
export function parseTemplate(text: string): Template {
  if (!isHeaderValue(text)) {
    throw new ToolError(
      "INVALID_REQUEST",
      "The value has a line break, a control character or a character beyond U+00FF, which a header cannot carry.",
    );
  }
  const parts: TemplatePart[] = [];
  const warnings: TemplateWarning[] = [];
  let end = 0;
  const addText = (from: number, to: number): void => {
    if (to === from) return;
    const literal = text.slice(from, to);
    parts.push({ kind: "text", text: literal });
    for (const mark of literal.matchAll(/\{\{|<</g)) warnings.push(literalWarning(mark[0], literal.slice(mark.index), from + mark.index));
  };
  for (const match of text.matchAll(TEMPLATE)) {
    addText(end, match.index);
    parts.push(templatePart(match));
    end = match.index + match[0].length;
  }
  addText(end, text.length);
  if (parts.length > 1 && parts.some(({ kind }) => kind === "basic")) {
    throw new ToolError(
      "INVALID_REQUEST",
      'The template {{basic USER PASS}} makes the whole value, "Basic" included. Remove what stands beside it.',
    );
  }
  return { parts, names: [...new Set(parts.flatMap(namesOf))], warnings };
}

/**
 * Puts the values in; they are not searched for templates again. Throws `ToolError` SECRET_MISSING for a name without a
 * value or with an empty one, INVALID_REQUEST where the outcome could not stand in a header.
 */
export function renderTemplate(parts: readonly TemplatePart[], values: ReadonlyMap<string, Secret>): Secret {
  const rendered = parts.map((part) => renderPart(part, values)).join("");
  if (!isHeaderValue(rendered)) {
    throw new ToolError("INVALID_REQUEST", "A header would hold a line break or another character that a header cannot carry.");
  }
  return new Secret(rendered);
}

/** False for a user name with a colon, which would end it early (RFC 7617, 2). */
export function canBeBasicUser(user: Secret): boolean {
  return !user.reveal().includes(":");
}

/** `Basic` with user name and password (RFC 7617, UTF-8). Throws `ToolError` INVALID_REQUEST for a user name with ":". */
export function basicCredentials(user: string, password: string): string {
  if (user.includes(":")) {
    throw new ToolError("INVALID_REQUEST", 'The user name for "Basic" has a colon, which would end it early. Nothing was sent.');
  }
  return `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`;
}

/** The value with `%s` for its only secret, as bindings write it, `Basic %s` for `{{basic …}}`; undefined if it has several. */
export function templateForm({ parts, names }: Template): string | undefined {
  if (parts.some(({ kind }) => kind === "basic")) return "Basic %s";
  if (names.length !== 1) return undefined;
  return parts.map((part) => (part.kind === "text" ? part.text : "%s")).join("");
}

function templatePart(match: RegExpExecArray): TemplatePart {
  const [, braced, bracedUser, bracedPassword, angled, angledUser, angledPassword] = match;
  const name = braced ?? angled;
  if (name !== undefined) return { kind: "secret", name };
  // The expression has one name or two in each of its branches; "" satisfies the type and is the name of no secret.
  return { kind: "basic", user: bracedUser ?? angledUser ?? "", password: bracedPassword ?? angledPassword ?? "" };
}

function namesOf(part: TemplatePart): readonly string[] {
  switch (part.kind) {
    case "text":
      return [];
    case "secret":
      return [part.name];
    case "basic":
      return [part.user, part.password];
  }
}

function renderPart(part: TemplatePart, values: ReadonlyMap<string, Secret>): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "secret":
      return valueNamed(part.name, values);
    case "basic":
      return basicCredentials(valueNamed(part.user, values), valueNamed(part.password, values));
  }
}

/** Half a header ("Bearer ") is a request the other server answers in confusing ways; none is sent. */
function valueNamed(name: string, values: ReadonlyMap<string, Secret>): string {
  const value = values.get(name)?.reveal();
  if (value !== undefined && value !== "") return value;
  throw new ToolError("SECRET_MISSING", `${name} has no value. Store it: toolyard secrets set ${name} --host HOST`);
}

function literalWarning(mark: string, rest: string, offset: number): TemplateWarning {
  const inside = /^..[ \t]*basic\b/.test(rest) ? "basic USER PASS" : "API_TOKEN";
  const example = mark === "{{" ? `{{${inside}}}` : `<<${inside}>>`;
  return {
    code: "TEMPLATE_LITERAL",
    offset,
    message: `"${mark}" at character ${offset + 1} begins no secret template and is sent as it stands. A template is written ${example}: ${inside === "API_TOKEN" ? "capital letters" : "two names, of capital letters"}, digits and "_", closed by the same kind of mark.`,
  };
}
