import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { messageOf } from "../../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Caller, CallResult, LogLine, Progress } from "../../core/tool.ts";
import { findByName } from "../../core/tool-name.ts";
import { visible } from "../../core/visible-text.ts";
import type { Engine } from "../../engine/engine.ts";
import type { CallRecord } from "../../engine/record.ts";
import { type AgentOptions, chooseCaller, withAgent } from "../agent-choice.ts";
import { openCliRuntime } from "../cli-runtime.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { withFlag, workspaceFlag } from "../command-wording.ts";
import type { Output } from "../io.ts";
import { readAll } from "../prompts.ts";
import { blockLines, contentData, resultData, resultLines, saveBlocks } from "../result-view.ts";
import { type SecretsDirOptions, withSecretsDir } from "../secrets-dir.ts";
import { recordOnce } from "../serving/record-workspace.ts";
import { slowRealmHint } from "../slow-realm.ts";
import { parseArgumentsText, parsePairs } from "../tool-arguments.ts";
import { UsageError } from "../usage-error.ts";

interface RunOptions extends WorkspaceOptions, AgentOptions, SecretsDirOptions {
  readonly args?: string;
  readonly save?: string;
}

/** `toolyard run TOOL [key=value…]`: one call, on the same path as a client's. */
export function runCommand(context: CliContext): Command {
  const command = newCommand("run", {
    summary: "call a tool once, as a client would; progress and logs go to stderr",
    example: "toolyard run weather place=Lisbon days=2\ntoolyard run csv-query --args @query.json limit=5",
    json: "write the whole result or error as JSON",
  })
    .argument("<tool>")
    .argument("[key=value...]", "arguments, typed by the tool's schema; JSON for objects and arrays")
    .option("--args <json>", "arguments as a JSON object, @FILE, or - for stdin; pairs win over it")
    .option("--save <file>", "write the image, sound or file of the result to a new file");
  return withAction(
    withSecretsDir(withAgent(withWorkspace(command))),
    context,
    (name: string, pairs: readonly string[], options: RunOptions) => run(context, name, pairs, options),
  );
}

async function run(context: CliContext, name: string, pairs: readonly string[], options: RunOptions): Promise<ExitCode> {
  const given = options.args === undefined ? {} : await givenArguments(context, options.args);
  const records: CallRecord[] = [];
  await using runtime = await openCliRuntime(context, options, { kind: "once", onRecord: (record) => void records.push(record) });
  await recordOnce(context, runtime);
  const caller = chooseCaller(runtime, options, "cli");
  const { engine } = runtime;
  await engine.refresh({ kind: "list" });
  const args = { ...given, ...parsePairs(pairs, parametersOf(engine, caller, name)) };
  using interrupt = abortOnInterrupt();
  const result = await engine.call(caller, { name, args, signal: interrupt.signal, ...listeners(context.output) });
  print(context, result, options);
  if (options.save !== undefined && result.kind === "ok") {
    const files = await saveBlocks(result.blocks ?? [], path.resolve(context.cwd, options.save));
    for (const file of files) context.output.note(`Wrote ${visible(file)}`);
  }
  // The line at the end of the answer is easily missed where that goes into a file or a pipe.
  if (result.kind === "ok" && result.leftOut !== undefined)
    context.output.note(`The result is cut: ${result.leftOut} characters are left out, over the limit "resultCharacters".`);
  for (const hint of records.flatMap((record) => slowRealmHint(record, runtime.workspace.current().tools) ?? [])) context.output.note(hint);
  if (result.kind === "ok") return 0;
  return interrupt.signal.aborted ? 130 : 1;
}

async function givenArguments({ streams, cwd }: CliContext, text: string): Promise<JsonObject> {
  if (text === "-") return parseArgumentsText(await readAll(streams.stdin), "--args from stdin");
  if (!text.startsWith("@")) return parseArgumentsText(text, "--args");
  const file = path.resolve(cwd, text.slice(1));
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`--args names a file that cannot be read: ${messageOf(error)}`, { cause: error });
  }
  return parseArgumentsText(content.replace(/^\uFEFF/, ""), `--args ${text}`);
}

/**
 * The published schema, in which a parameter's type does not hide behind a reference, with each parameter by both of its
 * names. A tool that is not there, or set aside, has none; the call itself says so.
 */
function parametersOf(engine: Engine, caller: Caller, name: string): JsonObject {
  const working = engine.list(caller).filter((tool) => tool.status.kind !== "broken");
  const tool = findByName(working, name, (one) => one);
  if (tool === undefined) return {};
  const { published, rename } = engine.published(tool).parameters;
  const properties = isJsonObject(published.properties) ? published.properties : {};
  const byOwnName = [...rename.names].flatMap(([own, safe]): readonly [string, JsonValue][] => {
    const schema = Object.hasOwn(properties, safe) ? properties[safe] : undefined;
    return schema === undefined ? [] : [[own, schema]];
  });
  return { properties: Object.fromEntries([...byOwnName, ...Object.entries(properties)]) };
}

function listeners(output: Output): { onLog: (line: LogLine) => void; onProgress: (progress: Progress) => void } {
  return {
    onLog: ({ level, text }) => output.note(output.paintNote("quiet", `${level}: ${visible(text)}`)),
    onProgress: ({ done, total, message }) => {
      const count = total === undefined ? `${done}` : `${done}/${total}`;
      output.note(output.paintNote("quiet", `progress: ${count}${message === undefined ? "" : ` ${visible(message)}`}`));
    },
  };
}

/** The first Ctrl-C cancels the call, which then ends with CANCELLED; a second one ends the program at once. */
function abortOnInterrupt(): { readonly signal: AbortSignal; [Symbol.dispose](): void } {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort();
  process.once("SIGINT", onInterrupt);
  return { signal: controller.signal, [Symbol.dispose]: () => void process.off("SIGINT", onInterrupt) };
}

function print(context: CliContext, result: CallResult, options: RunOptions): void {
  const { output, streams } = context;
  const asJson = options.json === true;
  if (result.kind === "error") {
    const { code, message, data, blocks = [] } = result;
    // People get commands to paste; JSON is what a client of the same call gets.
    output.failure(code, withFlag(message, workspaceFlag(context, options)));
    for (const line of excerptLines(data)) output.note(output.paintNote("quiet", visible(line)));
    for (const line of blockLines(blocks)) output.note(visible(line));
    if (asJson) output.json({ error: { ...data, code, message }, ...(blocks.length === 0 ? {} : { content: contentData(blocks) }) });
  } else if (asJson) {
    output.json(resultData(result));
  } else {
    // A terminal must not be steered by what a tool fetched; a file or pipe gets the text as it is.
    for (const line of resultLines(result)) output.line(streams.stdout.isTTY === true ? visible(line) : line);
  }
}

/** The lines of the script around the place of an error, of a call that failed or of a tool that is set aside. */
function excerptLines({ excerpt, problem }: JsonObject): readonly string[] {
  const text = isJsonObject(problem) ? problem.excerpt : excerpt;
  return typeof text === "string" ? text.split("\n") : [];
}
