/** Where in the author's files a script failed, and the lines around that place. */
import { excerptText } from "../core/problem.ts";
import { isPackagePath } from "./bundle/module-files.ts";
import type { SourcePlace } from "./bundle/source-places.ts";
import { placeWithLines } from "./position.ts";
import type { ScriptSource } from "./script-source.ts";

/** A position in the text that runs; line and column count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** A place in a file of the workspace. `thrownIn`: the error was made there, in a package that the file called. */
export interface FoundPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly thrownIn?: { readonly file: string; readonly line: number; readonly column: number };
  /** Three lines with their numbers, the one of the place marked. */
  readonly excerpt?: string;
  readonly hint?: string;
}

/** What V8 says of an attempt to change a frozen built-in object. */
const FROZEN = /^(?:Cannot (?:assign to read only|add|redefine|delete) property|Cannot define property)\b|\bis not extensible$/;

/** A built-in object, or its prototype, by the name that only it has; those of the web's that each call has anew are not frozen. */
const BUILT_IN = [
  "(?:Object|Function|Array|String|Number|Boolean|BigInt|Symbol|Date|RegExp|Promise|Proxy|Map|Set|WeakMap|WeakSet|Iterator",
  "|(?:Eval|Range|Reference|Syntax|Type|URI|Aggregate)?Error|(?:(?:Big)?(?:Uint|Int)|Float)\\d{1,2}(?:Clamped)?Array",
  "|ArrayBuffer|DataView|Math|JSON|Reflect|Intl)(?:\\.prototype)?",
].join("");
const PROPERTY = String.raw`(?:\.\w{1,100}|\[[^\]]{1,100}\])`;

/** Code that changes a built-in object, as it stands in a line: an assignment, a removal, or a call that does one of them. */
const CHANGE = new RegExp(
  String.raw`(?<![.\w$])(?:${BUILT_IN}${PROPERTY}\s*[^\s\w=]{0,3}=(?![=>])|delete\s+${BUILT_IN}${PROPERTY}|Object\.(?:definePropert(?:y|ies)|assign|setPrototypeOf)\(\s*${BUILT_IN}\s*,)`,
  "g",
);

/** The place of an error by its frames, the innermost first: the first in a file of the author's own, else the first in a package. */
export function locateFailure(
  { file, texts, mapPlace }: ScriptSource,
  { frames, message, isolation }: { readonly frames: readonly Position[]; readonly message: string; readonly isolation: "tool" | "call" },
): FoundPlace | undefined {
  const places = frames.flatMap(({ line, column }): readonly SourcePlace[] => {
    if (mapPlace === undefined) return [{ file, line, column, isPackage: false }];
    const found = mapPlace(line, column);
    return found === undefined ? [] : [found];
  });
  const innermost = places[0];
  const place = places.find(({ isPackage }) => !isPackage) ?? innermost;
  if (place === undefined || innermost === undefined) return undefined;
  const text = isPackagePath(place.file) ? undefined : texts.get(place.file);
  const excerpt = text === undefined ? undefined : excerptOf(text, place);
  const hint =
    openImportHint(message, innermost) ?? (isolation === "tool" && FROZEN.test(message) ? frozenHint(innermost, texts) : undefined);
  return {
    file: place.file,
    line: place.line,
    column: place.column,
    ...(innermost.isPackage && place !== innermost
      ? { thrownIn: { file: innermost.file, line: innermost.line, column: innermost.column } }
      : {}),
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** What to do where an import names its file only in the call. The message is the bundler's. */
function openImportHint(message: string, { isPackage }: SourcePlace): string | undefined {
  if (isPackage || !/^Dynamic require of ".*" is not supported$/s.test(message)) return undefined;
  return 'Scripts are put together before they run: import each file it can be with its path in quotes, as in import x from "./x.ts", and choose among them.';
}

/**
 * What to do where something frozen was to be changed. Code of the author's own may have frozen the object itself, or mean its
 * arguments, which are frozen in both isolations: it gets the hint only if a built-in object stands there by its name.
 */
function frozenHint(place: SourcePlace, texts: ReadonlyMap<string, string>): string | undefined {
  if (place.isPackage) return 'The package may not live in isolation "tool"; set "isolation": "call" for the tool in tools.json.';
  const text = texts.get(place.file);
  const found = text === undefined ? undefined : placeWithLines(place.file, text, place.line, place.column);
  if (found?.kind !== "position") return undefined;
  const at = place.column - 1;
  const isChange = [...found.sourceLine.matchAll(CHANGE)].some(({ 0: code, index }) => index <= at && at < index + code.length);
  if (!isChange) return undefined;
  return 'Built-in objects are frozen in isolation "tool": leave them as they are, or set "isolation": "call" for the tool in tools.json.';
}

function excerptOf(text: string, { file, line, column }: SourcePlace): string | undefined {
  const place = placeWithLines(file, text, line, column);
  // A script can make up a position; one behind the end of its file has no lines.
  const isThere = place.kind === "position" && (place.before !== undefined || place.sourceLine !== "");
  return isThere ? excerptText(place) : undefined;
}
