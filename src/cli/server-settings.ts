/**
 * `settings.json` in toolyard's own folder: what the person who runs the server decides for all workspaces. Who edits a
 * workspace cannot write here, so nothing in it waits for trust.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { defaultLimits, LIMITS, type LimitName, type Limits, limitNames } from "../core/limits.ts";
import { placeText } from "../core/problem.ts";
import { nearestName } from "../core/text.ts";
import { type JsonDocument, parseJsonDocument } from "../workspace/json-document.ts";
import { UsageError } from "./usage-error.ts";

/** Name of the file in TOOLYARD_HOME. */
const SETTINGS_NAME = "settings.json";

/** Keys that the file may have beside those that start with `x-`. */
const KNOWN_KEYS = ["version", "limits", "network"];

const KNOWN_NETWORK_KEYS = ["requireAllowedHosts", "proxy"];

/** Settings in force for every workspace; absent ones are off. */
export interface ServerSettings {
  /** Those of the table with what the file says, which may raise or lower each. */
  readonly limits: Limits;
  /** True: tools without `allowedHosts` send no requests, whatever their workspace says. */
  readonly requireAllowedHosts?: boolean;
  /** Proxy for the requests of scripts, such as `http://proxy:3128`. May hold a name and a password. */
  readonly proxy?: string;
}

/**
 * Reads `home/settings.json`. Without it, limits are those of the table and nothing else is set. Throws
 * {@link UsageError} with file, line and column for anything that does not fit.
 */
export function readServerSettings(home: string): ServerSettings {
  const file = path.join(home, SETTINGS_NAME);
  const text = readIfThere(file);
  if (text === undefined) return { limits: defaultLimits() };
  const parsed = parseJsonDocument(file, text);
  if (!parsed.ok) throw new UsageError(`${placeText(parsed.problem.place)} ${parsed.problem.message}`);
  const { document } = parsed;
  const fault = document.faults[0];
  if (fault !== undefined) throw new UsageError(`${placeText(fault.problem.place)} ${fault.problem.message}`);
  const { value } = document;
  if (!isJsonObject(value)) throw wrong(document, [], "expected an object with limits.");
  refuseUnknownKeys(document, [], value, KNOWN_KEYS);
  if (value.version !== undefined && value.version !== 1) throw wrong(document, ["version"], "this toolyard reads version 1; update it.");
  return { limits: limitsOf(document, value.limits ?? {}), ...networkOf(document, value.network ?? {}) };
}

function refuseUnknownKeys(document: JsonDocument, at: readonly string[], object: JsonObject, known: readonly string[]): void {
  for (const key of Object.keys(object)) {
    if (!known.includes(key) && !key.startsWith("x-"))
      throw wrong(document, [...at, key], `"${key}" is not a key here; known are ${known.join(", ")}.`, "key");
  }
}

function networkOf(document: JsonDocument, written: JsonValue): Omit<ServerSettings, "limits"> {
  if (!isJsonObject(written)) throw wrong(document, ["network"], '"network" is an object, such as { "requireAllowedHosts": true }.');
  refuseUnknownKeys(document, ["network"], written, KNOWN_NETWORK_KEYS);
  const { requireAllowedHosts, proxy } = written;
  if (requireAllowedHosts !== undefined && typeof requireAllowedHosts !== "boolean")
    throw wrong(document, ["network", "requireAllowedHosts"], '"requireAllowedHosts" is true or false.');
  if (proxy !== undefined && !isProxy(proxy))
    // What was found is not repeated: it may hold a password.
    throw wrong(document, ["network", "proxy"], '"proxy" is the address of an HTTP proxy and nothing more, such as "http://proxy:3128".');
  return { ...(requireAllowedHosts === undefined ? {} : { requireAllowedHosts }), ...(proxy === undefined ? {} : { proxy }) };
}

function isProxy(value: JsonValue): value is string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && url.protocol === "http:" && url.pathname === "/" && url.search === "" && url.hash === "";
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
