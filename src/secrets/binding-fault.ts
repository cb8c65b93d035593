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
import { shellWord } from "../core/shell-word.ts";
import type { Binding } from "./binding.ts";
import type { HeaderTemplate } from "./header-template.ts";
import type { Template } from "./secret-template.ts";
import type { FoundSecret } from "./vault.ts";

/** The first thing that does not fit. `path`: the host does, but not the path. */
export type BindingFault =
  | { readonly kind: "host" | "path" }
  | { readonly kind: "header" | "format"; readonly header: string }
  | { readonly kind: "method"; readonly method: string };

/** Undefined if the secret may go along in this header of a request to `url`. Without a method, one bound to methods may not. */
export function bindingFault(
  { hosts, binding }: Pick<FoundSecret, "hosts" | "binding">,
  header: HeaderTemplate,
  { url, method = "" }: { readonly url: URL; readonly method?: string },
): BindingFault | undefined {
  const matches = (patterns: readonly HostPattern[]): boolean => patterns.some((host) => matchesHost(host, url, { carriesSecret: true }));
  if (!matches(hosts)) return { kind: matches(hosts.map((host) => ({ ...host, pathPrefix: "" }))) ? "path" : "host" };
  if (binding.header !== undefined && binding.header !== header.name.toLowerCase()) return { kind: "header", header: header.name };
  if (binding.format !== undefined && binding.format !== formatOf(header.template)) return { kind: "format", header: header.name };
  if (binding.methods === undefined || binding.methods.includes(method.toUpperCase())) return undefined;
  return { kind: "method", method };
}

/** SECRET_HOST with scheme and port of both sides and what to do. Path and query stay out: the script may have put anything there. */
export function secretHostError(
  tool: string,
  {
    name,
    url,
    found,
    fault,
  }: {
    readonly name: string;
    readonly url: URL;
    readonly found: Pick<FoundSecret, "scope" | "binding" | "hosts">;
    readonly fault: BindingFault;
  },
): ToolError {
  const head = `${tool}: the request to ${url.protocol}//${hostPortOf(url)} would carry ${name}`;
  const commands = fault.kind === "host" ? rebindCommands(name, url, found) : undefined;
  return new ToolError("SECRET_HOST", `${head}${faultText(fault, found)} Nothing was sent. ${nextText(fault, url, commands)}`, {
    data: { secret: name, host: hostPortOf(url), ...(commands === undefined ? {} : { commands }) },
  });
}

function faultText(fault: BindingFault, { hosts, binding }: Pick<FoundSecret, "binding" | "hosts">): string {
  switch (fault.kind) {
    case "host":
      return `, which is bound to ${hosts.map(fullText).join(", ")}.`;
    case "path":
      return `, which is bound to ${hosts.map(fullText).join(", ")}: the path of the request lies outside of that.`;
    case "header":
      return ` in the header ${fault.header}; it may go only in ${binding.header}.`;
    case "format":
      return ` in another form than it may have in the header ${fault.header}, ${JSON.stringify(binding.format)}.`;
    case "method":
      return ` with ${fault.method === "" ? "a method that is not known" : fault.method}; it may go only with ${(binding.methods ?? []).join(", ")}.`;
  }
}

function nextText({ kind }: BindingFault, url: URL, commands: readonly string[] | undefined): string {
  if (kind === "header" || kind === "format") return "Change that header in tools.json.";
  if (kind === "path" || kind === "method") return "Change the request, or bind the secret anew (toolyard secrets remove, then set).";
  if (commands === undefined) return `Over plain http a secret goes to this machine only: use https://${canonicalHost(url)}.`;
  const lines = commands.map((command) => `\n  ${command}`).join("");
  return `Only if that host is meant to have it, bind it anew; the value is asked for again:${lines}\nIf only some headers belong there, give each header its "hosts" in tools.json.`;
}

/** Both commands, with all that the secret is bound to now; undefined where no binding would allow the request. */
function rebindCommands(
  name: string,
  url: URL,
  { scope, binding }: Pick<FoundSecret, "scope" | "binding">,
): readonly [string, string] | undefined {
  const wanted = wantedHost(url);
  if (wanted === undefined) return undefined;
  const options = [
    ...[...binding.hosts, wanted].map((host) => `--host ${shellWord(host)}`),
    ...narrowingOptions(binding),
    ...(scope.kind === "global" ? ["--global"] : []),
  ];
  const whose = scope.kind === "global" ? " --global" : "";
  return [`toolyard secrets remove ${name}${whose}`, `toolyard secrets set ${name} ${options.join(" ")}`];
}

function narrowingOptions({ header, format, methods = [] }: Binding): readonly string[] {
  return [
    ...(header === undefined ? [] : [`--header ${shellWord(header)}`]),
    ...(format === undefined ? [] : [`--format ${shellWord(format)}`]),
    ...methods.map((method) => `--method ${shellWord(method)}`),
  ];
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

/** The template with `%s` for its only secret, as bindings write it; undefined if it has several. */
function formatOf({ parts, names }: Template): string | undefined {
  if (names.length !== 1) return undefined;
  return parts.map((part) => (part.kind === "text" ? part.text : "%s")).join("");
}
