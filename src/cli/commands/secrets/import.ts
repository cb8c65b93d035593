import path from "node:path";
import type { Command } from "commander";
import { visible } from "../../../core/visible-text.ts";
import type { Binding } from "../../../secrets/binding.ts";
import { weaknessText } from "../../../secrets/secret-value.ts";
import type { StoredReport, Vault } from "../../../secrets/vault.ts";
import type { SecretToSet } from "../../../secrets/vault-edit.ts";
import type { Scope } from "../../../secrets/vault-file.ts";
import { type CliContext, type ExitCode, newCommand, withAction, withWorkspace } from "../../command.ts";
import { askLine, canAskPerson } from "../../prompts.ts";
import { destinationText } from "../../secret-binding.ts";
import { UsageError } from "../../usage-error.ts";
import { type EnvFile, parseHostLine, readEnvFile, readMapFile } from "./env-file.ts";
import { keyPlaceLines } from "./key-places.ts";
import { openVaultOf, type ScopeOptions, scopeToRead, scopeToStore } from "./scope.ts";
import { refuseExtraWords, showRecoveryKey, type WrittenValue, whoseText, withRefusedValue } from "./typed-value.ts";

interface ImportOptions extends ScopeOptions, WrittenValue {
  readonly map?: string;
  readonly allowShort?: boolean;
}

/** Names that are to be stored, each with its binding; undefined for one that is stored already and keeps its own. */
type Chosen = ReadonlyMap<string, Binding | undefined>;

/** `toolyard secrets import`: the values of a .env file, each with the hosts it may go to. All are stored, or none. */
export function importCommand(context: CliContext): Command {
  const command = newCommand("import", {
    summary: "store the values of a .env file; their hosts are asked for, or stand in a map file. All are stored, or none",
    example: "toolyard secrets import .env\ntoolyard secrets import .env --map hosts.json",
  })
    .argument("<file>", "NAME=value lines")
    .option("--map <file>", 'the names to take, and where each may go: {"API_KEY": {"hosts": ["api.example.com"]}}')
    .option("--global", "for all workspaces; each use of them needs toolyard trust")
    .option("--allow-short", "take values that are short and easy to guess too");
  return withAction(
    withWorkspace(withRefusedValue(command)),
    context,
    (file: string, values: readonly string[], options: ImportOptions) => {
      refuseExtraWords(values, options.value, "toolyard secrets import FILE");
      return importFile(context, file, options);
    },
  );
}

async function importFile(context: CliContext, file: string, options: ImportOptions): Promise<ExitCode> {
  const env = readEnvFile(path.resolve(context.cwd, file));
  using known = openVaultOf(context, undefined);
  const stored = storedNames(known, scopeToRead(context, options));
  const chosen =
    options.map === undefined ? await askEach(context, env, stored) : fromMap(env, readMapFile(path.resolve(context.cwd, options.map)));
  const repeated = env.repeated.filter((name) => chosen.has(name));
  if (repeated.length > 0) {
    throw new UsageError(`${repeated.join(", ")} ${repeated.length === 1 ? "stands" : "stand"} twice in ${file}. Nothing was stored.`);
  }
  const secrets = [...chosen].flatMap(([name, binding]): SecretToSet[] => {
    const value = env.values.get(name);
    const secret = { name, allowShort: options.allowShort === true, ...(binding === undefined ? {} : { binding }) };
    return value === undefined ? [] : [{ ...secret, value }];
  });
  if (secrets.length === 0) throw new UsageError(`Nothing in ${visible(file)} was to be stored.`);
  const { scope, root } = await scopeToStore(context, options);
  using vault = openVaultOf(context, root);
  const reports = await vault.setMany(scope, secrets);
  tell(context, { file, env, names: secrets.map(({ name }) => name), reports }, options);
  return 0;
}

function storedNames(vault: Vault, scope: Scope | undefined): ReadonlySet<string> {
  return new Set(scope === undefined ? [] : vault.list(scope).map(({ name }) => name));
}

/** The map says what is taken; a name that the file lacks is a slip in one of the two. */
function fromMap({ values }: EnvFile, map: ReadonlyMap<string, Binding>): Chosen {
  const missing = [...map.keys()].filter((name) => !values.has(name));
  if (missing.length === 0) return map;
  throw new UsageError(`The map names ${missing.join(", ")}, which the file does not have. Nothing was stored.`);
}

async function askEach(context: CliContext, { values }: EnvFile, stored: ReadonlySet<string>): Promise<Chosen> {
  const names = [...values.keys()];
  const fresh = names.filter((name) => !stored.has(name));
  if (!canAskPerson(context.streams) && fresh.length > 0) {
    const example = JSON.stringify(Object.fromEntries(fresh.slice(0, 2).map((name) => [name, { hosts: ["api.example.com"] }])));
    throw new UsageError(
      `There is no terminal to ask where ${fresh.join(", ")} may go. Write the ones to take into a file and name it with --map:\n  ${example}`,
    );
  }
  const chosen = new Map<string, Binding | undefined>();
  for (const name of names) {
    if (stored.has(name)) chosen.set(name, undefined);
    else {
      const binding = await askHosts(context, name);
      if (binding !== undefined) chosen.set(name, binding);
    }
  }
  return chosen;
}

/** Asks until the answer can be used; an empty one leaves the name out. */
async function askHosts({ output }: CliContext, name: string): Promise<Binding | undefined> {
  for (;;) {
    const line = await askLine(`Where may ${name} go? Hosts, with blanks between; nothing leaves it out.`);
    try {
      return parseHostLine(line);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      output.error(error);
    }
  }
}

interface Imported {
  readonly file: string;
  readonly env: EnvFile;
  readonly names: readonly string[];
  /** In the order of `names`. */
  readonly reports: readonly StoredReport[];
}

function tell(context: CliContext, { file, env, names, reports }: Imported, options: ImportOptions): void {
  const { output, config } = context;
  const leftOut = [...env.values.keys()].filter((name) => !names.includes(name));
  if (options.json === true) {
    const secrets = reports.map(({ kind, binding, weakness }, index) => ({
      ...{ name: names[index] ?? "", replaced: kind === "replaced", ...binding },
      ...(weakness === undefined ? {} : { weakness }),
    }));
    output.json({ scope: options.global === true ? "global" : "workspace", secrets, leftOut, unusableNames: env.unusable });
  } else {
    for (const [index, report] of reports.entries()) for (const line of reportLines(names[index] ?? "", report)) output.line(line);
    output.line(`${names.length === 1 ? "1 secret is" : `${names.length} secrets are`} stored ${whoseText(options)}.`);
    if (leftOut.length > 0) output.line(`Left out: ${leftOut.join(", ")}.`);
    if (env.unusable > 0) output.line(`Left out too: ${env.unusable} whose names have other than capital letters, digits and "_".`);
  }
  output.note(`${visible(file)} still holds the values as plain text. Delete it, or take these lines out.`);
  const [first] = reports;
  if (first?.madeKeyFile !== undefined) for (const line of keyPlaceLines(config.key)) output.note(line);
  if (first?.recoveryKey !== undefined) showRecoveryKey(context, first.recoveryKey);
}

function reportLines(name: string, { kind, binding, weakness }: StoredReport): readonly string[] {
  const verb = kind === "stored" ? "Stored" : "Replaced";
  return [
    `${verb} ${name} → ${visible(destinationText(binding))}`,
    ...(weakness === undefined ? [] : [`${name} ${weaknessText(weakness)}.`]),
  ];
}
