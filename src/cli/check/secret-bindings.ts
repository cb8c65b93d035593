import { type HostPattern, hostPatternText, hostPortOf, isLoopbackHost, parseHostPattern } from "../../core/host-pattern.ts";
import type { Problem } from "../../core/problem.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { ScriptTool } from "../../engine/script-tool.ts";
import { type BindingFault, bindingFault } from "../../secrets/binding-fault.ts";
import { type SecretUse, secretPlaces, secretPlaceText } from "../../secrets/tool-secrets.ts";
import type { SecretEntry, Vault } from "../../secrets/vault.ts";
import type { AgentSecrets } from "../../workspace/settings-file.ts";
import { withFlag } from "../command-wording.ts";
import { callersOf, secretLabel, storedName } from "./missing-secrets.ts";

/** What the bindings are compared with. */
export interface BindingContext {
  readonly scriptTools: readonly ScriptTool[];
  /** Every agent of toolyard.json, also those without names of their own: where there are some, nobody else calls. */
  readonly agents: readonly AgentSecrets[];
  /** The secrets that a name may stand for here; those of the workspace first. */
  readonly stored: readonly SecretEntry[];
  /** Stands before the names of tools for callers, and so in findings. */
  readonly prefix: string;
  /** See `workspaceFlag`. */
  readonly flag: string;
}

/** The secrets a workspace sees: its own, then the global ones. `id` undefined: it has none itself. */
export function secretsSeen(vault: Pick<Vault, "list">, id: string | undefined): readonly SecretEntry[] {
  return [...(id === undefined ? [] : vault.list({ kind: "workspace", id })), ...vault.list({ kind: "global" })];
}

/**
 * A finding for each host and place of each tool where a stored secret may not go: such a request would be refused.
 * Secrets that are not stored are none of it. Names in tools.json are looked up as each agent has them.
 */
export function bindingProblems(context: BindingContext): readonly Problem[] {
  const found = context.scriptTools.flatMap((tool) => callersOf(context.agents).flatMap((agent) => toolProblems(tool, agent, context)));
  const seen = new Set<string>();
  return found.filter(({ tool, message }) => {
    const key = `${tool} ${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** A secret as it is used in the calls of one agent. */
interface Used {
  readonly label: string;
  readonly secret: SecretEntry;
  readonly hosts: readonly HostPattern[];
}

function toolProblems(tool: ScriptTool, agent: AgentSecrets | undefined, context: BindingContext): readonly Problem[] {
  const uses = secretPlaces(tool);
  const lookUp = (name: string): readonly Used[] => {
    const other = storedName(name, agent);
    const secret = context.stored.find((one) => one.name === other);
    if (secret === undefined) return [];
    return [
      {
        label: secretLabel(name, other, agent),
        secret,
        hosts: secret.binding.hosts.map((host) => parseHostPattern(host, { kind: "binding" })),
      },
    ];
  };
  // A tool without "allowedHosts" reaches what its secrets are bound to, all of them together.
  const reached = tool.allowedHosts ?? uses.flatMap(({ names }) => names.flatMap(lookUp).flatMap(({ hosts }) => hosts));
  const headerNames = tool.headers.flatMap(({ name, hosts }) => (hosts === undefined ? [name] : []));
  return uses.flatMap((use) =>
    use.names.flatMap(lookUp).flatMap((used) => {
      const faults =
        use.place.kind === "token-request" ? tokenFaults(use, use.place.tokenUrl, used) : hostFaults(use, { reached, headerNames }, used);
      return faults.map((fault) => problemOf(tool, { use, used, ...fault }, context));
    }),
  );
}

/** Something that does not fit, and the host as it is told and as `--host` takes it. */
interface Misfit {
  readonly fault: BindingFault;
  readonly host: string;
}

function tokenFaults(use: SecretUse, url: URL, { secret, hosts }: Used): readonly Misfit[] {
  const fault = bindingFault({ hosts, binding: secret.binding }, use, { url, method: "POST" });
  if (fault === undefined) return [];
  const shown = url.protocol === "http:" ? `http://${hostPortOf(url)}` : url.port === "" ? url.hostname : hostPortOf(url);
  return [{ fault, host: shown }];
}

/** Where requests of the tool go, and the headers that they all have. */
interface Requests {
  readonly reached: readonly HostPattern[];
  readonly headerNames: readonly string[];
}

function hostFaults(use: SecretUse, { reached, headerNames }: Requests, { secret, hosts }: Used): readonly Misfit[] {
  const { binding } = secret;
  const method = binding.methods?.[0] ?? "GET";
  const misfits = (use.hosts ?? reached).flatMap((pattern) => {
    const faults = sampleUrls(pattern, hosts).map((url) => bindingFault({ hosts, binding }, use, { url, method, headerNames }));
    // Some request to that host fits; which ones do is told when one does not.
    if (faults.includes(undefined)) return [];
    // The one that got furthest: a path that fits says more of what is wrong than one that does not, and so does a host.
    const ofHost = faults.filter((one) => one?.kind !== "host");
    const fault = ofHost.find((one) => one?.kind !== "path") ?? ofHost[0] ?? faults[0];
    return fault === undefined ? [] : [{ fault, host: hostToBind(pattern) }];
  });
  // Header and form are the same at every host, so once is enough.
  const [first] = misfits;
  return first !== undefined && first.fault.kind !== "host" && first.fault.kind !== "path" ? [first] : misfits;
}

/** Requests that a host rule stands for: each scheme that may carry a secret there, at each path that the secret is bound to. */
function sampleUrls(pattern: HostPattern, bound: readonly HostPattern[]): readonly URL[] {
  const host = pattern.isWildcard ? `${SAMPLE_LABEL}.${pattern.host}` : pattern.host;
  const schemes = pattern.scheme !== undefined ? [pattern.scheme] : isLoopbackHost(host) ? ["https", "http"] : ["https"];
  const paths = [...new Set(["", pattern.pathPrefix, ...bound.map(({ pathPrefix }) => pathPrefix)])];
  const port = pattern.port === undefined ? "" : `:${pattern.port}`;
  return schemes.flatMap((scheme) => paths.map((path) => new URL(`${scheme}://${host}${port}${path}/`)));
}

/** Stands for every label that `*.` may be; no binding names it. */
const SAMPLE_LABEL = "any-label-at-all";

function hostToBind(pattern: HostPattern): string {
  const text = hostPatternText(pattern);
  return pattern.scheme === undefined && isLoopbackHost(pattern.host) ? `http://${text}` : text;
}

function problemOf(
  { entry }: ScriptTool,
  { use, used, fault, host }: { readonly use: SecretUse; readonly used: Used } & Misfit,
  { flag, prefix }: BindingContext,
): Problem {
  const { label, secret } = used;
  const tool = prefix + entry.name;
  const place = secretPlaceText(use.place);
  return {
    code: "SECRET_BINDING",
    severity: "warning",
    place: entry.place,
    tool,
    message: `${tool}: ${place} would carry ${label} ${faultText(fault, host, secret)}; such requests are refused`,
    ...mendOf(fault, { host, secret, isToken: use.place.kind === "token-request" }, flag),
  };
}

function faultText(fault: BindingFault, host: string, { binding }: SecretEntry): string {
  switch (fault.kind) {
    case "host":
      return `to ${host}, and it is bound to ${binding.hosts.join(", ")}`;
    case "path":
      return `to a path of ${host} that lies outside of ${binding.hosts.join(", ")}`;
    case "header":
      return `and it may go only in the header ${binding.header}`;
    case "format":
      return `in another form than ${JSON.stringify(binding.format)}`;
    case "method":
      return `with ${fault.method}, and it may go only with ${(binding.methods ?? []).join(", ")}`;
    case "steered":
      return `beside the header "${fault.header}", by which many servers take another ${fault.part} than the one it is bound to`;
  }
}

function mendOf(
  fault: BindingFault,
  { host, secret, isToken }: { readonly host: string; readonly secret: SecretEntry; readonly isToken: boolean },
  flag: string,
): { readonly mend?: string } {
  if (fault.kind !== "host" && fault.kind !== "path") return {};
  const global = secret.scope.kind === "global" ? " --global" : "";
  const command = `toolyard secrets allow ${secret.name} --host ${shellWord(host)}${global}`;
  const allow = global === "" ? withFlag(command, flag) : command;
  return { mend: isToken ? allow : `${allow}   (or give it its own "hosts" in tools.json)` };
}
