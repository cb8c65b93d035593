/** From positions in a bundle to those of the files it was made of, by its source map. The map never leaves the server. */
import { SourceMap } from "node:module";
import { MODULE_NAMESPACE } from "./bundle-protocol.ts";
import { isPackagePath } from "./module-files.ts";

/** A position in a file of the workspace; line and column count from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The file belongs to a package of node_modules. */
  readonly isPackage: boolean;
}

/** Finds the place in the files for a line and column of the bundle; undefined for code that is in no file. */
export type PlaceMapper = (line: number, column: number) => SourcePlace | undefined;

/** A mapper that reads the map when it is first asked: most calls never fail. */
export function createPlaceMapper(mapJson: string): PlaceMapper {
  let map: SourceMap | undefined;
  return (line, column) => {
    map ??= new SourceMap(JSON.parse(mapJson));
    const entry = map.findEntry(line - 1, column - 1);
    if (!("originalSource" in entry)) return undefined;
    const { originalSource, originalLine, originalColumn } = entry;
    const prefix = `${MODULE_NAMESPACE}:`;
    if (typeof originalSource !== "string" || !originalSource.startsWith(prefix)) return undefined;
    const file = originalSource.slice(prefix.length);
    return { file, line: originalLine + 1, column: originalColumn + 1, isPackage: isPackagePath(file) };
  };
}
