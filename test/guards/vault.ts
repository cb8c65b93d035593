/** Guards of the vault, its key and what is stored in it. */
import { guardsOf, type SecurityGuard } from "./guard.ts";

const TAMPERING = "test/security/vault-tampering.test.ts";
const ORDER = "src/core/private-file-order.test.ts";
const PRIVATE_FILE = "src/core/private-file.test.ts";
const KEY_SOURCE = "src/secrets/key-source.test.ts";
const VALUE = "src/secrets/secret-value.test.ts";

export const vaultGuards: readonly SecurityGuard[] = [
  ...guardsOf(
    "src/secrets/vault-file.ts",
    [TAMPERING],
    [
      [
        "vault-canonical",
        "A vault has one spelling.",
        'if (serializeVault(file) !== text) throw tampered("its text is not in the form toolyard writes");',
        "",
      ],
      [
        "vault-kdf-bounds",
        "A forged head cannot ask for all memory.",
        "m: z.int().min(ARGON2_BOUNDS.m[0]).max(ARGON2_BOUNDS.m[1]),",
        "m: z.int(),",
      ],
      ["vault-newer", "A newer format is refused as what it is.", "  refuseNewer(json);\n", "", "src/secrets/vault.test.ts"],
      [
        "vault-aad-binding",
        "An item opens with its own hosts only.",
        '"item", vaultId, ...place, [hosts, header, format, methods]]',
        '"item", vaultId, ...place, [header, format, methods]]',
      ],
      [
        "vault-aad-form",
        "An item opens with its own header, format and methods only.",
        '"item", vaultId, ...place, [hosts, header, format, methods]]',
        '"item", vaultId, ...place, [hosts]]',
      ],
      [
        "vault-aad-name",
        "An item opens under its own name only.",
        "const place = [scopeText(item.scope), item.name, item.gen, item.setAtMs];",
        "const place = [scopeText(item.scope), item.gen, item.setAtMs];",
      ],
      [
        "vault-aad-scope",
        "An item opens in its own workspace only.",
        "const place = [scopeText(item.scope), item.name, item.gen, item.setAtMs];",
        "const place = [item.name, item.gen, item.setAtMs];",
      ],
      [
        "vault-aad-time",
        "An item opens with the time of its setting only.",
        "const place = [scopeText(item.scope), item.name, item.gen, item.setAtMs];",
        "const place = [scopeText(item.scope), item.name];",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/vault-keys.ts",
    [TAMPERING],
    [
      [
        "vault-mac",
        "The MAC covers the whole file.",
        'if (!isSameMac(macOf(keys.mac, macText(file)), file.mac)) throw tampered("its MAC does not fit its content");',
        "",
      ],
    ],
  ),
  ...guardsOf(
    "src/core/private-file.ts",
    [PRIVATE_FILE],
    [
      ["private-mode", "Files of others' rights are refused.", "(Number(stat.mode) & 0o077) !== 0) {", "false) {"],
      [
        "private-owner",
        "Files of another user are refused.",
        "Number(stat.uid) !== process.geteuid?.()) {",
        "false) {",
        "test/security/vault-faults.test.ts",
        PRIVATE_FILE,
      ],
      [
        "private-link",
        "Links are not followed.",
        "constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);",
        "constants.O_RDONLY | constants.O_NONBLOCK);",
      ],
      [
        "private-flushed",
        "A file is flushed before it has its name.",
        "    writeFileSync(descriptor, text);\n    fsyncSync(descriptor);",
        "    writeFileSync(descriptor, text);",
        ORDER,
      ],
      [
        "folder-flushed",
        "A folder is flushed after a change in it.",
        "constants.O_RDONLY);\n  try {\n    fsyncSync(descriptor);",
        "constants.O_RDONLY);\n  try {",
        ORDER,
      ],
      ["private-folder", "A folder that others can write to is refused.", "if ((mode & 0o022) !== 0) {", "if (mode === -1) {"],
      [
        "private-size",
        "A huge file is not read.",
        "if (stat.size > BigInt(maxBytes)) throw storeError(",
        "if (stat.size < 0n) throw storeError(",
      ],
      ["private-new-mode", "New files are of the owner only.", "fchmodSync(descriptor, 0o600);", "fchmodSync(descriptor, 0o644);"],
      [
        "leftovers",
        "What a killed writer left is removed.",
        "      rmSync(join(dirname(path), name), { force: true });\n",
        "",
        PRIVATE_FILE,
        "test/security/vault-crash.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/key-file.ts",
    [KEY_SOURCE],
    [
      ["key-mode", "A key file that others can read is refused.", "if ((stat.mode & others) !== 0)", "if (others === -1)"],
      [
        "key-link",
        "A key file is not a link.",
        "constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);",
        "constants.O_RDONLY | constants.O_NONBLOCK);",
      ],
      [
        "key-workspace",
        "A key file does not lie in the workspace.",
        "if (rules.workspaceRoot !== undefined && liesWithin(",
        "if (rules.workspaceRoot === null && liesWithin(",
      ],
      [
        "key-pipe",
        "A pipe as key file is not waited for.",
        "constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);",
        "constants.O_RDONLY | constants.O_NOFOLLOW);",
        "src/secrets/key-file.test.ts",
      ],
      [
        "key-owner",
        "A key file belongs to this user.",
        "stat.uid !== process.geteuid?.()) {",
        "stat.uid === -1) {",
        KEY_SOURCE,
        "test/security/vault-faults.test.ts",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/secret-value.ts",
    [VALUE],
    [
      ["value-characters", "A value can be a header's.", "if (!isHeaderValue(text)) {", 'if (text === "") {'],
      [
        "value-strength",
        "A value that can be guessed is refused.",
        "const weakness = allowShort ? undefined : weaknessOf(value);",
        "const weakness = undefined;",
      ],
      ["value-ends", "A value has no blank at an end, which an echo would lack.", "if (BLANK_END.test(text)) {", 'if (text === "") {'],
      ["value-size", "A value has at most 64 KiB.", "if (Buffer.byteLength(text) > MAX_SECRET_BYTES)", "if (Buffer.byteLength(text) < 0)"],
    ],
  ),
  ...guardsOf(
    "src/cli/config.ts",
    ["src/cli/config.test.ts"],
    [["passphrase-removed", "No child inherits the passphrase.", "  delete env.TOOLYARD_PASSPHRASE;\n", ""]],
  ),
  ...guardsOf(
    "src/secrets/keychain.ts",
    ["test/security/keychain.test.ts"],
    [
      [
        "keychain-time",
        "A keychain that hangs is waited for 5 s.",
        '      child.kill("SIGKILL");\n      resolve({ kind: "timeout" });\n',
        "",
      ],
    ],
  ),
  ...guardsOf(
    "src/secrets/secret-folder.ts",
    ["src/secrets/secret-folder.test.ts"],
    [
      [
        "folder-link-out",
        "A link that leads out of --secrets-dir is refused.",
        'if (!liesIn(real, folder)) throw refused(what, "is a link',
        'if (real === "") throw refused(what, "is a link',
      ],
      [
        "folder-workspace",
        "--secrets-dir does not lie in the workspace.",
        "if (liesWithin(real, workspaceRoot)) {",
        "if (real === workspaceRoot + workspaceRoot) {",
      ],
    ],
  ),
  ...guardsOf(
    "src/cli/node-options.ts",
    ["src/cli/node-options.test.ts"],
    [
      ["node-inspect", "No debugger reads the server's memory.", '  ["--inspect*", "lets', '  ["--nothing*", "lets'],
      ["node-keylog", "No TLS keys are written down.", '  ["--tls-keylog", "writes', '  ["--nothing", "writes'],
      ["node-report", "No report with the environment is written.", '  ["--report-on*", "writes', '  ["--nothing", "writes'],
      ["node-debug", "No debug log shows URLs.", 'variables[each] !== ""', 'variables[each] === "nothing"'],
      ["node-words", "NODE_OPTIONS counts as well.", "[wordsOf(nodeOptions), ", "[[], "],
    ],
  ),
  ...guardsOf(
    "src/secrets/vault-file.ts",
    [TAMPERING],
    [["vault-aad-wrap", "A data key opens with the head it was made with only.", '"wrap", id, keyToJson(key)]', '"wrap", id]']],
  ),
  ...guardsOf(
    "src/secrets/vault-store.ts",
    ["src/secrets/vault-store.test.ts"],
    [
      ["vault-lock-held", "Who lost the lock does not write.", "lock.isHeld() && fileSignature", "fileSignature"],
      [
        "vault-unchanged",
        "Nobody writes over what another has written meanwhile.",
        " && fileSignature(this.#path) === stored?.signature",
        "",
      ],
    ],
  ),
];
