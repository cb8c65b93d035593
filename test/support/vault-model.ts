/** The vault as a model: operations as data, and what each does to a plain map and to a vault. */
import fc from "fast-check";
import { ToolError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import type { Vault } from "../../src/secrets/vault.ts";
import type { Scope } from "../../src/secrets/vault-file.ts";

/** Where operations happen: one workspace, another, or all. */
const SCOPES: Readonly<Record<string, Scope>> = {
  here: { kind: "workspace", id: "workspace-1" },
  there: { kind: "workspace", id: "workspace-2" },
  global: { kind: "global" },
};

const HOSTS = ["a.example.com", "b.example.com", "https://c.example.com/v1"];

/** One operation. Values are numbers here; `valueText` makes them long enough. */
export type VaultOperation =
  | { readonly kind: "set"; readonly scope: string; readonly name: string; readonly value: number; readonly host: number }
  | { readonly kind: "replace"; readonly scope: string; readonly name: string; readonly value: number }
  | { readonly kind: "remove"; readonly scope: string; readonly name: string }
  | { readonly kind: "rename"; readonly scope: string; readonly name: string; readonly to: string }
  | { readonly kind: "allow"; readonly scope: string; readonly name: string; readonly value: number; readonly host: number }
  | { readonly kind: "deny"; readonly scope: string; readonly name: string; readonly host: number }
  | { readonly kind: "rekey"; readonly full: boolean }
  | { readonly kind: "recovery" };

/** What is stored: by scope and name, the number of the value and the numbers of the hosts. */
export type VaultModel = ReadonlyMap<string, { readonly value: number; readonly hosts: readonly number[] }>;

/** Operations that often meet: few names, values and hosts. */
export function operations(): fc.Arbitrary<VaultOperation> {
  const scope = fc.constantFrom(...Object.keys(SCOPES));
  const name = fc.constantFrom("A", "B", "C");
  const place = { scope, name };
  const value = fc.integer({ min: 0, max: 2 });
  const host = fc.integer({ min: 0, max: HOSTS.length - 1 });
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("set" as const), ...place, value, host }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("replace" as const), ...place, value }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), ...place }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), ...place, to: name }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("allow" as const), ...place, value, host }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("deny" as const), ...place, host }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("rekey" as const), full: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("recovery" as const) }) },
  );
}

/** So many operations, the same for the same seed. */
export function sampleOperations(seed: number, count: number): readonly VaultOperation[] {
  return fc.sample(operations(), { seed, numRuns: count });
}

/** What the operation makes of the model, and what it ends with: "done", "nothing", or the code of the error. */
export function applyToModel(model: VaultModel, operation: VaultOperation): { readonly model: VaultModel; readonly outcome: string } {
  const refused = (outcome: string): { readonly model: VaultModel; readonly outcome: string } => ({ model, outcome });
  if (operation.kind === "rekey" || operation.kind === "recovery") return refused(model.size === 0 ? "unknown" : "done");
  const key = `${operation.scope} ${operation.name}`;
  const known = model.get(key);
  const next = new Map(model);
  switch (operation.kind) {
    case "set":
      if (known !== undefined && (known.hosts.length !== 1 || known.hosts[0] !== operation.host)) return refused("INVALID_REQUEST");
      next.set(key, { value: operation.value, hosts: [operation.host] });
      break;
    case "replace":
      if (known === undefined) return refused("INVALID_REQUEST");
      next.set(key, { ...known, value: operation.value });
      break;
    case "remove":
      if (known === undefined) return refused("nothing");
      next.delete(key);
      break;
    case "rename":
      if (known === undefined) return refused("SECRET_MISSING");
      if (model.has(`${operation.scope} ${operation.to}`)) return refused("INVALID_REQUEST");
      next.delete(key);
      next.set(`${operation.scope} ${operation.to}`, known);
      break;
    case "allow":
      if (known === undefined) return refused("SECRET_MISSING");
      if (known.value !== operation.value) return refused("INVALID_REQUEST");
      next.set(key, { ...known, hosts: [...new Set([...known.hosts, operation.host])] });
      break;
    case "deny":
      if (known === undefined) return refused("SECRET_MISSING");
      if (!known.hosts.includes(operation.host) || known.hosts.length === 1) return refused("INVALID_REQUEST");
      next.set(key, { ...known, hosts: known.hosts.filter((host) => host !== operation.host) });
  }
  return { model: next, outcome: "done" };
}

/** Does the operation; gives what it ends with, as `applyToModel`. */
export async function applyToVault(vault: Vault, operation: VaultOperation): Promise<string> {
  try {
    return await run(vault, operation);
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

async function run(vault: Vault, operation: VaultOperation): Promise<string> {
  if (operation.kind === "rekey") await vault.rekey({ full: operation.full });
  else if (operation.kind === "recovery") await vault.newRecoveryKey();
  else {
    const { name } = operation;
    const scope = scopeOf(operation.scope);
    switch (operation.kind) {
      case "set":
        await vault.set(scope, name, secretOf(operation.value), { binding: { hosts: [hostOf(operation.host)] } });
        break;
      case "replace":
        await vault.set(scope, name, secretOf(operation.value));
        break;
      case "remove":
        return (await vault.remove(scope, name)).removed ? "done" : "nothing";
      case "rename":
        await vault.rename(scope, name, operation.to);
        break;
      case "allow":
        await vault.allow(scope, name, secretOf(operation.value), [hostOf(operation.host)]);
        break;
      case "deny":
        await vault.deny(scope, name, [hostOf(operation.host)]);
    }
  }
  return "done";
}

/** What the vault holds, in the form of `modelText`. Every value is decrypted. */
export async function vaultText(vault: Vault): Promise<string> {
  const lines: string[] = [];
  for (const { scope, name, binding } of vault.list()) {
    const id = scope.kind === "global" ? undefined : scope.id;
    const found = (await vault.resolve(id, [name], () => Number.MAX_SAFE_INTEGER)).get(name);
    const value = found?.kind === "found" ? found.secret.reveal() : String(found?.kind);
    const place = Object.keys(SCOPES).find((key) => JSON.stringify(SCOPES[key]) === JSON.stringify(scope));
    lines.push(`${place} ${name} ${value} ${[...binding.hosts].sort().join(" ")}`);
  }
  return lines.sort().join("\n");
}

/** What the model holds, as lines. */
export function modelText(model: VaultModel): string {
  return [...model]
    .map(([key, { value, hosts }]) => `${key} ${secretOf(value).reveal()} ${hosts.map(hostOf).sort().join(" ")}`)
    .sort()
    .join("\n");
}

function scopeOf(scope: string): Scope {
  const found = SCOPES[scope];
  if (found === undefined) throw new Error(`no scope ${scope}`);
  return found;
}

function secretOf(value: number): Secret {
  return new Secret(`value-number-${value}`.repeat(1 + value));
}

function hostOf(host: number): string {
  return HOSTS[host] ?? "none";
}
