/**
 * The system's keychain (macOS Keychain, Windows Credential Manager, Secret Service on Linux). It holds one thing: the
 * vault's master key. Never waits longer than its limit, whatever the keychain does.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";

/** Longest wait for one operation, in milliseconds; a keychain that asks the user something takes longer and counts as locked. */
const KEYCHAIN_TIMEOUT_MS = 5_000;

/** `next` holds a new key from before until after the vault is written with it; see key-change.ts. */
export type KeychainEntry = "current" | "next";

/** What the keychain holds for a vault. */
export type KeychainKeys = Readonly<Partial<Record<KeychainEntry, Secret>>>;

/** Two entries per vault, named by the vault's id. Every method throws `ToolError` VAULT_LOCKED if the keychain does not answer. */
export interface Keychain {
  read(vaultId: string): Promise<KeychainKeys>;
  write(vaultId: string, entry: KeychainEntry, key: Secret): Promise<void>;
  /** False if there was none. */
  remove(vaultId: string, entry: KeychainEntry): Promise<boolean>;
}

/** How the keychain is asked. */
export interface KeychainOptions {
  /** Default 5,000. */
  readonly timeoutMs?: number;
  /** Environment of the process that asks, made by `keychainEnvironment`; default: that of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The keychain of the user this process runs as. */
export function systemKeychain(options: KeychainOptions = {}): Keychain {
  return {
    async read(vaultId) {
      // One process for both, so that a keychain that hangs is waited for once.
      const { found } = await ask(FOUND, ["get", account(vaultId, "current"), account(vaultId, "next")], options);
      const [current, next] = found.map((text) => (text === null ? undefined : new Secret(text)));
      return { ...(current === undefined ? {} : { current }), ...(next === undefined ? {} : { next }) };
    },
    async write(vaultId, entry, key) {
      await ask(STORED, ["set", account(vaultId, entry)], options, key);
    },
    async remove(vaultId, entry) {
      return (await ask(DELETED, ["delete", account(vaultId, entry)], options)).deleted;
    },
  };
}

/** What a process needs to find the keychain: the session bus, a display for a password dialog, the user's folders. */
const KEYCHAIN_VARIABLES = [
  ...["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
  ...["HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "PATH", "TMPDIR", "__CF_USER_TEXT_ENCODING", "SECURITYSESSIONID"],
  ...["SystemRoot", "USERPROFILE", "USERNAME", "USERDOMAIN", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"],
];

/**
 * The part of an environment that the process for the keychain gets: neither keys and passwords of others, nor
 * NODE_OPTIONS and the like, which could load code into a process that handles the master key.
 */
export function keychainEnvironment(environment: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const names = new Set(KEYCHAIN_VARIABLES.map((name) => name.toUpperCase()));
  const found = Object.entries(environment).filter(([name]) => names.has(name.toUpperCase()));
  return Object.fromEntries(found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

const FOUND = z.strictObject({ found: z.tuple([z.string().nullable(), z.string().nullable()]) });
const STORED = z.strictObject({ stored: z.literal(true) });
const DELETED = z.strictObject({ deleted: z.boolean() });
const FAILED = z.strictObject({ error: z.string() });

function account(vaultId: string, entry: KeychainEntry): string {
  return entry === "current" ? `vault ${vaultId}` : `vault ${vaultId} next`;
}

async function ask<Answer>(
  schema: z.ZodType<Answer>,
  args: readonly string[],
  { timeoutMs = KEYCHAIN_TIMEOUT_MS, environment }: KeychainOptions,
  input?: Secret,
): Promise<Answer> {
  const output = await runChild(args, { timeoutMs, environment, input: input?.reveal() ?? "" });
  if (output.kind === "timeout") throw locked(`did not answer within ${timeoutMs / 1_000} s; it may be waiting for someone to unlock it`);
  if (output.kind === "error") throw locked("cannot be asked: the process for it did not start", output.error);
  const json = parseJson(output.text);
  const answer = schema.safeParse(json);
  if (answer.success) return answer.data;
  const failed = FAILED.safeParse(json);
  throw locked("is not available here", failed.success ? new Error(failed.data.error) : undefined);
}

/** Undefined for what is no JSON, such as nothing at all from a child that died. The parser's error would quote the text, which may be the key. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // See above.
    return undefined;
  }
}

type ChildOutput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "error"; readonly error: unknown };

interface ChildInput {
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>> | undefined;
  readonly input: string;
}

function runChild(args: readonly string[], { timeoutMs, environment, input }: ChildInput): Promise<ChildOutput> {
  // The sources run as .ts, the package as .js.
  const file = import.meta.url.endsWith(".ts") ? "./keychain-child.ts" : "./keychain-child.js";
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
    ...(environment === undefined ? {} : { env: { ...environment } }),
    windowsHide: true,
  });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve({ kind: "timeout" });
    }, timeoutMs);
    const finish = (output: ChildOutput): void => {
      clearTimeout(timer);
      resolve(output);
    };
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => finish({ kind: "error", error }));
    child.on("close", () => finish({ kind: "text", text: Buffer.concat(chunks).toString("utf8") }));
    // A child that died early closes its end; its exit says so already.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function locked(found: string, cause?: unknown): ToolError {
  return new ToolError(
    "VAULT_LOCKED",
    `The vault stays locked: its key is in the system's keychain, which ${found}. Unlock the keychain (on Linux: a running Secret Service and DBUS_SESSION_BUS_ADDRESS), then call again; no restart is needed.`,
    { cause },
  );
}
