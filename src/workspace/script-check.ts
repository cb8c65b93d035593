/** Judges the text of a script before it ever runs: it parses, and has a function to call or is a module that imports others. */
import type { Comment, Node, Program } from "acorn";
import type { FindingCode } from "../core/problem.ts";
import { parseText } from "./parse-text.ts";
import { type EntryName, findEntry } from "./script-entry.ts";
import { findTimeouts, type TimeoutComment } from "./script-timeout.ts";

/** A script that can run, one that must be bundled first, or the first fault by offset. */
export type ScriptCheck =
  | { readonly ok: true; readonly kind: "module" }
  | {
      readonly ok: true;
      readonly kind: "plain";
      readonly source: string;
      readonly entry: EntryName;
      readonly timeouts: readonly TimeoutComment[];
    }
  | { readonly ok: false; readonly code: FindingCode; readonly offset: number; readonly message: string };

/** Names that every script is given; a `const` of the same name at its top level would not compile. */
const GIVEN_NAMES: ReadonlySet<string> = new Set(["g", "console", "fetch", "setTimeout", "clearTimeout", "globalThis", "self", "global"]);

/** Begins a comment in a script, and stands for operators in a module. */
const HTML_COMMENT = /<!--|-->/;

/** Checks a script's text as it is in the file (without byte order mark). Never throws. */
export function checkScript(text: string): ScriptCheck {
  const comments: Comment[] = [];
  const parsed = parseText(text, { onComment: comments });
  if (!parsed.ok) return { ...parsed, code: "SYNTAX" };
  const given = givenNameFault(parsed.program);
  if (given !== undefined) return given;
  // Keywords have no other spelling: of a thousand scripts most need not be searched for these.
  const imported = /import|export/.test(text) ? findImport(parsed.program) : undefined;
  if (imported !== undefined) return imported;
  const entry = findEntry(text, parsed.program);
  if (!entry.ok) return { ok: false, ...entry.fault };
  // The text that runs is parsed once more, as what it will be: a function's body. This finds a second "$main", for example.
  // Where nothing was rewritten two things read differently in a function than in a module; few scripts have one of them.
  if (entry.source !== text || HTML_COMMENT.test(text) || (/await|using/.test(text) && needsModule(parsed.program))) {
    const rewritten = parseText(entry.source, { sourceType: "script", strict: true });
    if (!rewritten.ok) return { ...rewritten, code: "SYNTAX" };
  }
  return {
    ok: true,
    kind: "plain",
    source: entry.source,
    entry: entry.entry,
    timeouts: findTimeouts(leading(text, comments, parsed.program)),
  };
}

function givenNameFault(program: Program): Extract<ScriptCheck, { ok: false }> | undefined {
  for (const statement of program.body) {
    if (statement.type !== "VariableDeclaration" || statement.kind === "var") continue;
    for (const { id } of statement.declarations) {
      if (id.type !== "Identifier" || !GIVEN_NAMES.has(id.name)) continue;
      const message = `"${id.name}" is there already in every script; give this one another name.`;
      return { ok: false, code: "SYNTAX", offset: id.start, message };
    }
  }
  return undefined;
}

/** Shows each node to `look`, which says whether to go into it. The order is any. */
function walk(program: Program, look: (node: Node) => boolean): void {
  const waiting: unknown[] = [program];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (item !== null && item !== undefined) waiting.push(item);
      continue;
    }
    if (!isNode(next) || !look(next)) continue;
    for (const value of Object.values(next)) if (typeof value === "object" && value !== null) waiting.push(value);
  }
}

/** True if the script waits or takes resources with `using` outside of its functions, which only a module may. */
function needsModule(program: Program): boolean {
  let isFound = false;
  walk(program, (node) => {
    if (/Function/.test(node.type)) return false;
    const isLoop = "await" in node && node.await === true;
    const isUsing = node.type === "VariableDeclaration" && "kind" in node && /using$/.test(String(node.kind));
    if (node.type === "AwaitExpression" || isLoop || isUsing) isFound = true;
    return !isFound;
  });
  return isFound;
}

/** What the first `import` of any form, however deep it stands, makes of the script; undefined without one. */
function findImport(program: Program): ScriptCheck | undefined {
  let first: Node | undefined;
  walk(program, (node) => {
    if (isImport(node) && (first === undefined || node.start < first.start)) first = node;
    return true;
  });
  if (first === undefined) return undefined;
  if (isImportMeta(first))
    return importFault(first.start, "import.meta is not there in scripts; what a tool needs to know stands in g.config.");
  const isOpen = first.type === "ImportExpression" && "source" in first && isNode(first.source) && first.source.type !== "Literal";
  if (isOpen) return importFault(first.start, "import() takes a path in quotes here: scripts are put together before they run.");
  return { ok: true, kind: "module" };
}

function isImport(node: Node): boolean {
  switch (node.type) {
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
      return true;
    case "ExportNamedDeclaration":
      return "source" in node && node.source !== null;
    default:
      return isImportMeta(node);
  }
}

function importFault(offset: number, message: string): ScriptCheck {
  return { ok: false, code: "IMPORT_UNSUPPORTED", offset, message };
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isImportMeta(node: Node): boolean {
  return node.type === "MetaProperty" && "meta" in node && isNode(node.meta) && "name" in node.meta && node.meta.name === "import";
}

/** The comments before the first statement, a `#!` line not counted. */
function leading(text: string, comments: readonly Comment[], program: Program): { readonly text: string; readonly offset: number }[] {
  const firstStatement = program.body[0]?.start ?? text.length;
  return comments.filter(({ end }) => end <= firstStatement).map(({ value, start }) => ({ text: value, offset: start + 2 }));
}
