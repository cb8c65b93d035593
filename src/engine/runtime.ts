/**
 * Everything a running toolyard is made of, opened and closed together: workspace, vault, trust, way out, sandbox, engine.
 * The command line opens one per process; tests open as many as they like. Nothing here is shared between two.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { loadCapabilities } from "../capabilities/index.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Problem } from "../core/problem.ts";
import type { Dial, Lookup } from "../egress/connector.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import type { PolicySettings } from "../policy/policy.ts";
import { openPathTrust, openTrust, type TrustView } from "../policy/trust-store.ts";
import { ResultStore } from "../results/result-store.ts";
import type { SandboxStatus } from "../sandbox/sandbox.ts";
import type { UsedSecret } from "../secrets/call-secrets.ts";
import type { KeyConfig } from "../secrets/key-source.ts";
import { type TokenSource, tokenRequestText } from "../secrets/oauth-grant.ts";
import { type SecretVault, withSecretFolder } from "../secrets/secret-folder.ts";
import { openVault } from "../secrets/vault.ts";
import { metaTools } from "../tools/index.ts";
import { SETTINGS_FILE, type Settings } from "../workspace/settings-file.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";
import { Workspace } from "../workspace/workspace.ts";
import { existingIdentity, identitySignature, workspaceIdentity } from "../workspace/workspace-identity.ts";
import { createBundleTrial } from "./bundle-trial.ts";
import { createCodeSource } from "./code-source.ts";
import { createEngine, type Engine } from "./engine.ts";
import { createHostCallTable } from "./host-calls.ts";
import { createOfferSource } from "./offers.ts";
import { createQuestions } from "./questions.ts";
import type { RecordSink } from "./record.ts";
import { SandboxHolder } from "./sandbox-holder.ts";
import type { ScriptTool } from "./script-tool.ts";
import { createTokenCache } from "./token-cache.ts";
import { type Ask, createWorkspaceGuard, type FolderTrust, type WorkspaceGuard } from "./workspace-guard.ts";
import { createWorkspaceSource } from "./workspace-source.ts";

/** Name of the folder for kept results. */
const RESULTS_FOLDER = "results";

/** What a runtime is opened with. */
export interface RuntimeOptions {
  /** Folder of the workspace. */
  readonly root: string;
  /** Toolyard's own folder: vault, trust, tokens. */
  readonly home: string;
  readonly key: KeyConfig;
  /** Look for changes by polling. */
  readonly poll: boolean;
  readonly log: Log;
  /** Start the sandbox now; otherwise the first call does. */
  readonly warmUp: boolean;
  /** False: changes are noticed at calls and lists only. Default true. */
  readonly watch?: boolean;
  /** Limits of the server, which the workspace may lower. Default: those of the table. */
  readonly limits?: Limits;
  /** Default: one log line per call. */
  readonly record?: RecordSink;
  /** For tests that stand in for other people's servers. */
  readonly network?: { readonly lookup?: Lookup; readonly dial?: Dial };
  /** Milliseconds since 1970, by which kept results and tokens end. For tests. */
  readonly now?: () => number;
  /** Folder with one file per secret, whose values win over those of the vault. Absent: none. */
  readonly secretsDir?: string;
  /** True: a tool without `allowedHosts` sends no requests, whatever the workspace says. Default false. */
  readonly requireAllowedHosts?: boolean;
  /** Proxy for requests to public hosts, such as `http://proxy:3128`; only the person who runs the server names one. A whole URL, checked by whoever reads it. Absent: none. */
  readonly proxy?: string;
  /** Told of the secrets of each request that goes out with some. */
  readonly secretUsed?: (secrets: readonly UsedSecret[]) => void;
}

/** A running toolyard without any transport. */
export interface Runtime extends AsyncDisposable {
  readonly engine: Engine;
  readonly workspace: Workspace;
  /** Limits in force now. */
  limits(): Limits;
  /** What is recorded of this folder. Throws `ToolError` WORKSPACE_BROKEN while it is gone, and as `Trust`. */
  trust(): TrustView;
  /** Its tools with all that their entries say, for checks. */
  scriptTools(): readonly ScriptTool[];
  /** All that the workspace asks for beyond what it may have by itself. */
  asks(): readonly Ask[];
  sandboxStatus(): Promise<SandboxStatus | undefined>;
}

/** Opens a runtime. A broken workspace is no error: it has no tools but its meta tools then, and says why. */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { root, home, log } = options;
  const { poll, watch = true, limits: serverLimits = defaultLimits() } = options;
  const stored = openVault({ home, config: options.key, workspaceRoot: root });
  // Before anything is opened that would have to be closed again: a folder that cannot be used is refused here.
  const vault = options.secretsDir === undefined ? stored : withSecretFolder(stored, { dir: options.secretsDir, workspaceRoot: root });
  const egress = createEgress({ log, ...(options.proxy === undefined ? {} : { proxy: new URL(options.proxy) }), ...options.network });
  const capabilities = loadCapabilities();
  // Bundles of scripts may be tried in the sandbox before the first settings were read.
  let opened: Workspace | undefined;
  const limits = (): Limits => opened?.current().settings.limits ?? serverLimits;
  const sandbox = new SandboxHolder({ capabilities, limits, log });
  const workspace = await Workspace.open({
    ...{ root, poll, watch, log, limits: serverLimits },
    cacheFolder: join(home, "cache"),
    trial: createBundleTrial(sandbox),
  });
  opened = workspace;
  const known = createTrustFinder(root, home);
  const guard = createGuard(options, { vault, egress, known, settings: () => workspace.current().settings });
  const source = createWorkspaceSource(workspace, {
    sandbox,
    hostCalls: createHostCallTable(capabilities),
    egress,
    guard,
    settings: () => workspace.current().settings,
    questions: createQuestions(log),
    requireAllowedHosts: options.requireAllowedHosts ?? false,
  });
  const results = new ResultStore({
    folders: (purpose) => resultFolders(root, home, purpose),
    limits,
    log,
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  // What a server that ended left behind must not lie there longer than was said.
  await results.sweep();
  const engine = createEngine({
    sources: [createCodeSource("meta", "meta", metaTools), source],
    offers: createOfferSource(workspace),
    policy: createPolicySource(() => workspace.current(), known().trust.hadAgents()),
    log,
    results,
    agentCharacters: (agent) => workspace.current().settings.agentLimits.find((one) => one.agent === agent)?.resultCharacters,
    ...(options.record === undefined ? {} : { record: options.record }),
  });
  if (options.warmUp) sandbox.warmUp();
  return {
    engine,
    workspace,
    limits,
    trust: () => known().trust,
    scriptTools: () => source.scriptTools(),
    asks: () => guard.asks(source.scriptTools()),
    sandboxStatus: () => sandbox.status(),
    async [Symbol.asyncDispose]() {
      results[Symbol.dispose]();
      await Promise.all([sandbox[Symbol.asyncDispose](), workspace[Symbol.asyncDispose]()]);
      await egress[Symbol.asyncDispose]();
      stored[Symbol.dispose]();
    },
  };
}

/**
 * Folders for kept results: in the workspace's own folder, and in toolyard's where that cannot be written. Looking for some
 * gives no folder an identity, and so leaves nothing behind.
 */
function resultFolders(root: string, home: string, purpose: "read" | "write"): readonly string[] {
  const identity = purpose === "write" ? workspaceIdentity(root) : existingIdentity(root);
  if (identity === undefined) return [];
  const inHome = join(home, "workspaces", identity.id, RESULTS_FOLDER);
  return identity.dir === undefined ? [inHome] : [join(identity.dir, RESULTS_FOLDER), inHome];
}

interface GuardMeans {
  readonly vault: SecretVault;
  readonly egress: Egress;
  readonly known: () => FolderTrust;
  readonly settings: () => Settings;
}

function createGuard({ secretUsed, now }: RuntimeOptions, { vault, egress, known, settings }: GuardMeans): WorkspaceGuard {
  return createWorkspaceGuard({
    ...{ vault, trust: known },
    tokens: createTokenSource(egress, now),
    agentSecrets: () => settings().agentSecrets,
    ...(secretUsed === undefined ? {} : { used: secretUsed }),
  });
}

/** Tokens of tools with `auth`; a token request may reach what the client's secrets are bound to, and nothing else. */
function createTokenSource(egress: Egress, now: (() => number) | undefined): TokenSource {
  return createTokenCache({
    request: (grant, signal) => {
      const policy = { toolName: grant.tool, allowedHosts: grant.boundHosts, allowedBy: "secrets" as const, trusted: grant.trusted };
      return egress.requestToken({ url: grant.tokenUrl, policy, ...tokenRequestText(grant) }, signal);
    },
    ...(now === undefined ? {} : { now }),
  });
}

/** Agents as defined now, and whether there ever were any: recorded before this start, or seen since. */
function createPolicySource(current: () => WorkspaceSnapshot, recorded: boolean): () => PolicySettings {
  let hadAgents = recorded;
  return () => {
    const { settings, state, problems } = current();
    hadAgents ||= settings.agents.length > 0;
    const isUnread = ({ severity, place }: Problem): boolean =>
      severity === "error" && place.kind !== "none" && place.file === SETTINGS_FILE;
    return { agents: settings.agents, hadAgents, areUnknown: state === "empty" && problems.some(isUnread) };
  };
}

/**
 * The trust of the folder as it is now: `secrets set` in another process may give it an identity while we serve, and
 * another folder may be put at its path, which must get nothing of the first one's.
 */
function createTrustFinder(root: string, home: string): () => FolderTrust {
  let found: FolderTrust | undefined;
  let signature: string | undefined;
  return () => {
    const current = identitySignature(root);
    if (current === signature && found !== undefined) return found;
    const identity = existingIdentity(root);
    if (identity === undefined) {
      found = undefined;
      return { trust: openPathTrust(home, realpathSync(root)), workspaceId: undefined };
    }
    found = { trust: openTrust(home, identity), workspaceId: identity.id };
    signature = current;
    return found;
  };
}
