/** Questions to a person at the terminal. They are shown on stderr, so that stdout holds the answer of the command alone. */
import { PassThrough } from "node:stream";
import { confirm, isCancel, password, text } from "@clack/prompts";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { CliContext } from "./command.ts";

/** Most bytes read from stdin for one value; the vault takes 64 KiB. */
const MAX_STDIN_BYTES = 1_048_576;

/** The keys a person types, for one question. */
interface Keyboard extends Disposable {
  readonly input: PassThrough;
  /** Aborted when the person ends the input instead of answering. */
  readonly signal: AbortSignal;
}

/**
 * Ctrl-D, and a terminal that is closed, cancel the question: the library stops reading then and never answers, so the
 * program would end as if all were done. It gets a stream of its own, since at a terminal that is gone it would fail
 * where nobody can catch that.
 */
function openKeyboard(): Keyboard {
  const { stdin } = process;
  const input = new PassThrough();
  const controller = new AbortController();
  const end = (): void => controller.abort();
  input.on("keypress", (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key.ctrl === true && key.name === "d") end();
  });
  for (const event of ["end", "close", "error"]) stdin.on(event, end);
  process.on("SIGHUP", end);
  stdin.setRawMode(true);
  stdin.pipe(input);
  return {
    input,
    signal: controller.signal,
    [Symbol.dispose]: () => {
      stdin.unpipe(input).pause();
      stdin.setRawMode(false);
      // What a terminal that is gone still has to say comes later, when the program has ended the question and says so.
      if (controller.signal.aborted) return;
      for (const event of ["end", "close", "error"]) stdin.off(event, end);
      process.off("SIGHUP", end);
    },
  };
}

/** A secret's value: asked for without showing it on a terminal, else all of stdin. Throws `ToolError` CANCELLED. */
export async function readSecretValue({ streams }: CliContext, message: string): Promise<Secret> {
  if (streams.stdin.isTTY !== true) return new Secret(await readAll(streams.stdin));
  using keyboard = openKeyboard();
  const answer = await password({ message, mask: "", input: keyboard.input, output: process.stderr, signal: keyboard.signal });
  if (isCancel(answer)) throw new ToolError("CANCELLED", "Nothing was stored.");
  return new Secret(answer ?? "");
}

/** Answers to several questions. */
export interface Answers {
  /** The next one: asked for without showing it on a terminal, else the next line of stdin. Throws `ToolError` CANCELLED. */
  next(message: string): Promise<Secret>;
}

/** For several hidden values in a row. Reads all of stdin where that is not a terminal. */
export async function openAnswers(context: CliContext): Promise<Answers> {
  if (context.streams.stdin.isTTY === true) return { next: (message) => readSecretValue(context, message) };
  const lines = (await readAll(context.streams.stdin)).split(/\r?\n/).map((line) => new Secret(line));
  return { next: async () => lines.shift() ?? new Secret("") };
}

/** True if a person can see a question, which is shown on stderr, and type the answer. */
export function canAskPerson({ stdin, stderr }: CliContext["streams"]): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** True if the person at the terminal says yes; the answer that is set is no. */
export async function askYes(message: string): Promise<boolean> {
  using keyboard = openKeyboard();
  const answer = await confirm({ message, initialValue: false, input: keyboard.input, output: process.stderr, signal: keyboard.signal });
  return answer === true;
}

/** A line that the person at the terminal types, shown while typed. Throws `ToolError` CANCELLED. */
export async function askLine(message: string): Promise<string> {
  using keyboard = openKeyboard();
  const answer = await text({ message, input: keyboard.input, output: process.stderr, signal: keyboard.signal });
  if (isCancel(answer)) throw new ToolError("CANCELLED", "Nothing was stored.");
  return answer ?? "";
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
