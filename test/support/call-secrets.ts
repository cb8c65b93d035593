/** Secrets of a call over a table in place of a vault. */
import { parseHostPattern } from "../../src/core/host-pattern.ts";
import { Secret } from "../../src/core/secret.ts";
import { type Binding, parseBinding } from "../../src/secrets/binding.ts";
import { type CallSecrets, type HopOptions, resolveCallSecrets, type SecretServices } from "../../src/secrets/call-secrets.ts";
import { type AddedText, parseHeaderTemplate } from "../../src/secrets/header-template.ts";
import type { SecretResolution } from "../../src/secrets/vault.ts";
import type { Scope } from "../../src/secrets/vault-file.ts";

/** The workspace of the calls. */
export const HERE: Scope = { kind: "workspace", id: "workspace-1" };
/** A first hop. */
export const TRUSTED = { allowSecrets: true, method: "GET" };

/** What a vault gives for a secret. */
export function found(value: string, binding: Binding, scope = HERE): SecretResolution {
  const canonical = parseBinding(binding);
  const hosts = canonical.hosts.map((host) => parseHostPattern(host, { kind: "binding" }));
  return { kind: "found", scope, secret: new Secret(value), binding: canonical, hosts };
}

/** Services over a table instead of a vault file; the vault has its own tests. */
export function services(
  table: Readonly<Record<string, SecretResolution>>,
  workspace: SecretServices["workspace"] = { kind: "known", id: "workspace-1" },
): SecretServices {
  const resolve: SecretServices["vault"]["resolve"] = async (_id, names) =>
    new Map(names.map((name) => [name, table[name] ?? { kind: "missing" }]));
  return { vault: { resolve }, workspace, trustedGlobal: () => undefined };
}

/** The secrets of a call of a tool with these headers. */
export function resolve(headers: readonly AddedText[], table: Readonly<Record<string, SecretResolution>>): Promise<CallSecrets> {
  return resolveCallSecrets({ tool: "t", headers: headers.map(parseHeaderTemplate) }, services(table));
}

/** The headers of one hop. */
export function headersOf(secrets: CallSecrets, url: URL, hop: HopOptions): ReadonlyMap<string, Secret | string> {
  return secrets.prepare(url, hop).headers;
}

/** Headers or parameters with what they hold in sight. */
export function shown(headers: ReadonlyMap<string, Secret | string>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name, typeof value === "string" ? `plain ${value}` : `secret ${value.reveal()}`]),
  );
}

/** A secret of one host. */
export const TOKEN = found("token-value", { hosts: ["api.example.com"] });
/** A header that holds it. */
export const BEARER = { name: "Authorization", value: "Bearer {{TOKEN}}" };
