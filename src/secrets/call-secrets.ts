/**
 * The secrets of one call: all that the tool names are fetched before its script starts, or the call ends there. Then, for
 * each hop of each request, this decides what goes along. A request that would carry a secret to a host the secret
 * is not bound to is refused before anything is looked up or sent.
 */
import { ToolError } from "../core/errors.ts";
import { type HostPattern, hostPatternText, hostPortOf, isLoopbackHost, matchesHost } from "../core/host-pattern.ts";
import type { Secret } from "../core/secret.ts";
import { renderTemplate } from "../core/secret-template.ts";
import { shellWord } from "../core/shell-word.ts";
import { type BindingTarget, bindingFault, secretHostError } from "./binding-fault.ts";
import type { AddedTemplate } from "./header-template.ts";
import { createGrant, type HopToken, type TokenSource } from "./oauth-grant.ts";
import { addedUse, type SecretUse, secretNames, secretPlaces, type ToolTemplates } from "./tool-secrets.ts";
import type { FoundSecret, SecretResolution, TrustedGlobal } from "./vault.ts";
import type { Scope } from "./vault-file.ts";

/** What resolving needs to know of the tool. */
export interface ToolSecrets extends ToolTemplates {
  readonly tool: string;
  /** Hosts as tools.json says, for the command in messages; absent or empty: unknown. */
  readonly hostsToShow?: readonly string[];
}

/** Whether the folder is the workspace that secrets were stored for; `moved` turns them off. */
export type WorkspaceStanding = { readonly kind: "known"; readonly id: string } | { readonly kind: "new" } | { readonly kind: "moved" };

/** For which agent a call is, and which stored secrets the names in tools.json stand for in its calls. */
export interface AgentNames {
  readonly agent: string;
  /** By the name in tools.json; a name that is not here stands for itself. */
  readonly stored: ReadonlyMap<string, string>;
}

/** A secret that goes out with a request. */
export interface UsedSecret {
  readonly scope: Scope;
  /** In the vault. */
  readonly name: string;
}

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
  /** Default: every name stands for itself. */
  readonly agent?: AgentNames;
  /** True for a private `host:port` that a person trusted this tool with. Default: none. */
  readonly trustedHost?: (hostPort: string) => boolean;
  /** Where tokens come from; without it a tool with `auth` fails with UNAVAILABLE. */
  readonly tokens?: TokenSource;
  /** Told of the secrets of each request, once all of it is found right. */
  readonly used?: (secrets: readonly UsedSecret[]) => void;
}

/** How one hop is made. */
export interface HopOptions {
  /** False after a redirect to another origin, for that and every later hop. */
  readonly allowSecrets: boolean;
  /** Method of the request; a secret bound to methods goes along only if it is given and one of them. */
  readonly method?: string;
  /** Names of the headers that the script set. Default none. */
  readonly headerNames?: readonly string[];
}

/** A value to add: a `Secret` where one is inside. By name as written in tools.json. */
type Added = ReadonlyMap<string, Secret | string>;

/** What the tool adds to one hop. */
export interface HopAdditions {
  readonly headers: Added;
  readonly query: Added;
  /** The token that goes along as `Authorization: Bearer`; absent for none. */
  readonly token?: HopToken;
}

/** The secrets of one call. */
export interface CallSecrets {
  /** Names of all secrets of the tool, as stored. */
  readonly names: readonly string[];
  /** Hosts the tool's secrets are bound to: all it may reach, if it has no `allowedHosts`. Undefined for a tool without secrets. */
  readonly boundHosts: readonly HostPattern[] | undefined;
  /** Lower-case names of the headers that a script must not set itself (`"replaceExisting": false`). */
  readonly exclusiveHeaders: ReadonlySet<string>;
  /** Names of the query parameters that must not stand in a script's URL. */
  readonly exclusiveQuery: ReadonlySet<string>;
  /** What to add to a request to `url`. Throws `ToolError` SECRET_HOST if a secret would go where it is not bound. */
  prepare(url: URL, hop: HopOptions): HopAdditions;
  /** Values given out so far in this call, bare and as they are sent: what answers are searched for. */
  sent(): readonly Secret[];
  /** True if a person bound a secret of this tool, in this workspace, to exactly this private `host:port`, which is trust in it. */
  trustsHost(hostPort: string): boolean;
}

/**
 * Fetches every secret the tool's templates name. Throws `ToolError` SECRET_MISSING (with the commands to run), NOT_TRUSTED
 * (a moved workspace, or a global secret nobody trusted this tool with), and what the vault throws.
 */
export async function resolveCallSecrets(tool: ToolSecrets, services: SecretServices): Promise<CallSecrets> {
  const { vault, workspace, trustedGlobal } = services;
  const naming = createNaming(services.agent);
  const names = secretNames(tool);
  const listed = (some: readonly string[]): string => listOf(some.map(naming.label));
  if (names.length > 0 && workspace.kind === "moved") {
    throw new ToolError(
      "NOT_TRUSTED",
      `${tool.tool} needs ${listed(names)}, but this folder is not the one the secrets were stored for: it moved, was copied, or another one was put at its path. Look at it and decide: toolyard trust`,
    );
  }
  const stored = [...new Set(names.map(naming.stored))];
  const resolved = await vault.resolve(workspace.kind === "known" ? workspace.id : undefined, stored, trustedGlobal);
  const isKind = (kind: SecretResolution["kind"]) => (name: string) => (resolved.get(naming.stored(name))?.kind ?? "missing") === kind;
  const missing = names.filter(isKind("missing"));
  if (missing.length > 0) throw secretMissing(tool, missing, naming);
  const untrusted = names.filter(isKind("untrusted"));
  if (untrusted.length > 0) {
    throw new ToolError(
      "NOT_TRUSTED",
      `${tool.tool} needs ${listed(untrusted)}, stored for all workspaces, but nobody trusted this tool with ${untrusted.length === 1 ? "it" : "them"}. Look at it and decide: toolyard trust`,
      { data: { untrusted: untrusted.map(naming.stored) } },
    );
  }
  const secrets = new Map(
    names.flatMap((name) => {
      const found = resolved.get(naming.stored(name));
      return found?.kind === "found" ? [[name, found] as const] : [];
    }),
  );
  return createCallSecrets(tool, { secrets, naming, services });
}

/** How the names in tools.json stand for stored secrets, and how they are told. */
interface Naming {
  stored(name: string): string;
  label(name: string): string;
}

function createNaming(agent: AgentNames | undefined): Naming {
  const stored = (name: string): string => agent?.stored.get(name) ?? name;
  return {
    stored,
    label: (name) => (agent === undefined || stored(name) === name ? name : `${name}, which is ${stored(name)} for agent ${agent.agent}`),
  };
}

/** The message and commands for secrets that are not stored, for calls and listings alike. */
function secretMissing(tool: ToolSecrets, missing: readonly string[], { stored, label }: Naming): ToolError {
  const commands = missing.map((name) => `toolyard secrets set ${shellWord(stored(name))} ${hostsFor(tool, name)}`);
  const note = commands.some((command) => command.endsWith(NO_HOST)) ? "     # the host of your API" : "";
  return new ToolError(
    "SECRET_MISSING",
    `${tool.tool} needs ${listOf(missing.map(label))}, which ${missing.length === 1 ? "is" : "are"} not stored. Nothing was sent.\n  ${commands.join("\n  ")}${note}`,
    { data: { missing: missing.map(stored), commands } },
  );
}

const NO_HOST = "--host HOST";

/** No host that nothing with this secret goes to: people paste the command, and the binding is what protects the secret. */
function hostsFor(tool: ToolSecrets, name: string): string {
  const hosts = secretPlaces(tool)
    .filter(({ names }) => names.includes(name))
    .flatMap(({ place, hosts: own }) => {
      if (place.kind === "token-request") return [tokenHost(place.tokenUrl)];
      const known = own?.map(hostPatternText) ?? tool.hostsToShow ?? [];
      // The issuer is known, the API is not; one without the other is no use.
      return place.kind === "token" && known.length === 0 ? ["HOST"] : known;
    });
  return hosts.length === 0 ? NO_HOST : [...new Set(hosts)].map((host) => `--host ${shellWord(bindingText(host))}`).join(" ");
}

function tokenHost(url: URL): string {
  return url.protocol === "https:" && url.port === "" ? url.hostname : hostPortOf(url);
}

/** An API on this machine speaks plain http, as a rule; without the scheme a binding means https. */
function bindingText(host: string): string {
  return isLoopbackHost(host.replace(/:\d+$/, "")) ? `http://${host}` : host;
}

interface Resolved {
  /** By the name in tools.json. */
  readonly secrets: ReadonlyMap<string, FoundSecret>;
  readonly naming: Naming;
  readonly services: SecretServices;
}

function createCallSecrets(tool: ToolSecrets, resolved: Resolved): CallSecrets {
  const { secrets, naming, services } = resolved;
  const values = new Map([...secrets].map(([name, found]) => [name, found.secret]));
  const render = (added: readonly AddedTemplate[]): readonly Rendered[] =>
    added.map((one) => ({ ...one, value: renderTemplate(one.template.parts, values) }));
  const [headers, query] = [render(tool.headers), render(tool.query ?? [])];
  const sent = new Map<string, Secret>();
  const markSent = (going: readonly Secret[]): void => {
    for (const secret of going) sent.set(secret.reveal(), secret);
  };
  const bound = new Set([...secrets.values()].flatMap(trustedHostPorts));
  const trusted = (hostPort: string): boolean => bound.has(hostPort) || services.trustedHost?.(hostPort) === true;
  const grant = tool.auth === undefined ? undefined : createGrant(tool, tool.auth, { ...resolved, values, trusted });
  const judge: Judge = (uses) => judgeUses(tool, resolved, uses);
  return {
    names: [...new Set([...secrets.keys()].map(naming.stored))],
    boundHosts: secrets.size === 0 ? undefined : [...secrets.values()].flatMap((found) => found.hosts),
    exclusiveHeaders: new Set(headers.flatMap(({ name, replaceExisting }) => (replaceExisting ? [] : [name.toLowerCase()]))),
    exclusiveQuery: new Set(query.flatMap(({ name, replaceExisting }) => (replaceExisting ? [] : [name]))),
    prepare(url, { headerNames = [], ...made }) {
      const hop = { ...made, headerNames: [...headerNames, ...headers.filter((one) => goesTo(one, url)).map(({ name }) => name)] };
      const ofHeaders = addTo("header", headers, { url, hop, judge });
      const ofQuery = addTo("query", query, { url, hop, judge });
      const token = grant === undefined || !hop.allowSecrets || !goesTo(grant, url) ? undefined : grant;
      const ofToken = token === undefined ? [] : judge(token.uses.map((use) => ({ use, target: token.target(use, { url, ...hop }) })));
      // Only after the last check: a refused request sent nothing, and masking its values would tell a script about them.
      for (const { uses, rendered } of [ofHeaders, ofQuery]) {
        markSent([...uses.flatMap(({ names }) => names.flatMap((name) => values.get(name) ?? [])), ...rendered]);
      }
      const used = [...ofHeaders.used, ...ofQuery.used, ...ofToken];
      if (used.length > 0) services.used?.(used);
      const additions = { headers: ofHeaders.added, query: ofQuery.added };
      return token === undefined ? additions : { ...additions, token: token.forHop(markSent) };
    },
    sent: () => [...sent.values()],
    trustsHost: (hostPort) => bound.has(hostPort),
  };
}

type Rendered = AddedTemplate & { readonly value: Secret };

interface GoingUse {
  readonly use: SecretUse;
  readonly target: BindingTarget;
}

/** Throws SECRET_HOST for uses that do not fit their bindings, with all of them. */
type Judge = (uses: readonly GoingUse[]) => readonly UsedSecret[];

/** The headers or query parameters of one hop, each judged. */
function addTo(
  kind: "header" | "query",
  all: readonly Rendered[],
  { url, hop, judge }: { readonly url: URL; readonly hop: HopOptions; readonly judge: Judge },
): {
  readonly added: Added;
  readonly uses: readonly SecretUse[];
  readonly rendered: readonly Secret[];
  readonly used: readonly UsedSecret[];
} {
  const going = all
    .map((one) => ({ ...one, use: addedUse(kind, one)[0] }))
    .filter((one) => (one.use === undefined || hop.allowSecrets) && goesTo(one, url));
  const uses = going.flatMap(({ use }) => use ?? []);
  return {
    uses,
    used: judge(uses.map((use) => ({ use, target: { url, ...hop } }))),
    rendered: going.flatMap(({ use, value }) => (use === undefined ? [] : [value])),
    added: new Map(going.map(({ name, use, value }) => [name, use === undefined ? value.reveal() : value])),
  };
}

/** The secrets of the uses, each found bound to where it goes. */
function judgeUses(tool: ToolSecrets, { secrets, naming }: Resolved, uses: readonly GoingUse[]): readonly UsedSecret[] {
  const judged = uses.flatMap(({ use, target }) =>
    use.names.map((name) => {
      const found = secrets.get(name);
      // Resolving ended the call if one was missing, so this never happens; without the check it would be sent unasked.
      if (found === undefined) throw secretMissing(tool, [name], naming);
      const [stored, label, fault] = [naming.stored(name), naming.label(name), bindingFault(found, use, target)];
      return { used: { scope: found.scope, name: stored }, misfit: fault && { name: stored, label, url: target.url, found, fault } };
    }),
  );
  const [first, ...others] = judged.flatMap(({ misfit }) => misfit ?? []);
  if (first !== undefined) throw secretHostError(tool.tool, [first, ...others]);
  return judged.map(({ used }) => used);
}

function goesTo({ hosts }: { readonly hosts?: readonly HostPattern[] }, url: URL): boolean {
  // Asked as if without a secret: over plain http the request is then refused, not sent without what belongs to it.
  return hosts === undefined || hosts.some((host) => matchesHost(host, url, { carriesSecret: false }));
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
