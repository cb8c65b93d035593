import { styleText } from "node:util";
import { type ErrorCode, foreignErrorText, ToolError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import { visible } from "../core/visible-text.ts";

/** The streams of the program, and whether a person sits at them. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Colours in use, by meaning. */
export type Tone = "strong" | "quiet" | "good" | "warning" | "bad";

/** Gives text a colour where colours are shown, else gives it back. */
export type Paint = (tone: Tone, text: string) => string;

/** What a command writes with. stdout gets the answer and nothing else. */
export interface Output {
  /** Writes a line of the answer to stdout. */
  line(text?: string): void;
  /** Writes the answer as JSON to stdout; what a terminal would act on is written as `\u001b`, which JSON reads as the same text. */
  json(value: JsonValue): void;
  /** Writes a line beside the answer to stderr. */
  note(text: string): void;
  /**
   * Writes an error to stderr as `CODE  message`; with `--json` also as `{"error":…}` to stdout, where the reader looks.
   * `wording` makes the message for people of the one for machines.
   */
  error(error: unknown, options?: { readonly asJson?: boolean; readonly wording?: (message: string) => string }): void;
  /** Writes a code and a message to stderr, in the form of `error`. */
  failure(code: ErrorCode, message: string): void;
  readonly paint: Paint;
  readonly paintNote: Paint;
}

const STYLES = { strong: "bold", quiet: "dim", good: "green", warning: "yellow", bad: "red" } as const;

/** Makes the output; colours only where the stream is a terminal and the person wants them. */
export function createOutput({ stdout, stderr }: Streams, isColourWanted: boolean): Output {
  const paint = painter(isColourWanted && stdout.isTTY === true);
  const paintNote = painter(isColourWanted && stderr.isTTY === true);
  const failure = (code: ErrorCode, message: string): void => {
    const [first = "", ...rest] = visible(message).split("\n");
    stderr.write(
      [`${paintNote("bad", code)}  ${first}`, ...rest.map((line) => (/^\s/.test(line) ? line : `  ${line}`).trimEnd()), ""].join("\n"),
    );
  };
  return {
    failure,
    line: (text = "") => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(jsonText(value)),
    note: (text) => void stderr.write(`${text}\n`),
    error: (error, { asJson = false, wording = asItIs } = {}) => {
      const { code, message } = errorFacts(error);
      failure(code, wording(message));
      if (asJson) stdout.write(jsonText({ error: { code, message, ...errorData(error) } }));
    },
    paint,
    paintNote,
  };
}

function asItIs(message: string): string {
  return message;
}

function jsonText(value: JsonValue): string {
  return `${visible(JSON.stringify(value, null, 2))}\n`;
}

function painter(isOn: boolean): Paint {
  return isOn ? (tone, text) => styleText(STYLES[tone], text, { validateStream: false }) : (_tone, text) => text;
}

function errorFacts(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  if (error instanceof ToolError) return { code: error.code, message: error.message };
  return { code: "UNAVAILABLE", message: foreignErrorText(error) };
}

function errorData(error: unknown): { readonly data?: JsonValue } {
  return error instanceof ToolError && Object.keys(error.data).length > 0 ? { data: error.data } : {};
}
