/**
 * JSON files of a workspace: comments and trailing commas are allowed, and every value knows where it stands.
 * Keys that stand twice, or that would reach a prototype (`__proto__`), are refused; no text in the result has lone surrogates.
 */
import { createScanner, findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { FORBIDDEN_KEY, type JsonValue } from "../core/json.ts";
import type { FindingCode, Place, Problem } from "../core/problem.ts";
import { wellFormed } from "../core/text.ts";
import { type PlaceFinder, placesIn } from "./position.ts";

/** Keys from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** A fault that belongs to one place and may leave the rest usable. */
export interface KeyFault {
  /** Path of the object with the bad key, and the key. */
  readonly path: JsonPath;
  readonly problem: Problem;
}

/** A parsed file. */
export interface JsonDocument {
  readonly file: string;
  readonly value: JsonValue;
  /** Keys that were refused; each is absent from `value`. */
  readonly faults: readonly KeyFault[];
  /** Where the value at a path stands, or its key; of a missing one the nearest object around it. */
  placeOf(path: JsonPath, part?: "key" | "value"): Place;
  /** True if there is a value at the path. */
  has(path: JsonPath): boolean;
}

/** A parsed file or the one problem that stopped it. */
export type JsonOutcome = { readonly ok: true; readonly document: JsonDocument } | { readonly ok: false; readonly problem: Problem };

/** Deepest nesting of a file; schemas in it have a lower limit of their own. */
const MAX_FILE_DEPTH = 100;

/** Parses the text of a file; `file` is its name relative to the workspace. Never throws. */
export function parseJsonDocument(file: string, text: string): JsonOutcome {
  const placeAt = placesIn(file, text);
  const fail = (code: FindingCode, message: string, offset: number): JsonOutcome => ({
    ok: false,
    problem: { code, severity: "error", place: placeAt(offset), message },
  });
  if (text.trim() === "") return fail("JSON_SYNTAX", `${file} is empty; expected an object, at least {}.`, 0);
  const deepOffset = tooDeepAt(text);
  if (deepOffset !== undefined) return fail("JSON_SYNTAX", `${file} is nested deeper than ${MAX_FILE_DEPTH} levels.`, deepOffset);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const error = errors[0];
  if (error !== undefined) return fail("JSON_SYNTAX", syntaxMessage(error, text), error.offset);
  if (root === undefined) return fail("JSON_SYNTAX", `${file} holds no value; expected an object.`, 0);
  return { ok: true, document: toDocument(file, root, placeAt) };
}

function toDocument(file: string, root: Node, placeAt: PlaceFinder): JsonDocument {
  const faults: KeyFault[] = [];
  const value = toValue(root, [], (path, key, node, isRepeated) => {
    const message = isRepeated
      ? `"${key}" stands twice in one object; keep one of the two.`
      : `"${key}" is not allowed as a key here. Rename it.`;
    const place = placeAt(node.offset);
    faults.push({
      path: [...path, key],
      problem: { code: isRepeated ? "DUPLICATE_KEY" : "INVALID_VALUE", severity: "error", place, message },
    });
  });
  const nodeAt = (path: JsonPath): Node | undefined => findNodeAtLocation(root, [...path]);
  return {
    file,
    value,
    faults,
    has: (path) => nodeAt(path) !== undefined,
    placeOf(path, part = "value") {
      for (let length = path.length; length >= 0; length--) {
        const node = nodeAt(path.slice(0, length));
        if (node === undefined) continue;
        const key = node.parent?.type === "property" ? node.parent.children?.[0] : undefined;
        const isWanted = length === path.length;
        return placeAt((part === "key" && isWanted ? key : undefined)?.offset ?? node.offset);
      }
      return { kind: "file", file };
    },
  };
}

type BadKey = (path: JsonPath, key: string, node: Node, isRepeated: boolean) => void;

function toValue(node: Node, path: JsonPath, onBadKey: BadKey): JsonValue {
  if (node.type === "array") return (node.children ?? []).map((child, index) => toValue(child, [...path, index], onBadKey));
  if (node.type !== "object") return scalarOf(node);
  const object: Record<string, JsonValue> = {};
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? [];
    if (keyNode === undefined || valueNode === undefined) continue;
    const key = wellFormed(String(keyNode.value));
    const isRepeated = Object.hasOwn(object, key);
    if (key === FORBIDDEN_KEY || isRepeated) onBadKey(path, key, keyNode, isRepeated);
    else object[key] = toValue(valueNode, [...path, key], onBadKey);
  }
  return object;
}

function scalarOf(node: Node): JsonValue {
  const value: unknown = node.value;
  if (typeof value === "string") return wellFormed(value);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

/** Offset of the first bracket that is nested too deep; the parser recurses, so this comes before it. */
function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    const before = scanner.getPosition();
    scanner.scan();
    const token = text[scanner.getTokenOffset()];
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth > MAX_FILE_DEPTH) return scanner.getTokenOffset();
    if (scanner.getPosition() === before) return undefined;
  }
}

function syntaxMessage({ error, offset, length }: ParseError, text: string): string {
  const found =
    offset >= text.length ? "the end of the file" : JSON.stringify(text.slice(offset, offset + Math.min(Math.max(length, 1), 20)));
  switch (printParseErrorCode(error)) {
    case "InvalidSymbol":
      return `Found ${found}; expected a value: text in double quotes, a number, true, false, null, { or [.`;
    case "InvalidNumberFormat":
      return `${found} is not a number.`;
    case "PropertyNameExpected":
      return `Expected a key in double quotes; found ${found}.`;
    case "ValueExpected":
      return `Expected a value; found ${found}.`;
    case "ColonExpected":
      return `Expected ":" after the key; found ${found}.`;
    case "CommaExpected":
      return `Expected "," before ${found}; the entry above has none after it.`;
    case "CloseBraceExpected":
      return `Expected "," or "}"; found ${found}.`;
    case "CloseBracketExpected":
      return `Expected "," or "]"; found ${found}.`;
    case "EndOfFileExpected":
      return `Expected the end of the file; found ${found}.`;
    case "UnexpectedEndOfComment":
      return 'A comment that starts with "/*" has no "*/".';
    case "UnexpectedEndOfString":
      return "A text has no closing double quote on its line.";
    case "InvalidUnicode":
    case "InvalidEscapeCharacter":
      return `${found} has a "\\" that starts no escape of JSON; write "\\\\" for a backslash.`;
    case "InvalidCharacter":
      return "A text holds a control character; write it as an escape such as \\n or \\t.";
    default:
      return `Unexpected ${found}.`;
  }
}
