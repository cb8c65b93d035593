/**
 * Templates in header values: `{{NAME}}` and `<<NAME>>` stand for secrets. Parsed once, when tools.json is loaded; what a
 * script or a model gives is never searched for templates, and neither is the value of a secret.
 */
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { isHeaderValue } from "./secret-value.ts";

/** A piece of a header value. */
export type TemplatePart = { readonly kind: "text"; readonly text: string } | { readonly kind: "secret"; readonly name: string };

/** Text that looks like a template and is none; it is sent as it stands. Shown as finding TEMPLATE_LITERAL. */
export interface TemplateWarning {
  readonly code: "TEMPLATE_LITERAL";
  /** Where it begins in the text, in UTF-16 units from 0. */
  readonly offset: number;
  readonly message: string;
}

/** A parsed header value. `names` holds each secret once, in order of appearance. */
export interface Template {
  readonly parts: readonly TemplatePart[];
  readonly names: readonly string[];
  readonly warnings: readonly TemplateWarning[];
}

/**
 * Parses a header value. Blanks and tabs inside the marks are accepted, lower-case names are not. Throws `ToolError`
 * INVALID_REQUEST for a character that no header can carry.
 */
export function parseTemplate(text: string): Template {
  if (!isHeaderValue(text)) {
    throw new ToolError(
      "INVALID_REQUEST",
      "The header value has a line break, a control character or a character beyond U+00FF, which a header cannot carry.",
    );
  }
  const parts: TemplatePart[] = [];
  const warnings: TemplateWarning[] = [];
  let end = 0;
  const addText = (from: number, to: number): void => {
    if (to === from) return;
    const literal = text.slice(from, to);
    parts.push({ kind: "text", text: literal });
    for (const mark of literal.matchAll(/\{\{|<</g)) warnings.push(literalWarning(mark[0], from + mark.index));
  };
  for (const match of text.matchAll(/\{\{[ \t]*([A-Z][A-Z0-9_]{0,63})[ \t]*\}\}|<<[ \t]*([A-Z][A-Z0-9_]{0,63})[ \t]*>>/g)) {
    const name = match[1] ?? match[2];
    if (name === undefined) continue;
    addText(end, match.index);
    parts.push({ kind: "secret", name });
    end = match.index + match[0].length;
  }
  addText(end, text.length);
  const names = new Set(parts.flatMap((part) => (part.kind === "secret" ? [part.name] : [])));
  return { parts, names: [...names], warnings };
}

/**
 * Puts the values in; they are not searched for templates again. Throws `ToolError` SECRET_MISSING for a name without a
 * value or with an empty one, INVALID_REQUEST where the outcome could not stand in a header.
 */
export function renderTemplate(parts: readonly TemplatePart[], values: ReadonlyMap<string, Secret>): Secret {
  let rendered = "";
  for (const part of parts) {
    if (part.kind === "text") {
      rendered += part.text;
      continue;
    }
    const value = values.get(part.name)?.reveal();
    // Half a header ("Bearer ") is a request the other server answers in confusing ways; none is sent.
    if (value === undefined || value === "") {
      throw new ToolError("SECRET_MISSING", `${part.name} has no value. Store it: toolyard secrets set ${part.name} --host HOST`);
    }
    rendered += value;
  }
  if (!isHeaderValue(rendered)) {
    throw new ToolError("INVALID_REQUEST", "A header would hold a line break or another character that a header cannot carry.");
  }
  return new Secret(rendered);
}

function literalWarning(mark: string, offset: number): TemplateWarning {
  const example = mark === "{{" ? "{{API_TOKEN}}" : "<<API_TOKEN>>";
  return {
    code: "TEMPLATE_LITERAL",
    offset,
    message: `"${mark}" at character ${offset + 1} begins no secret template and is sent as it stands. A template is written ${example}: capital letters, digits and "_", closed by the same kind of mark.`,
  };
}
