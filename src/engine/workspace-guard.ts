import { ToolError } from "../core/errors.ts";
import { type HostPattern, hostPatternText, parseHostPattern } from "../core/host-pattern.ts";
import type { Place } from "../core/problem.ts";
import type { ToolStatus } from "../core/tool.ts";
import { type EgressPolicy, needsTrust } from "../egress/target.ts";
import { globalSecretValue, type Trust, type TrustEntry } from "../policy/trust-store.ts";
import { bindingText } from "../secrets/binding.ts";
import { type CallSecrets, resolveCallSecrets, type WorkspaceStanding } from "../secrets/call-secrets.ts";
import type { Vault } from "../secrets/vault.ts";
import type { ScriptTool } from "./script-tool.ts";

/**
 * What a workspace may do beyond itself: which secrets its tools get and which private hosts they reach. A workspace can
 * only narrow; whatever widens needs what a person stored or trusted, in toolyard's own folder.
 */
export interface WorkspaceGuard {
  /** Throws `ToolError` SECRET_MISSING, NOT_TRUSTED, and what the vault throws. */
  resolveSecrets(tool: ScriptTool): Promise<CallSecrets>;
  egressPolicy(tool: ScriptTool, secrets: CallSecrets): EgressPolicy;
  status(tool: ScriptTool): ToolStatus;
  /** All that a tool asks for and a person has to decide on, trusted or not. */
  asks(tool: ScriptTool): readonly Ask[];
}

/** One thing a tool asks for beyond what a workspace may have by itself. */
export interface Ask {
  readonly entry: TrustEntry;
  readonly isTrusted: boolean;
  readonly place: Place;
  /** What it means, such as `reach 192.168.1.20:8080` or `send GITHUB_TOKEN to api.github.com`. */
  readonly about: string;
}

/** What the guard asks. `trust` is undefined for a folder nobody has served or trusted yet: nothing is trusted then. */
export interface GuardParts {
  readonly vault: Vault;
  readonly trust: () => { readonly trust: Trust; readonly workspaceId: string } | undefined;
}

/** Makes the guard of one workspace. */
export function createWorkspaceGuard({ vault, trust }: GuardParts): WorkspaceGuard {
  const standing = (): WorkspaceStanding => {
    const known = trust();
    if (known === undefined) return { kind: "new" };
    const state = known.trust.state();
    return state === "known" ? { kind: "known", id: known.workspaceId } : { kind: state };
  };
  const isTrusted = (entry: TrustEntry): boolean => trust()?.trust.has(entry) ?? false;
  const asks = (tool: ScriptTool): readonly Ask[] => {
    const facts = { vault, standing: standing(), isTrusted };
    return [...hostAsks(tool, facts), ...globalAsks(tool, facts)];
  };
  return {
    resolveSecrets: (tool) =>
      resolveCallSecrets(
        { tool: tool.entry.name, headers: tool.headers, hostsToShow: tool.entry.allowedHosts ?? [] },
        {
          vault,
          workspace: standing(),
          trustedGlobal: (name, binding) =>
            trust()?.trust.trustedAtMs({ kind: "global-secret", tool: tool.entry.name, value: globalSecretValue(name, binding.hosts) }),
        },
      ),
    egressPolicy: (tool, secrets) => {
      const trusted = (hostPort: string): boolean =>
        secrets.trustsHost(hostPort) || isTrusted({ kind: "private-host", tool: tool.entry.name, value: hostPort });
      const base = { toolName: tool.entry.name, trusted };
      if (tool.allowedHosts !== undefined) return { ...base, allowedHosts: tool.allowedHosts };
      return secrets.boundHosts === undefined ? base : { ...base, allowedHosts: secrets.boundHosts, allowedBy: "secrets" };
    },
    status: (tool) => statusOf(tool, { vault, standing: standing(), asks }),
    asks,
  };
}

interface AskFacts {
  readonly vault: Vault;
  readonly standing: WorkspaceStanding;
  readonly isTrusted: (entry: TrustEntry) => boolean;
}

function hostAsks(tool: ScriptTool, { vault, standing, isTrusted }: AskFacts): readonly Ask[] {
  const { entry, allowedHosts = [] } = tool;
  const asked = allowedHosts.filter(needsTrust);
  if (asked.length === 0) return [];
  const names = secretNames(tool);
  // Whoever bound a secret of this tool to exactly this host, in this workspace, has decided already.
  const bound = ownSecrets(vault, standing)
    .filter((secret) => names.includes(secret.name))
    .flatMap((secret) => secret.binding.hosts.map((host) => hostPortText(parseHostPattern(host, { kind: "binding" }))));
  return asked.map((pattern) => {
    const value = hostPortText(pattern);
    const wanted: TrustEntry = { kind: "private-host", tool: entry.name, value };
    return {
      entry: wanted,
      isTrusted: bound.includes(value) || isTrusted(wanted),
      place: entry.place,
      about: `reach ${hostPatternText(pattern)}`,
    };
  });
}

/** In the form of `hostPortOf`; a pattern that needs trust always has its port. */
function hostPortText({ host, port }: HostPattern): string {
  return `${host}:${port ?? 443}`;
}

/** A global secret is asked for where this workspace has none of that name itself. */
function globalAsks(tool: ScriptTool, { vault, standing, isTrusted }: AskFacts): readonly Ask[] {
  const names = secretNames(tool);
  if (names.length === 0) return [];
  const own = ownSecrets(vault, standing).map((secret) => secret.name);
  const global = vault.list({ kind: "global" }).filter(({ name }) => names.includes(name) && !own.includes(name));
  return global.map(({ name, binding }) => {
    const wanted: TrustEntry = { kind: "global-secret", tool: tool.entry.name, value: globalSecretValue(name, binding.hosts) };
    const about = `send ${name}, stored for all workspaces, to ${bindingText(binding)}`;
    return { entry: wanted, isTrusted: isTrusted(wanted), place: tool.entry.place, about };
  });
}

function ownSecrets(vault: Vault, standing: WorkspaceStanding): ReturnType<Vault["list"]> {
  return standing.kind === "known" ? vault.list({ kind: "workspace", id: standing.id }) : [];
}

function secretNames({ headers }: ScriptTool): readonly string[] {
  return [...new Set(headers.flatMap((header) => header.template.names))];
}

function statusOf(
  tool: ScriptTool,
  { vault, standing, asks }: Pick<AskFacts, "vault" | "standing"> & { readonly asks: WorkspaceGuard["asks"] },
): ToolStatus {
  try {
    const names = secretNames(tool);
    const stored = names.length === 0 ? [] : [...ownSecrets(vault, standing), ...vault.list({ kind: "global" })].map(({ name }) => name);
    const missing = names.filter((name) => !stored.includes(name));
    if (missing.length > 0) return { kind: "needs-secret", missing };
    const open = asks(tool).filter((ask) => !ask.isTrusted);
    if (open.length === 0) return { kind: "ready" };
    return { kind: "limited", reason: `Off until a person runs toolyard trust: ${open.map((ask) => ask.about).join("; ")}.` };
  } catch (error) {
    // A vault that cannot be read limits the tools that need it; it must not take the list away.
    if (error instanceof ToolError) return { kind: "limited", reason: `The vault cannot be read (${error.code}). Run toolyard doctor.` };
    throw error;
  }
}
