/** What of a binding a request does not fit, and what to tell: a person who finds the request right binds the secret anew. */
import { ToolError } from "../core/errors.ts";
import {
  canonicalHost,
  effectivePort,
  type HostPattern,
  hostPortOf,
  isLoopbackHost,
  isPrivateName,
  matchesHost,
} from "../core/host-pattern.ts";
import { isSteeringHeader } from "../core/http-header.ts";
import { shellWord } from "../core/shell-word.ts";
import { type SecretPlace, type SecretUse, secretPlaceText } from "./tool-secrets.ts";
import type { FoundSecret } from "./vault.ts";

/** The first thing that does not fit. `path`: the host does, but not the path. */
export type BindingFault =
  | { readonly kind: "host" | "path" }
  | { readonly kind: "header" | "format"; readonly place: SecretPlace }
  | { readonly kind: "method"; readonly method: string }
  /** The header by which servers take another method or path than those that were judged. */
  | { readonly kind: "steered"; readonly part: "method" | "path"; readonly header: string };

/** Where a secret would go. */
export interface BindingTarget {
  readonly url: URL;
  readonly method?: string;
  /** Names of all headers of the request, in any case. Default none. */
  readonly headerNames?: readonly string[];
}

/**
 * Undefined if the secret may stand there in a request to `url`. Without a method, one bound to methods may not. A token is
 * not its secret: of the binding only where it may go counts for it.
 */
export function bindingFault(
  { hosts, binding }: Pick<FoundSecret, "hosts" | "binding">,
  { place, form }: Pick<SecretUse, "place" | "form">,
  { url, method = "", headerNames = [] }: BindingTarget,
): BindingFault | undefined {
  const matches = (patterns: readonly HostPattern[]): boolean => patterns.some((host) => matchesHost(host, url, { carriesSecret: true }));
  if (!matches(hosts)) return { kind: matches(hosts.map((host) => ({ ...host, pathPrefix: "" }))) ? "path" : "host" };
  const steered = (part: "method" | "path"): BindingFault | undefined => {
    const header = headerNames.find((name) => isSteeringHeader(name, part));
    return header === undefined ? undefined : { kind: "steered", part, header };
  };
  const isPathBound = !matches(hosts.filter(({ pathPrefix }) => pathPrefix === ""));
  const elsewhere = isPathBound ? steered("path") : undefined;
  if (elsewhere !== undefined) return elsewhere;
  if (place.kind === "token") return undefined;
  if (binding.header !== undefined && binding.header !== headerOf(place)) return { kind: "header", place };
  if (binding.format !== undefined && binding.format !== form) return { kind: "format", place };
  if (binding.methods === undefined) return undefined;
  return binding.methods.includes(method) ? steered("method") : { kind: "method", method };
}

/** The header that the place is, in lower case; undefined for a query parameter or a body. */
function headerOf(place: SecretPlace): string | undefined {
  if (place.kind === "header") return place.name.toLowerCase();
  return place.kind === "token-request" && place.clientAuth === "basic" ? "authorization" : undefined;
}

/** A secret that may not stand where it would. */
export interface SecretMisfit {
  /** In the vault. */
  readonly name: string;
  /** As it is told, where that is more than its name. */
  readonly label: string;
  readonly url: URL;
  readonly found: Pick<FoundSecret, "scope" | "binding" | "hosts">;
  readonly fault: BindingFault;
}

/**
 * SECRET_HOST with all that does not fit, scheme and port of both sides and what to do. Path and query stay out: the script
 * may have put anything there.
 */
export function secretHostError(tool: string, misfits: readonly [SecretMisfit, ...SecretMisfit[]]): ToolError {
  const [{ name, url }] = misfits;
  const byUrl = Map.groupBy(misfits, (one) => `${one.url.protocol}//${hostPortOf(one.url)}`);
  const told = [...byUrl].map(([where, some]) => {
    const carried = new Set(some.map(({ label, fault, found }) => `${label}${faultText(fault, found)}`));
    return `the request to ${where} would carry ${[...carried].join("; and ")}.`;
  });
  const allowing = misfits.map(({ name, url, found, fault }) => (fault.kind === "host" ? allowCommand(name, url, found) : undefined));
  const commands = [...new Set(allowing.flatMap((command) => command ?? []))];
  const next = new Set(misfits.map(({ fault, url }, index) => nextText(fault, url, allowing[index] === undefined ? undefined : commands)));
  // What has several lines comes last.
  const advice = [...next].sort((a, b) => Number(a.includes("\n")) - Number(b.includes("\n"))).join(" ");
  return new ToolError("SECRET_HOST", `${tool}: ${told.join(" Also, ")} Nothing was sent. ${advice}`, {
    data: { secret: name, host: hostPortOf(url), ...(commands.length === 0 ? {} : { commands }) },
  });
}

function faultText(fault: BindingFault, { hosts, binding }: Pick<FoundSecret, "binding" | "hosts">): string {
  switch (fault.kind) {
    case "host":
      return `, which is bound to ${hosts.map(fullText).join(", ")}`;
    case "path":
      return `, which is bound to ${hosts.map(fullText).join(", ")}: the path of the request lies outside of that`;
    case "header":
      return ` in ${secretPlaceText(fault.place)}; it may go only in ${fault.place.kind === "header" ? "" : "the header "}${binding.header}`;
    case "format":
      return ` in another form than it may have in ${secretPlaceText(fault.place)}, ${JSON.stringify(binding.format)}`;
    case "method":
      return ` with ${fault.method === "" ? "a method that is not known" : fault.method}; it may go only with ${(binding.methods ?? []).join(", ")}`;
    case "steered": {
      const bound = fault.part === "method" ? (binding.methods ?? []).join(", ") : hosts.map(fullText).join(", ");
      return `, which is bound to ${bound}, beside the header "${fault.header}", by which many servers take another ${fault.part}`;
    }
  }
}

function nextText({ kind }: BindingFault, url: URL, commands: readonly string[] | undefined): string {
  if (kind === "header" || kind === "format") return "Change that in tools.json.";
  if (kind === "steered") return "Leave that header out.";
  if (kind === "path") return "Change the request, or allow more of that host (toolyard secrets allow, with --host HOST/PATH).";
  if (kind === "method") return "Change the request, or bind the secret anew (toolyard secrets remove, then set).";
  if (commands === undefined) return `Over plain http a secret goes to this machine only: use https://${canonicalHost(url)}.`;
  const lines = commands.map((command) => `\n  ${command}`).join("");
  return `Only if that host is meant to have it, allow it; the value is asked for again:${lines}\nIf only some headers or parameters belong there, give each its "hosts" in tools.json.`;
}

/** The command that lets the secret go there too; undefined where no binding would allow the request. */
function allowCommand(name: string, url: URL, { scope }: Pick<FoundSecret, "scope">): string | undefined {
  const wanted = wantedHost(url);
  if (wanted === undefined) return undefined;
  return `toolyard secrets allow ${name} --host ${shellWord(wanted)}${scope.kind === "global" ? " --global" : ""}`;
}

/** The host as `--host` takes it: with `http://` toward this machine, its port where that must be said. */
function wantedHost(url: URL): string | undefined {
  const host = canonicalHost(url);
  if (url.protocol === "http:") return isLoopbackHost(host) ? `http://${hostPortOf(url)}` : undefined;
  const isPlainName = effectivePort(url) === 443 && !isPrivateName(host) && /[a-z]$/.test(host);
  return isPlainName ? host : hostPortOf(url);
}

/** A rule with the scheme and port that it stands for. */
function fullText({ scheme = "https", isWildcard, host, port, pathPrefix }: HostPattern): string {
  return `${scheme}://${isWildcard ? "*." : ""}${host}:${port ?? (scheme === "http" ? 80 : 443)}${pathPrefix}`;
}
