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
const FROZEN = /^(?:Cannot (?:assign to read only|add|redefine|delete) property|Cannot define property)\b|object is not extensible/;

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
  const isFrozen = isolation === "tool" && innermost.isPackage && FROZEN.test(message);
  return {
    file: place.file,
    line: place.line,
    column: place.column,
    ...(innermost.isPackage && place !== innermost
      ? { thrownIn: { file: innermost.file, line: innermost.line, column: innermost.column } }
      : {}),
    ...(excerpt === undefined ? {} : { excerpt }),
    ...(isFrozen ? { hint: 'The package may not live in isolation "tool"; set "isolation": "call" for the tool in tools.json.' } : {}),
  };
}

function excerptOf(text: string, { file, line, column }: SourcePlace): string | undefined {
  const place = placeWithLines(file, text, line, column);
  // A script can make up a position; one behind the end of its file has no lines.
  const isThere = place.kind === "position" && (place.before !== undefined || place.sourceLine !== "");
  return isThere ? excerptText(place) : undefined;
}
