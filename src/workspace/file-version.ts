import type { JsonValue } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { below, problemAt, type Spot } from "./zod-problems.ts";

/** The finding for a file of a newer format; undefined for one that can be read. */
export function versionProblem(written: JsonValue | undefined, known: number, top: Spot): Problem | undefined {
  if (typeof written !== "number" || !Number.isInteger(written) || written <= known) return undefined;
  const message = `${top.document.file} has format version ${written}; this toolyard reads version ${known}.`;
  const mend = `Update toolyard to a release that reads version ${written}.`;
  return problemAt(below(top, "version"), { code: "FILE_VERSION", message, mend });
}
