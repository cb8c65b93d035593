import { ToolError } from "../core/errors.ts";
import { type HostPattern, hostPatternText, hostPortOf, parseHostPattern } from "../core/host-pattern.ts";
import type { Place } from "../core/problem.ts";
import type { Listing, ToolStatus } from "../core/tool.ts";
import { type EgressPolicy, needsTrust } from "../egress/target.ts";
import { globalSecretValue, type TrustEntry, type TrustView } from "../policy/trust-store.ts";
import { bindingText } from "../secrets/binding.ts";
import { type CallSecrets, resolveCallSecrets, type UsedSecret, type WorkspaceStanding } from "../secrets/call-secrets.ts";
import type { TokenSource } from "../secrets/oauth-grant.ts";
import { secretNames, type ToolTemplates } from "../secrets/tool-secrets.ts";
import type { SecretEntry, Vault } from "../secrets/vault.ts";
import type { AgentSecrets } from "../workspace/settings-file.ts";
import type { ScriptTool } from "./script-tool.ts";

/**
 * What a workspace may do beyond itself: which secrets its tools get and which private hosts they reach. A workspace can
 * only narrow; whatever widens needs what a person stored or trusted, in toolyard's own folder.
 */
export interface WorkspaceGuard {
  /** The secrets of a call by this agent. Throws `ToolError` SECRET_MISSING, NOT_TRUSTED, and what the vault throws. */
  resolveSecrets(tool: ScriptTool, agent: string): Promise<CallSecrets>;
  egressPolicy(tool: ScriptTool, secrets: CallSecrets): EgressPolicy;
  /** Vault and identity are read at most once per listing. */
  status(tool: ScriptTool, listing: Listing): ToolStatus;
  /** All that tools ask for and a person has to decide on, trusted or not. Throws what the vault throws. */
  asks(tools: readonly ScriptTool[]): readonly Ask[];
}

/** One thing a tool asks for beyond what a workspace may have by itself. */
export interface Ask {
  readonly entry: TrustEntry;
  readonly isTrusted: boolean;
  readonly place: Place;
  /** What it means, such as `reach 192.168.1.20:8080` or `send GITHUB_TOKEN to api.github.com`. */
  readonly about: string;
}

/** What is recorded of a folder, with the id that it is recorded by, read together: both may change at any moment. */
export interface FolderTrust {
  readonly trust: TrustView;
  /** Undefined for a folder that has none, which is known nowhere then. */
  readonly workspaceId: string | undefined;
}

/** What the guard asks. */
export interface GuardParts {
  readonly vault: Pick<Vault, "list" | "resolve">;
  readonly trust: () => FolderTrust;
  /** Names that stand for other secrets in the calls of an agent, as toolyard.json says now. Default none. */
  readonly agentSecrets?: () => readonly AgentSecrets[];
  /** Default: tools with `auth` fail with UNAVAILABLE. */
  readonly tokens?: TokenSource;
  /** Told of the secrets of each request that goes out with some. */
  readonly used?: (secrets: readonly UsedSecret[]) => void;
}

/** Makes the guard of one workspace. */
export function createWorkspaceGuard({ vault, trust, agentSecrets = () => [], tokens, used }: GuardParts): WorkspaceGuard {
  const standing = (): WorkspaceStanding => {
    const here = trust();
    const state = here.trust.state();
    if (state === "moved") return { kind: "moved" };
    return state === "new" || here.workspaceId === undefined ? { kind: "new" } : { kind: "known", id: here.workspaceId };
  };
  const isTrusted = (entry: TrustEntry): boolean => trust().trust.has(entry);
  const readFacts = (): AskFacts => {
    const here = once(standing);
    return {
      standing: here,
      own: once(() => ownSecrets(vault, here())),
      global: once(() => vault.list({ kind: "global" })),
      isTrusted,
      agents: agentSecrets(),
    };
  };
  const byListing = new WeakMap<Listing, AskFacts>();
  const factsFor = (listing: Listing): AskFacts => {
    const facts = byListing.get(listing) ?? readFacts();
    byListing.set(listing, facts);
    return facts;
  };
  return {
    resolveSecrets: (tool, agent) =>
      resolveCallSecrets(
        { ...templatesOf(tool), tool: tool.entry.name, hostsToShow: tool.entry.allowedHosts ?? [] },
        {
          vault,
          // Costs file system calls, and only secrets depend on it.
          workspace: secretNames(tool).length === 0 ? { kind: "new" } : standing(),
          trustedGlobal: (name, binding) =>
            trust().trust.trustedAtMs({ kind: "global-secret", tool: tool.entry.name, value: globalSecretValue(name, binding.hosts) }),
          trustedHost: (value) => isTrusted({ kind: "private-host", tool: tool.entry.name, value }),
          agent: { agent, stored: storedNames(agentSecrets(), agent) },
          ...(tokens === undefined ? {} : { tokens }),
          ...(used === undefined ? {} : { used }),
        },
      ),
    egressPolicy: (tool, secrets) => {
      const trusted = (hostPort: string): boolean =>
        secrets.trustsHost(hostPort) || isTrusted({ kind: "private-host", tool: tool.entry.name, value: hostPort });
      const base = { toolName: tool.entry.name, trusted };
      if (tool.allowedHosts !== undefined) return { ...base, allowedHosts: tool.allowedHosts };
      return secrets.boundHosts === undefined ? base : { ...base, allowedHosts: secrets.boundHosts, allowedBy: "secrets" };
    },
    status: (tool, listing) => statusOf(tool, factsFor(listing), listing.agent),
    asks: (tools) => {
      const facts = readFacts();
      return tools.flatMap((tool) => asksOf(tool, facts));
    },
  };
}

/** What is stored, read when first asked for: most tools have neither secrets nor private hosts. */
interface AskFacts {
  readonly standing: () => WorkspaceStanding;
  /** Secrets of this workspace itself. */
  readonly own: () => readonly SecretEntry[];
  readonly global: () => readonly SecretEntry[];
  readonly isTrusted: (entry: TrustEntry) => boolean;
  readonly agents: readonly AgentSecrets[];
}

/** The function, run once; what it throws is thrown again each time. */
function once<T>(read: () => T): () => T {
  let outcome: (() => T) | undefined;
  return () => {
    outcome ??= settled(read);
    return outcome();
  };
}

function settled<T>(read: () => T): () => T {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** What the tool asks for in the calls of one agent; without one, of any. */
function asksOf(tool: ScriptTool, facts: AskFacts, agent?: string): readonly Ask[] {
  const wanted = wantedSecrets(tool, facts.agents, agent);
  return [...hostAsks(tool, wanted, facts), ...globalAsks(tool, wanted, facts)];
}

/** A secret that a tool needs: its name in the vault, and how it is told. */
interface WantedSecret {
  readonly name: string;
  readonly label: string;
}

/** Each once by its name in the vault. Without an agent those of every agent, and those of callers that are none of them. */
function wantedSecrets(tool: ScriptTool, agents: readonly AgentSecrets[], agent: string | undefined): readonly WantedSecret[] {
  const names = secretNames(tool);
  const plain = names.map((name) => ({ name, label: name }));
  const concerned = agents.filter((one) => agent === undefined || one.agent === agent);
  const mapped = concerned.flatMap((one) => {
    const stored = storedNames(agents, one.agent);
    return names.flatMap((name) => {
      const other = stored.get(name) ?? name;
      return other === name ? [] : [{ own: name, name: other, label: `${other} (${name} for agent ${one.agent})` }];
    });
  });
  const replaced = agent === undefined ? [] : mapped.map(({ own }) => own);
  const all = [...plain.filter(({ name }) => !replaced.includes(name)), ...mapped];
  const byName = new Map<string, WantedSecret>();
  for (const { name, label } of all) if (!byName.has(name)) byName.set(name, { name, label });
  return [...byName.values()];
}

function storedNames(agents: readonly AgentSecrets[], agent: string): ReadonlyMap<string, string> {
  return new Map(agents.find((one) => one.agent === agent)?.names ?? []);
}

function templatesOf({ headers, query, auth }: ScriptTool): ToolTemplates {
  return { headers, query, ...(auth === undefined ? {} : { auth }) };
}

function hostAsks(tool: ScriptTool, wanted: readonly WantedSecret[], { own, isTrusted }: AskFacts): readonly Ask[] {
  const { entry, allowedHosts = [], auth } = tool;
  // The issuer of a token is asked by toolyard itself, so it stands in no list of hosts.
  const issuer = auth === undefined ? [] : [parseHostPattern(hostPortOf(auth.tokenUrl), { kind: "allowed" })];
  const asked = [...allowedHosts, ...issuer].filter(needsTrust);
  if (asked.length === 0) return [];
  const names = wanted.map(({ name }) => name);
  // Whoever bound a secret of this tool to exactly this host, in this workspace, has decided already.
  const bound = (names.length === 0 ? [] : own())
    .filter((secret) => names.includes(secret.name))
    .flatMap((secret) => secret.binding.hosts.map((host) => hostPortText(parseHostPattern(host, { kind: "binding" }))));
  return asked.map((pattern) => {
    const value = hostPortText(pattern);
    const trusted: TrustEntry = { kind: "private-host", tool: entry.name, value };
    return {
      entry: trusted,
      isTrusted: bound.includes(value) || isTrusted(trusted),
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
function globalAsks(tool: ScriptTool, wanted: readonly WantedSecret[], { own, global, isTrusted }: AskFacts): readonly Ask[] {
  if (wanted.length === 0) return [];
  const ownNames = own().map((secret) => secret.name);
  return global().flatMap(({ name, binding }) => {
    const secret = wanted.find((one) => one.name === name);
    if (secret === undefined || ownNames.includes(name)) return [];
    const entry: TrustEntry = { kind: "global-secret", tool: tool.entry.name, value: globalSecretValue(name, binding.hosts) };
    const about = `send ${secret.label}, stored for all workspaces, to ${bindingText(binding)}`;
    return [{ entry, isTrusted: isTrusted(entry), place: tool.entry.place, about }];
  });
}

function ownSecrets(vault: Pick<Vault, "list">, standing: WorkspaceStanding): readonly SecretEntry[] {
  return standing.kind === "known" ? vault.list({ kind: "workspace", id: standing.id }) : [];
}

/** Said before what is not stored: storing is refused until the folder has been looked at. */
const MOVED =
  "Off until a person runs toolyard trust: this folder is not the one its secrets were stored for; it moved, was copied, or another one was put at its path.";

function statusOf(tool: ScriptTool, facts: AskFacts, agent: string | undefined): ToolStatus {
  try {
    // For nobody in particular: as a caller who is no agent of the file would find it.
    const names = wantedSecrets(tool, facts.agents, agent ?? "").map(({ name }) => name);
    if (names.length > 0 && facts.standing().kind === "moved") return { kind: "limited", reason: MOVED };
    const stored = names.length === 0 ? [] : [...facts.own(), ...facts.global()].map(({ name }) => name);
    const missing = names.filter((name) => !stored.includes(name));
    if (missing.length > 0) return { kind: "needs-secret", missing };
    const open = asksOf(tool, facts, agent ?? "").filter((ask) => !ask.isTrusted);
    if (open.length === 0) return { kind: "ready" };
    return { kind: "limited", reason: `Off until a person runs toolyard trust: ${open.map((ask) => ask.about).join("; ")}.` };
  } catch (error) {
    // A vault that cannot be read, or a folder that is gone, limits the tools that need it; it must not take the list away.
    if (error instanceof ToolError && error.code === "WORKSPACE_BROKEN") return { kind: "limited", reason: error.message };
    if (error instanceof ToolError) return { kind: "limited", reason: `The vault cannot be read (${error.code}). Run toolyard doctor.` };
    throw error;
  }
}
