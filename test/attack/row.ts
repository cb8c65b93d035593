/** One way out of section 2.2 of the threat list, what it works with, and what is read from the answers. */
import { ToolError } from "../../src/core/errors.ts";
import type { Vault } from "../../src/secrets/vault.ts";
import type { Scope } from "../../src/secrets/vault-file.ts";
import type { CliAnswer } from "../support/cli.ts";
import { SECRETS } from "./canaries.ts";
import type { Target, ToolAnswer } from "./target.ts";
import type { Places } from "./workspace.ts";

/** What a row works with. */
export interface RowBench extends Places {
  readonly target: Target;
  readonly vault: Vault;
  readonly scope: Scope;
  readonly vaultPath: string;
  /** A command line without a terminal, as an agent with a shell has it. */
  readonly cli: (args: readonly string[]) => Promise<CliAnswer>;
  /** Adds a tool of the attacker's to tools.json and waits until it is live. */
  readonly addTool: () => Promise<void>;
  /** Texts that the search has to look through too. */
  readonly kept: string[];
}

/** One way out. */
export interface Row {
  readonly row: number;
  readonly attack: string;
  readonly run: (bench: RowBench) => Promise<unknown>;
  /** What `run` has to give. */
  readonly expected: unknown;
}

/** Codes of what went wrong: of the call, or of the requests of its script. */
export function codeOf(answer: ToolAnswer): readonly string[] {
  if (answer.isError === true) return [answer.structuredContent?.error?.code ?? "no code"];
  return [...textOf(answer).matchAll(/"code":"([A-Z_]+)"/g)].map(([, code = ""]) => code);
}

/** What the tool's script gave: an object is structured content, anything else is text. */
export function textOf({ structuredContent, content = [] }: ToolAnswer): string {
  return structuredContent === undefined ? content.map(({ text }) => text).join("\n") : JSON.stringify(structuredContent);
}

export function carriesSecret({
  url,
  headers,
  body,
}: {
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}): boolean {
  return [url, ...headers, body].some((text) =>
    Object.values(SECRETS).some((value) => text.includes(value) || text.includes(encodeURIComponent(value))),
  );
}

export async function refusalOf(promise: Promise<unknown>): Promise<{ readonly code: string; readonly text: string }> {
  try {
    await promise;
    return { code: "stored", text: "" };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { code: error.code, text: `${error.message}\n${error.stack}\n${JSON.stringify(error)}` };
  }
}
