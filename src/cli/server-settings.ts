/** `settings.json` in toolyard's own folder: limits that the person who runs the server raises for all workspaces. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../core/errors.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import { defaultLimits, LIMITS, type LimitName, type Limits, limitNames } from "../core/limits.ts";
import { placeText } from "../core/problem.ts";
import { nearestName } from "../core/text.ts";
import { type JsonDocument, parseJsonDocument } from "../workspace/json-document.ts";
import { UsageError } from "./usage-error.ts";

/** Name of the file in TOOLYARD_HOME. */
const SETTINGS_NAME = "settings.json";

/** Keys that the file may have beside those that start with `x-`. */
const KNOWN_KEYS = ["version", "limits"];

/**
 * The server's limits: those of the table with what `home/settings.json` says, which may raise or lower each. Without the
 * file, those of the table. Throws {@link UsageError} with file, line and column for anything that does not fit.
 */
export function readServerLimits(home: string): Limits {
  const file = path.join(home, SETTINGS_NAME);
  const text = readIfThere(file);
  if (text === undefined) return defaultLimits();
  const parsed = parseJsonDocument(file, text);
  if (!parsed.ok) throw new UsageError(`${placeText(parsed.problem.place)} ${parsed.problem.message}`);
  const { document } = parsed;
  const fault = document.faults[0];
  if (fault !== undefined) throw new UsageError(`${placeText(fault.problem.place)} ${fault.problem.message}`);
  const { value } = document;
  if (!isJsonObject(value)) throw wrong(document, [], "expected an object with limits.");
  for (const key of Object.keys(value)) {
    if (!KNOWN_KEYS.includes(key) && !key.startsWith("x-"))
      throw wrong(document, [key], `"${key}" is not a key here; known are ${KNOWN_KEYS.join(", ")}.`, "key");
  }
  if (value.version !== undefined && value.version !== 1) throw wrong(document, ["version"], "this toolyard reads version 1; update it.");
  return limitsOf(document, value.limits ?? {});
}

function limitsOf(document: JsonDocument, written: JsonValue): Limits {
  if (!isJsonObject(written)) throw wrong(document, ["limits"], '"limits" is an object, such as { "queuedCalls": 200 }.');
  const limits: { [name in LimitName]: number } = { ...defaultLimits() };
  for (const [key, value] of Object.entries(written)) {
    const name = limitNames().find((known) => known === key);
    if (name === undefined) {
      const near = nearestName(key, limitNames());
      throw wrong(
        document,
        ["limits", key],
        `"${key}" is no limit${near === undefined ? "; docs/limits.md lists them." : `; did you mean "${near}"?`}`,
        "key",
      );
    }
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < LIMITS[name].min) {
      throw wrong(document, ["limits", key], `"${key}" is a whole number of ${LIMITS[name].unit}, at least ${LIMITS[name].min}.`);
    }
    limits[name] = value;
  }
  return Object.freeze(limits);
}

function wrong(document: JsonDocument, at: readonly string[], message: string, part: "key" | "value" = "value"): UsageError {
  return new UsageError(`${placeText(document.placeOf(at, part))} ${message}`);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new UsageError(`${file} cannot be read (${systemCode(error) ?? "unknown reason"}). Correct its rights, or remove it.`, {
      cause: error,
    });
  }
}
