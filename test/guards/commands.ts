/** Guards of what a person's commands and mounted files may bring into the vault, and of who may say yes. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const FOLDER = "src/secrets/secret-folder.test.ts";
const USAGE = "src/secrets/usage-store.test.ts";
const IMPORT = "src/cli/commands/secrets/import.test.ts";
const CHECK = "src/cli/commands/secrets/check.test.ts";
const CHANGES = "src/secrets/vault-changes.test.ts";

export const commandGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/cli/workspace-choice.ts",
    ["test/security/home-in-workspace.test.ts"],
    [
      [
        "home-in-workspace",
        "Toolyard's own folder does not lie in the workspace.",
        "  if (liesWithin(home, root)) {",
        "  if (root === home + home) {",
      ],
      [
        "workspace-in-home",
        "The workspace does not lie in toolyard's own folder.",
        "  if (liesWithin(root, home)) {",
        "  if (root === home + home) {",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/secret-folder.ts",
    [FOLDER],
    [
      [
        "folder-shared",
        "A folder that others can write to is refused.",
        "  if (isSticky || !isWritableByOthers(stats)) return;",
        "  return;",
      ],
      [
        "folder-writable-file",
        "A file that others can write to is refused.",
        "if (isWritableByOthers(stats)) throw refused(what",
        'if (what === "") throw refused(what',
      ],
      ["folder-size", "A huge file is not read.", "if (stats.size > MAX_BYTES) throw", "if (stats.size < 0) throw"],
      [
        "folder-value",
        "A value from a file keeps the rules of stored ones.",
        'const secret = parseSecretValue(name, new Secret(text), { allowShort: weaknessOf(found.secret) !== undefined, purpose: "use" });',
        "const secret = new Secret(text);",
      ],
      [
        "folder-names",
        "A file stands for a name of the vault only.",
        'found.kind === "found" ? withFile',
        'found.kind !== "missing" ? withFile',
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/usage-store.ts",
    [USAGE],
    [
      [
        "usage-merged",
        "Two processes keep each other's times.",
        "const merged = new Map(readOrNothing(path));",
        "const merged = new Map<string, number>();",
      ],
      [
        "usage-harmless",
        "A file that cannot be written fails no call.",
        'log.warn("secrets.usage.notWritten", { reason: messageOf(error) });',
        "throw error;",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/vault-edit.ts",
    [CHANGES],
    [
      [
        "allow-value",
        "Who lets a secret go to more hosts has its value.",
        "if (!isSameMac(stored.reveal(), value.reveal())) {",
        "if (stored === undefined) {",
      ],
      [
        "binding-kept",
        "A new value does not bring a new binding.",
        "if (wanted === undefined || bindingText(wanted) === bindingText(before.binding)) return before.binding;",
        "if (wanted !== undefined || before !== undefined) return wanted ?? before.binding;",
        "src/secrets/vault.test.ts",
        CHANGES,
      ],
      [
        "item-opened",
        "An item that does not open is an error.",
        "if (plain === undefined) throw tampered(",
        'if (vaultId === "") throw tampered(',
        "test/security/vault-tampering.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/commands/secrets/typed-value.ts",
    ["src/cli/commands/secrets/change.test.ts"],
    [
      [
        "value-in-argv",
        "No value is taken from the command line.",
        "if (values.length === 0 && value === undefined) return;",
        "return;",
        "src/cli/commands/secrets/change.test.ts",
        "src/cli/commands/secrets/import.test.ts",
      ],
      [
        "words-too-many",
        "Words that a command does not take change nothing: two names of which one is removed.",
        "if (value === undefined && values.length === 0) return;",
        "return;",
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/commands/secrets/import.ts",
    [IMPORT],
    [
      ["import-twice", "A name that stands twice is imported in no form.", "if (repeated.length > 0) {", "if (repeated.length < 0) {"],
      ["import-missing", "A map names what is there.", "if (missing.length === 0) return map;", "return map;"],
    ],
  ),
  ...guardsOf(
    "src/cli/commands/secrets/env-file.ts",
    [IMPORT],
    [
      [
        "import-hosts",
        "Hosts of an imported secret are shown as they are.",
        "    refuseBadHosts(hosts, { where: 'What stands in \"hosts\"' });\n    return parseBinding({\n      hosts,",
        "    return parseBinding({\n      hosts,",
      ],
      ["import-names", "Names of an imported secret are shown as they are.", "if (!isSecretName(name)) throw", 'if (name === "") throw'],
    ],
  ),
  ...guardsOf(
    "src/cli/check/secret-bindings.ts",
    [CHECK],
    [["check-own-hosts", "check judges the hosts a header is for.", "(use.hosts ?? reached)", "reached"]],
  ),
  ...guardsOf(
    "src/cli/check/missing-secrets.ts",
    [CHECK],
    [
      [
        "check-agents",
        "check knows the secrets of agents.",
        "return agent?.names.find(([own]) => own === name)?.[1] ?? name;",
        'return agent?.agent === "" ? "" : name;',
      ],
    ],
  ),
  ...guardsOf(
    "src/engine/finish.ts",
    ["src/cli/store-errors.test.ts"],
    [
      [
        "operator-text",
        "What is for the operator alone is told to nobody who calls from elsewhere.",
        'return origin === "cli" ? "operator" : "caller";',
        'return origin === undefined ? "caller" : "operator";',
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/commands/secrets/list.ts",
    ["src/cli/commands/secrets/list.test.ts"],
    [
      [
        "list-verified",
        "What list shows is what toolyard wrote.",
        "const unverified = await whyUnverified(vault);",
        "const unverified = vault.hasRecovery() === null ? await whyUnverified(vault) : undefined;",
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/secret-hosts.ts",
    ["src/cli/secret-hosts.test.ts"],
    [
      [
        "bound-to-metadata",
        "No secret is bound to where no request may go.",
        "if (!isTakenAway && isNeverReachable(pattern)) throw",
        "if (isTakenAway && isNeverReachable(pattern)) throw",
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/terminal-text.ts",
    ["src/cli/line-breaks.test.ts"],
    [
      [
        "names-one-line",
        "A name of a file begins no row of its own.",
        "return visible(text).replace(/[\\n\\t]/g,",
        "return visible(text).replace(/[\\t]/g,",
      ],
    ],
  ),
  {
    name: "trust-person",
    about: "Without a terminal nobody says yes, --yes only where TOOLYARD_CONFIRM says so.",
    changes: [
      {
        file: "src/cli/commands/trust.ts",
        find: "  if (options.yes === true && !config.isConfirmed && !canAsk) {",
        replace: "  if (canAsk === undefined) {",
      },
      {
        file: "src/cli/commands/trust.ts",
        find: "if (options.yes === true && config.isConfirmed) return true;",
        replace: "if (options.yes === true) return true;",
      },
    ],
    tests: ["test/security/attack.test.ts"],
  },
];
