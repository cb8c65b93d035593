/** Questions to a person at the terminal. They are shown on stderr, so that stdout holds the answer of the command alone. */
import { confirm, isCancel, password } from "@clack/prompts";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { CliContext } from "./command.ts";

/** Most bytes read from stdin for one value; the vault takes 64 KiB. */
const MAX_STDIN_BYTES = 1_048_576;

/** A secret's value: asked for without showing it on a terminal, else all of stdin. Throws `ToolError` CANCELLED. */
export async function readSecretValue({ streams }: CliContext, message: string): Promise<Secret> {
  if (streams.stdin.isTTY !== true) return new Secret(await readAll(streams.stdin));
  const answer = await password({ message, mask: "", input: process.stdin, output: process.stderr });
  if (isCancel(answer)) throw new ToolError("CANCELLED", "Nothing was stored.");
  return new Secret(answer ?? "");
}

/** True if the person at the terminal says yes; the answer that is set is no. */
export async function askYes(message: string): Promise<boolean> {
  const answer = await confirm({ message, initialValue: false, input: process.stdin, output: process.stderr });
  return answer === true;
}

/** All of a stream as UTF-8 text, at most 1 MiB. Throws `ToolError` QUOTA_EXCEEDED for more. */
export async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MAX_STDIN_BYTES) throw new ToolError("QUOTA_EXCEEDED", `More than ${MAX_STDIN_BYTES} bytes came from stdin. Send less.`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
