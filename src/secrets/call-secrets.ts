/**
 * The secrets of one call: all that the tool names are fetched before its script starts, or the call ends there. Then, for
 * each hop of each request, this decides which headers go along. A request that would carry a secret to a host the secret
 * is not bound to is refused before anything is looked up or sent.
 */
import { ToolError } from "../core/errors.ts";
import { type HostPattern, hostPatternText, isLoopbackHost, matchesHost } from "../core/host-pattern.ts";
import type { Secret } from "../core/secret.ts";
import { shellWord } from "../core/shell-word.ts";
import { bindingFault, secretHostError } from "./binding-fault.ts";
import type { HeaderTemplate } from "./header-template.ts";
import { renderTemplate } from "./secret-template.ts";
import type { FoundSecret, SecretResolution, TrustedGlobal } from "./vault.ts";

/** What resolving needs to know of the tool. */
export interface ToolSecrets {
  readonly tool: string;
  readonly headers: readonly HeaderTemplate[];
  /** Hosts as tools.json says, for the command in messages; absent or empty: unknown. */
  readonly hostsToShow?: readonly string[];
}

/** Whether the folder is the workspace that secrets were stored for; `moved` turns them off. */
export type WorkspaceStanding = { readonly kind: "known"; readonly id: string } | { readonly kind: "new" } | { readonly kind: "moved" };

/** What resolving uses. */
export interface SecretServices {
  readonly vault: {
    resolve(
      workspaceId: string | undefined,
      names: readonly string[],
      trustedGlobal: TrustedGlobal,
    ): Promise<ReadonlyMap<string, SecretResolution>>;
  };
  readonly workspace: WorkspaceStanding;
  /** Whether, and when, this tool's use of a global secret was trusted in this workspace. */
  readonly trustedGlobal: TrustedGlobal;
}

/** How one hop is made. */
export interface HopOptions {
  /** False after a redirect to another origin, for that and every later hop. */
  readonly allowSecrets: boolean;
  /** Method of the request; a secret bound to methods goes along only if it is given and one of them. */
  readonly method?: string;
}

/** The secrets of one call. */
export interface CallSecrets {
  /** Names of all secrets of the tool. */
  readonly names: readonly string[];
  /** Hosts the tool's secrets are bound to: all it may reach, if it has no `allowedHosts`. Undefined for a tool without secrets. */
  readonly boundHosts: readonly HostPattern[] | undefined;
  /** Lower-case names of the headers that a script must not set itself (`"replaceExisting": false`). */
  readonly exclusiveHeaders: ReadonlySet<string>;
  /**
   * Headers to add to a request to `url`, by name as written in tools.json; a `Secret` where one is inside. Throws
   * `ToolError` SECRET_HOST if one would go where it is not bound.
   */
  headersFor(url: URL, hop: HopOptions): ReadonlyMap<string, Secret | string>;
  /** Values given out by `headersFor` so far in this call, bare and as whole headers: what answers are searched for. */
  sent(): readonly Secret[];
  /** True if a person bound a secret of this tool, in this workspace, to exactly this private `host:port`, which is trust in it. */
  trustsHost(hostPort: string): boolean;
}

/**
 * Fetches every secret the tool's headers name. Throws `ToolError` SECRET_MISSING (with the commands to run), NOT_TRUSTED
 * (a moved workspace, or a global secret nobody trusted this tool with), and what the vault throws.
 */
export async function resolveCallSecrets(tool: ToolSecrets, { vault, workspace, trustedGlobal }: SecretServices): Promise<CallSecrets> {
  const names = [...new Set(tool.headers.flatMap((header) => header.template.names))];
  if (names.length > 0 && workspace.kind === "moved") {
    throw new ToolError(
      "NOT_TRUSTED",
      `${tool.tool} needs ${listOf(names)}, but this folder is not the one the secrets were stored for: it moved, was copied, or another one was put at its path. Look at it and decide: toolyard trust`,
    );
  }
  const resolved = await vault.resolve(workspace.kind === "known" ? workspace.id : undefined, names, trustedGlobal);
  const isKind = (kind: SecretResolution["kind"]) => (name: string) => (resolved.get(name)?.kind ?? "missing") === kind;
  const missing = names.filter(isKind("missing"));
  if (missing.length > 0) throw secretMissing(tool, missing);
  const untrusted = names.filter(isKind("untrusted"));
  if (untrusted.length > 0) {
    throw new ToolError(
      "NOT_TRUSTED",
      `${tool.tool} needs ${listOf(untrusted)}, stored for all workspaces, but nobody trusted this tool with ${untrusted.length === 1 ? "it" : "them"}. Look at it and decide: toolyard trust`,
      { data: { untrusted } },
    );
  }
  const secrets = new Map([...resolved].flatMap(([name, found]) => (found.kind === "found" ? [[name, found] as const] : [])));
  return createCallSecrets(tool, secrets);
}

/** The message and commands for secrets that are not stored, for calls and listings alike. */
function secretMissing(tool: ToolSecrets, missing: readonly string[]): ToolError {
  const commands = missing.map((name) => `toolyard secrets set ${shellWord(name)} ${hostsFor(tool, name)}`);
  const note = commands.some((command) => command.endsWith(NO_HOST)) ? "     # the host of your API" : "";
  return new ToolError(
    "SECRET_MISSING",
    `${tool.tool} needs ${listOf(missing)}, which ${missing.length === 1 ? "is" : "are"} not stored. Nothing was sent.\n  ${commands.join("\n  ")}${note}`,
    { data: { missing, commands } },
  );
}

const NO_HOST = "--host HOST";

/** No host that no header with this secret goes to: people paste the command, and the binding is what protects the secret. */
function hostsFor({ headers, hostsToShow = [] }: ToolSecrets, name: string): string {
  const hosts = headers
    .filter(({ template }) => template.names.includes(name))
    .flatMap((header) => header.hosts?.map(hostPatternText) ?? hostsToShow);
  return hosts.length === 0 ? NO_HOST : [...new Set(hosts)].map((host) => `--host ${shellWord(bindingText(host))}`).join(" ");
}

/** An API on this machine speaks plain http, as a rule; without the scheme a binding means https. */
function bindingText(host: string): string {
  return isLoopbackHost(host.replace(/:\d+$/, "")) ? `http://${host}` : host;
}

function createCallSecrets(tool: ToolSecrets, secrets: ReadonlyMap<string, FoundSecret>): CallSecrets {
  const values = new Map([...secrets].map(([name, found]) => [name, found.secret]));
  const rendered = new Map(tool.headers.map((header) => [header, renderTemplate(header.template.parts, values)]));
  const sent = new Map<string, Secret>();
  const trusted = new Set([...secrets.values()].flatMap(trustedHostPorts));
  return {
    names: [...secrets.keys()],
    boundHosts: secrets.size === 0 ? undefined : [...secrets.values()].flatMap((found) => found.hosts),
    exclusiveHeaders: new Set(tool.headers.flatMap(({ name, replaceExisting }) => (replaceExisting ? [] : [name.toLowerCase()]))),
    headersFor(url, hop) {
      const headers = new Map<string, Secret | string>();
      const goingOut: Secret[] = [];
      for (const [header, value] of rendered) {
        const carriesSecret = header.template.names.length > 0;
        if (carriesSecret && !hop.allowSecrets) continue;
        if (!goesTo(header, url)) continue;
        for (const name of header.template.names) {
          const found = secrets.get(name);
          // Resolving ended the call if one was missing, so this never happens; without the check it would be sent unasked.
          if (found === undefined) throw secretMissing(tool, [name]);
          const fault = bindingFault(found, header, { url, ...hop });
          if (fault !== undefined) throw secretHostError(tool.tool, { name, url, found, fault });
          goingOut.push(found.secret);
        }
        if (carriesSecret) goingOut.push(value);
        headers.set(header.name, carriesSecret ? value : value.reveal());
      }
      // Only after the last check: a refused request sent nothing, and masking its values would tell a script about them.
      for (const secret of goingOut) sent.set(secret.reveal(), secret);
      return headers;
    },
    sent: () => [...sent.values()],
    trustsHost: (hostPort) => trusted.has(hostPort),
  };
}

function goesTo(header: HeaderTemplate, url: URL): boolean {
  // Asked as if without a secret: over plain http the request is then refused, not sent without its header.
  return header.hosts === undefined || header.hosts.some((host) => matchesHost(host, url, { carriesSecret: false }));
}

/**
 * `host:port` of each private place a secret of this workspace is bound to. Only exact ones with their port, and not those
 * of global secrets: nobody chose these for this workspace.
 */
function trustedHostPorts({ scope, hosts }: FoundSecret): readonly string[] {
  if (scope.kind !== "workspace") return [];
  return hosts.flatMap(({ host, port, isWildcard }) => (isWildcard || port === undefined ? [] : [`${host}:${port}`]));
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
