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

/** One entry per vault, named by the vault's id. Every method throws `ToolError` VAULT_LOCKED if the keychain does not answer. */
export interface Keychain {
  read(vaultId: string): Promise<Secret | undefined>;
  write(vaultId: string, key: Secret): Promise<void>;
  remove(vaultId: string): Promise<boolean>;
}

/** The keychain of the user this process runs as. */
export function systemKeychain({ timeoutMs = KEYCHAIN_TIMEOUT_MS }: { readonly timeoutMs?: number } = {}): Keychain {
  return {
    async read(vaultId) {
      const { found } = await ask(FOUND, ["get", account(vaultId)], { timeoutMs });
      return found === null ? undefined : new Secret(found);
    },
    async write(vaultId, key) {
      await ask(STORED, ["set", account(vaultId)], { timeoutMs, input: key });
    },
    async remove(vaultId) {
      return (await ask(DELETED, ["delete", account(vaultId)], { timeoutMs })).deleted;
    },
  };
}

const FOUND = z.strictObject({ found: z.string().nullable() });
const STORED = z.strictObject({ stored: z.literal(true) });
const DELETED = z.strictObject({ deleted: z.boolean() });
const FAILED = z.strictObject({ error: z.string() });

function account(vaultId: string): string {
  return `vault ${vaultId}`;
}

async function ask<Answer>(
  schema: z.ZodType<Answer>,
  args: readonly string[],
  { timeoutMs, input }: { readonly timeoutMs: number; readonly input?: Secret },
): Promise<Answer> {
  const output = await runChild(args, timeoutMs, input?.reveal() ?? "");
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

function runChild(args: readonly string[], timeoutMs: number, input: string): Promise<ChildOutput> {
  // The sources run as .ts, the package as .js.
  const file = import.meta.url.endsWith(".ts") ? "./keychain-child.ts" : "./keychain-child.js";
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
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
