/** Parses JavaScript, and says in our words why a text does not parse and where. */
import { type Options, type Program, parse } from "acorn";

/** What a text is, or its first fault by offset. */
export type ParsedText =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly offset: number; readonly message: string };

/** Parses a text, by default that of a module. Never throws for what the text holds. */
export function parseText(text: string, options: Partial<Options> = {}): ParsedText {
  try {
    // Scripts run inside a function, so "await" and "return" outside of one are faults, as they are in the file.
    const program = parse(text, { ecmaVersion: "latest", sourceType: "module", allowAwaitOutsideFunction: false, ...options });
    return { ok: true, program };
  } catch (error) {
    if (error instanceof SyntaxError && "pos" in error && typeof error.pos === "number") {
      return { ok: false, ...syntaxFault(error.message, text, error.pos) };
    }
    if (error instanceof RangeError) return { ok: false, offset: 0, message: TOO_DEEP };
    throw error;
  }
}

/** What is said of `await` where it stands for a name, or would wait in a function that is not async. */
export const AWAIT_TEXT = "await works inside an async function only, and cannot be a name.";

const TOO_DEEP = "The script is nested too deep to be read.";

/** A word that only TypeScript has, where a statement begins. */
const TYPE_WORD = /^(?:interface|enum|type|declare|namespace|abstract)\s+[\p{ID_Start}$_]/u;

/** The parser's message without its own position, and with the token it met. */
function syntaxFault(message: string, text: string, offset: number): { readonly offset: number; readonly message: string } {
  const plain = message.replace(/ \(\d+:\d+\)$/, "");
  if (/^Not enough stack space/.test(plain)) return { offset, message: TOO_DEEP };
  if (/^Cannot use keyword 'await'/.test(plain)) return { offset, message: AWAIT_TEXT };
  const types = isTypeScript(text, offset) ? " If this is TypeScript, let the file's name end in .ts." : "";
  if (plain !== "Unexpected token") return { offset, message: `${plain}.${types}` };
  const before = text.slice(0, offset);
  const outside = /\bawait\s+$/.exec(before)?.index ?? (text.startsWith("await", offset) && /\bfor\s*$/.test(before) ? offset : undefined);
  if (outside !== undefined) return { offset: outside, message: "await works inside an async function only; put it into main()." };
  const token = /^(?:[\p{ID_Start}$_][\p{ID_Continue}$]{0,40}|.)/u.exec(text.slice(offset, offset + 50))?.[0];
  return { offset, message: token === undefined ? "Unexpected end of the script." : `Unexpected token '${token}'.${types}` };
}

/** True if at the fault a type may be meant: behind a name or a list of parameters, or in a statement that only TypeScript has. */
function isTypeScript(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 200), offset);
  const after = text.slice(offset, offset + 100);
  if (/^\??\s*:/.test(after)) return /[\p{ID_Continue}$)\]}]\s*\??$/u.test(before) && /^\??\s*:\s*[\p{ID_Start}$_{["'(]/u.test(after);
  const statement = /[^;\n{}]*$/.exec(before)?.[0] ?? "";
  return TYPE_WORD.test(`${statement}${after}`.replace(/^\s*(?:export\s+)?/, "")) || /^as\s/.test(after);
}
