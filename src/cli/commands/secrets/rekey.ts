import { existsSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import type { Secret } from "../../../core/secret.ts";
import type { NewKey } from "../../../secrets/key-change.ts";
import { keySourceText } from "../../../secrets/key-source.ts";
import type { Vault } from "../../../secrets/vault.ts";
import type { RekeyReport } from "../../../secrets/vault-rekey.ts";
import { type CliContext, type CommonOptions, type ExitCode, newCommand, withAction } from "../../command.ts";
import { openAnswers } from "../../prompts.ts";
import { UsageError } from "../../usage-error.ts";
import { openVaultOf } from "./scope.ts";
import { refuseExtraWords, showRecoveryKey, type WrittenValue, withRefusedValue } from "./typed-value.ts";

const PLACES = ["key-file", "keychain", "passphrase", "credential"] as const;

interface RekeyOptions extends CommonOptions {
  readonly full?: boolean;
  readonly to: (typeof PLACES)[number] | undefined;
  readonly keyFile?: string;
  readonly recover?: boolean;
  readonly recoveryKey?: boolean;
}

/** As commander gives them. */
interface WrittenOptions extends Omit<RekeyOptions, "to">, WrittenValue {
  readonly to?: string;
}

/** What a person types for a change of the key. */
interface Typed {
  readonly recoveryKey?: Secret;
  readonly passphrase?: Secret;
}

/** `toolyard secrets rekey`: another master key, another place for it, or another recovery key. */
export function rekeyCommand(context: CliContext): Command {
  const command = newCommand("rekey", {
    summary: "give the vault another key, from the same source or another one; the secrets stay",
    example:
      "toolyard secrets rekey\ntoolyard secrets rekey --to passphrase\ntoolyard secrets rekey --recover --to key-file    # when the key is lost",
  })
    .option("--full", "encrypt every value anew as well: for when somebody had both the vault and its key")
    .option("--to <place>", `where the key is from now on: ${PLACES.join(", ")} (default: where it is)`)
    .option("--key-file <path>", "with --to key-file or credential: a file of yours that holds the new key, 32 random bytes as base64")
    .option("--recover", "open the vault with its recovery key, which is asked for (stdin: its first line)")
    .option("--recovery-key", "only make a new recovery key; the one before is void");
  return withAction(withRefusedValue(command), context, (values: readonly string[], options: WrittenOptions) => {
    refuseExtraWords(values, options.value, "toolyard secrets rekey");
    return rekey(context, { ...options, to: parsePlace(options.to) });
  });
}

/** What else stands there is not repeated: it may be a passphrase. */
function parsePlace(text: string | undefined): RekeyOptions["to"] {
  const place = PLACES.find((known) => known === text);
  if (text !== undefined && place === undefined) throw new UsageError(`--to is one of ${PLACES.join(", ")}.`);
  return place;
}

async function rekey(context: CliContext, options: RekeyOptions): Promise<ExitCode> {
  refuseMisfits(options);
  using vault = openVaultOf(context, undefined);
  if (options.recoveryKey === true) return newRecoveryKey(context, vault, options);
  if (vault.keySource() === undefined) {
    throw new UsageError("There is no vault yet, so it has no key. The first secret makes both: toolyard secrets set NAME --host HOST");
  }
  const typed = await ask(context, options);
  const { recoveryKey } = typed;
  const to = newKeyOf(context, options, typed.passphrase);
  const report = await vault.rekey({
    full: options.full === true,
    ...(to === undefined ? {} : { to }),
    ...(recoveryKey === undefined ? {} : { recoveryKey }),
  });
  tell(context, report, options);
  if (report.recoveryKey !== undefined) showRecoveryKey(context, report.recoveryKey);
  return 0;
}

async function newRecoveryKey(context: CliContext, vault: Vault, { json }: RekeyOptions): Promise<ExitCode> {
  const isFirst = vault.hasRecovery() !== true;
  const key = await vault.newRecoveryKey();
  if (json === true) context.output.json({ recoveryKey: "made" });
  else context.output.line(isFirst ? "The vault has a recovery key now." : "The vault has a new recovery key; the one before is void.");
  showRecoveryKey(context, key);
  return 0;
}

function refuseMisfits({ to, keyFile, recover, recoveryKey, full }: RekeyOptions): void {
  if (recoveryKey === true && (to !== undefined || keyFile !== undefined || recover === true || full === true)) {
    throw new UsageError("--recovery-key stands alone: it makes a new recovery key and changes nothing else.");
  }
  if (keyFile !== undefined && to !== "key-file" && to !== "credential") {
    throw new UsageError("--key-file belongs to --to key-file and --to credential.");
  }
  if (to === "credential" && keyFile === undefined) {
    throw new UsageError(
      "A credential is made by you: name the file with the new key, toolyard secrets rekey --to credential --key-file FILE",
    );
  }
  if (recover === true && to === undefined)
    throw new UsageError("Say where the new key goes: toolyard secrets rekey --recover --to key-file");
}

/** Recovery key and new passphrase, asked for one after the other; from stdin its lines in that order. */
async function ask(context: CliContext, { recover, to }: RekeyOptions): Promise<Typed> {
  const isTerminal = context.streams.stdin.isTTY === true;
  const lines = recover === true || to === "passphrase" ? await openAnswers(context) : undefined;
  if (lines === undefined) return {};
  const recoveryKey = recover === true ? { recoveryKey: await lines.next("Recovery key (hidden):") } : {};
  if (to !== "passphrase") return recoveryKey;
  const passphrase = await lines.next("New passphrase, at least 12 characters (hidden):");
  // A slip would lock everybody out.
  if (isTerminal && (await lines.next("New passphrase again (hidden):")).reveal() !== passphrase.reveal()) {
    throw new UsageError("The two passphrases differ. Nothing was changed.");
  }
  return { ...recoveryKey, passphrase };
}

function newKeyOf({ cwd }: CliContext, { to, keyFile }: RekeyOptions, passphrase: Secret | undefined): NewKey | undefined {
  const file = keyFile === undefined ? undefined : path.resolve(cwd, keyFile);
  if (file !== undefined && !existsSync(file)) {
    throw new UsageError("--key-file names no file. Make one: (umask 077; head -c 32 /dev/urandom | base64 > FILE)");
  }
  switch (to) {
    case "key-file":
      return file === undefined ? { kind: "key-file" } : { kind: "own-key-file", path: file };
    case "credential":
      return file === undefined ? undefined : { kind: "credential", path: file };
    case "passphrase":
      return passphrase === undefined ? undefined : { kind: "passphrase", passphrase };
    case "keychain":
      return { kind: "keychain" };
    case undefined:
      return undefined;
  }
}

function tell({ output }: CliContext, { from, to, full, advice }: RekeyReport, { json }: RekeyOptions): void {
  if (json === true) {
    output.json({ from: from.kind, to: to.kind, full, advice });
    return;
  }
  const values = full ? " Every value was encrypted anew." : "";
  output.line(`The vault has a new key: ${keySourceText(to)}.${values} Running servers use it on their next call.`);
  for (const line of advice) output.line(line);
  if (full) output.line("Who had the old key and the old file has the values: replace the secrets where they come from, too.");
}
