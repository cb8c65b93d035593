/** Reads toolyard.json. Absent, every setting has its default; a file with an error is refused as a whole. */
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Problem } from "../core/problem.ts";
import { checkTemplates } from "./entry-checks.ts";
import { versionProblem } from "./file-version.ts";
import { parseJsonDocument } from "./json-document.ts";
import { capLimits, largestAllowed, layLimits } from "./limits-in-force.ts";
import { SETTINGS_FILE_VERSION, settingsFileSchema } from "./settings-schema.ts";
import { below, problemAt, problemsOf, type Spot, unknownKeys } from "./zod-problems.ts";

/** Name of the file. */
export const SETTINGS_FILE = "toolyard.json";

/** How scripts are kept apart where neither settings nor tool say. */
const DEFAULT_ISOLATION = "tool";

/** Settings in force. */
export interface Settings {
  readonly limits: Limits;
  readonly isolation: "tool" | "call";
  readonly network: {
    readonly enabled: boolean;
    readonly allowHttp: boolean;
    /** True: a tool without `allowedHosts` sends no requests. */
    readonly requireAllowedHosts: boolean;
    /** Longest time of one request, in milliseconds; absent: the rest of the call. */
    readonly requestTimeoutMs?: number;
  };
  /** Stands before the names of tools for clients; empty for none. */
  readonly prefix: string;
  /** False: arguments are never read as what their text stands for, whatever a tool says. */
  readonly repair: boolean;
  /** Names of the agents, in the order of the file; empty in a workspace without agents. */
  readonly agents: readonly string[];
  /** Limits of agents that have their own, in the order of the file. A list and no map: settings are compared as JSON text. */
  readonly agentLimits: readonly AgentLimits[];
  /** Agents for which a name in tools.json stands for another secret, in the order of the file. */
  readonly agentSecrets: readonly AgentSecrets[];
}

/** Which stored secret a name in tools.json stands for, in the calls of one agent. */
export interface AgentSecrets {
  readonly agent: string;
  /** Pairs of the name in tools.json and the name in the vault. */
  readonly names: readonly (readonly [string, string])[];
}

/** Limits that hold for the calls of one agent. */
export interface AgentLimits {
  readonly agent: string;
  readonly resultCharacters: number;
}

/** Usable settings with their warnings, or what stopped them. */
export type SettingsOutcome =
  | { readonly kind: "good"; readonly value: { readonly settings: Settings; readonly problems: readonly Problem[] } }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] };

/** Settings of a workspace without a toolyard.json. */
export function defaultSettings(base: Limits): Settings {
  return {
    limits: base,
    isolation: DEFAULT_ISOLATION,
    network: { enabled: true, allowHttp: true, requireAllowedHosts: false },
    prefix: "",
    repair: true,
    agents: [],
    agentLimits: [],
    agentSecrets: [],
  };
}

/** Reads the text of the file; `base` are the limits of the server. Never throws. */
export function parseSettingsFile(text: string, base: Limits): SettingsOutcome {
  const parsed = parseJsonDocument(SETTINGS_FILE, text);
  if (!parsed.ok) return { kind: "broken", problems: [parsed.problem] };
  const { document } = parsed;
  const top: Spot = { document, path: [] };
  const raw = isJsonObject(document.value) ? document.value : {};
  const version = versionProblem(raw.version, SETTINGS_FILE_VERSION, top);
  if (version !== undefined) return { kind: "broken", problems: [version] };
  const checked = settingsFileSchema.safeParse(document.value);
  const warnings = unknownKeys(settingsFileSchema, document.value, top);
  const faults = [...document.faults.map(({ problem }) => problem), ...checkTemplates(document.value, top)];
  if (!checked.success) return { kind: "broken", problems: [...faults, ...problemsOf(checked.error, top), ...warnings] };
  if (faults.length > 0) return { kind: "broken", problems: [...faults, ...warnings] };
  const { data } = checked;
  const own = capLimits(data.limits ?? {}, base, { spot: below(top, "limits") });
  const network = capLimits(data.network ?? {}, base, {
    spot: below(top, "network"),
    keys: {
      maxRequests: "requestsPerCall",
      maxRedirects: "redirects",
      maxRequestBytes: "requestBodyBytes",
      maxResponseBytes: "responseBodyBytes",
    },
  });
  const timeout = requestTimeout(data.network?.timeout, base, below(below(top, "network"), "timeout"));
  const agents = readAgents(raw.agents, base, below(top, "agents"));
  const settings: Settings = {
    limits: layLimits(base, own.limits, network.limits),
    isolation: data.sandbox?.isolation ?? DEFAULT_ISOLATION,
    network: {
      enabled: data.network?.enabled ?? true,
      allowHttp: data.network?.allowHttp ?? true,
      requireAllowedHosts: data.network?.requireAllowedHosts ?? false,
      ...timeout.value,
    },
    prefix: data.prefix ?? "",
    repair: data.repair ?? true,
    agents: agents.names,
    agentLimits: agents.limits,
    agentSecrets: agents.secrets,
  };
  const problems = [...own.problems, ...network.problems, ...timeout.problems, ...agents.problems, ...warnings];
  return { kind: "good", value: { settings, problems } };
}

function requestTimeout(
  seconds: number | undefined,
  base: Limits,
  spot: Spot,
): { readonly value: { readonly requestTimeoutMs?: number }; readonly problems: readonly Problem[] } {
  if (seconds === undefined) return { value: {}, problems: [] };
  const most = largestAllowed("callTimeoutMs", base);
  const writtenMs = Math.ceil(seconds * 1_000);
  if (writtenMs <= most) return { value: { requestTimeoutMs: writtenMs }, problems: [] };
  const message = `"network.timeout" is ${seconds} s; at most ${most / 1_000} s. ${most / 1_000} s is used.`;
  return { value: { requestTimeoutMs: most }, problems: [problemAt(spot, { code: "TIMEOUT_RANGE", severity: "warning", message })] };
}

/** Agents from both known shapes: a list of `agentId`, or an object with a list of `id`. In their order, each with its limits and secrets. */
function readAgents(
  agents: JsonValue | undefined,
  base: Limits,
  spot: Spot,
): {
  readonly names: readonly string[];
  readonly limits: readonly AgentLimits[];
  readonly secrets: readonly AgentSecrets[];
  readonly problems: readonly Problem[];
} {
  const isList = Array.isArray(agents);
  const list: JsonValue = isList ? agents : isJsonObject(agents) ? (agents.list ?? []) : [];
  const key = isList ? "agentId" : "id";
  const items: readonly JsonValue[] = Array.isArray(list) ? list : [];
  const names: string[] = [];
  const limits: AgentLimits[] = [];
  const secrets: AgentSecrets[] = [];
  const problems: Problem[] = [];
  for (const [index, item] of items.entries()) {
    const name = isJsonObject(item) ? textOf(item, key) : undefined;
    if (!isJsonObject(item) || name === undefined) continue;
    const place: Spot = { ...spot, path: [...spot.path, ...(isList ? [] : ["list"]), index] };
    if (names.includes(name)) {
      const message = `An agent named "${name}" stands here twice; the first one counts.`;
      problems.push(problemAt(below(place, key), { code: "DUPLICATE_NAME", severity: "warning", message }));
      continue;
    }
    const own = capLimits(isJsonObject(item.limits) ? item.limits : {}, base, {
      spot: below(place, "limits"),
      keys: { resultCharacters: "resultCharacters" },
    });
    names.push(name);
    const { resultCharacters } = own.limits;
    if (resultCharacters !== undefined) limits.push({ agent: name, resultCharacters });
    const pairs = secretPairs(item.secrets);
    if (pairs.length > 0) secrets.push({ agent: name, names: pairs });
    problems.push(...own.problems);
  }
  return { names, limits, secrets, problems };
}

function secretPairs(written: JsonValue | undefined): AgentSecrets["names"] {
  if (!isJsonObject(written)) return [];
  return Object.entries(written).flatMap(([name, stored]) => (typeof stored === "string" ? [[name, stored] as const] : []));
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}
