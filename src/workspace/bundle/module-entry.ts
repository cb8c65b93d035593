/** Which export of a script is the tool, where the script is a module that is bundled. */
import type { ExportDefaultDeclaration, Pattern, Program } from "acorn";
import { parseText } from "../parse-text.ts";

/** What the bundle's entry is called by, and the text to add to the module so that it is exported. */
export type ModuleEntry =
  | { readonly ok: true; readonly member: "default" | "main"; readonly tail: string }
  | { readonly ok: false; readonly kind: "missing-main"; readonly message: string }
  /** The text is no module. `offset`: where in it. */
  | { readonly ok: false; readonly kind: "unread"; readonly message: string; readonly offset: number };

/** Finds the entry in a module's JavaScript. */
export function findModuleEntry(text: string): ModuleEntry {
  const parsed = parseText(text, { allowHashBang: true });
  if (!parsed.ok) return { ok: false, kind: "unread", message: parsed.message, offset: parsed.offset };
  const { program } = parsed;
  const exported = new Set<string>();
  let declaration: ExportDefaultDeclaration["declaration"] | undefined;
  let isDeclared = false;
  for (const statement of program.body) {
    switch (statement.type) {
      case "ExportDefaultDeclaration":
        exported.add("default");
        declaration = statement.declaration;
        break;
      case "ExportNamedDeclaration":
        for (const { exported: name } of statement.specifiers) exported.add(name.type === "Identifier" ? name.name : String(name.value));
        for (const name of statement.declaration ? declaredNames(statement.declaration) : []) exported.add(name);
        break;
      case "ImportDeclaration":
        isDeclared ||= statement.specifiers.some(({ local }) => local.name === "main");
        break;
      case "FunctionDeclaration":
      case "VariableDeclaration":
      case "ClassDeclaration":
        isDeclared ||= declaredNames(statement).includes("main");
        break;
      default:
        break;
    }
  }
  if (exported.has("default")) {
    if (declaration !== undefined && !canBeFunction(declaration)) {
      return { ok: false, kind: "missing-main", message: "The default export is not a function that can be called." };
    }
    return { ok: true, member: "default", tail: "" };
  }
  if (exported.has("main")) return { ok: true, member: "main", tail: "" };
  // On a line of its own: the file may end in a comment.
  if (isDeclared) return { ok: true, member: "main", tail: "\nexport { main };" };
  return {
    ok: false,
    kind: "missing-main",
    message: 'The script defines no main(). Write "async function main() { … }" or "export default async function () { … }".',
  };
}

type Declaring = Extract<Program["body"][number], { type: "FunctionDeclaration" | "VariableDeclaration" | "ClassDeclaration" }>;

function declaredNames(declaration: Declaring): readonly string[] {
  if (declaration.type === "VariableDeclaration") return declaration.declarations.flatMap(({ id }) => namesOf(id));
  return [declaration.id.name];
}

function namesOf(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => (property.type === "Property" ? namesOf(property.value) : []));
    default:
      return [];
  }
}

/** False for a default export that is plainly no function; what a name or call gives is seen when it is called. */
function canBeFunction(declaration: ExportDefaultDeclaration["declaration"]): boolean {
  switch (declaration.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
      return !declaration.generator;
    case "ClassDeclaration":
    case "ClassExpression":
    case "ArrayExpression":
    case "ObjectExpression":
    case "Literal":
    case "TemplateLiteral":
      return false;
    default:
      return true;
  }
}
