import { type ContentBlock, textOfBlocks } from "../core/content.ts";
import { messageOf, systemCode, ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonValue } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { wellFormedJson } from "../core/text.ts";
import type { Caller, CallResult, KeptResult, ToolDefinition } from "../core/tool.ts";
import { countCharacters, cutBlocks, wholeText, withLastLine } from "../results/fit-content.ts";
import { type ReadHint, readOnText, resultUri } from "../results/hints.ts";
import type { ResultStore } from "../results/result-store.ts";

/** What a tool gave: a value, content blocks, or both. */
export interface Given {
  readonly value?: JsonValue;
  readonly blocks?: readonly ContentBlock[];
}

/** What results are shaped with. */
export interface ResultShaping {
  readonly callId: string;
  readonly tool: ToolDefinition;
  readonly caller: Caller;
  /** Limit of text and structured content together, in UTF-16 units. */
  readonly maxCharacters: number;
  /** Keeps what is over the limit; absent: nothing is kept. */
  readonly results: ResultStore | undefined;
  readonly hint: ReadHint;
  readonly log: Log;
}

type OkResult = Extract<CallResult, { kind: "ok" }>;

/** Numbers of a line about a cut; the longest that can stand there. */
const LARGEST = 999_999_999;

/**
 * Turns what a tool gave into text, structured content and blocks.
 * Text is the value itself for a string, else its JSON. An object, or any value of a tool with an `output` schema, is
 * structured content too. Blocks stand in the place of the text; the value's text comes before them where none is text.
 * Over the limit a result has only text, cut at a code point, and its last line says what is left out and how to get it;
 * a tool with an `output` schema must give structured content, so there it is `ToolError` RESULT_TOO_LARGE with the id.
 */
export async function shapeResult(given: Given, shaping: ResultShaping): Promise<OkResult> {
  const { callId, tool, maxCharacters } = shaping;
  const value = given.value === undefined ? undefined : wellFormedJson(given.value);
  const valueText = value === undefined ? undefined : textOfValue(value);
  const blocks = allBlocks(given.blocks, valueText);
  const isStructured = value !== undefined && (tool.output !== undefined || isJsonObject(value));
  const structuredText = isStructured ? JSON.stringify(value) : "";
  const characters = countCharacters(blocks) + structuredText.length;
  if (characters <= maxCharacters) {
    const structured = isStructured && value !== undefined ? { structured: value } : {};
    return { ...okResult(callId, blocks, value), ...structured };
  }
  const isInText = blocks.some((block) => block.type === "text" && block.text === valueText);
  const whole = wholeText(blocks, isStructured && !isInText ? structuredText : undefined);
  const mimeType = whole.text === valueText && typeof value !== "string" ? "application/json" : "text/plain";
  if (tool.output !== undefined) throw await tooLarge(characters, { text: whole.text, mimeType }, shaping);
  const notice = structuredNotice(characters, maxCharacters);
  if (isInText && countCharacters(blocks) + notice.length <= maxCharacters) {
    // The text stays JSON that can be parsed, so the line is a block of its own.
    return okResult(callId, [...blocks, { type: "text", text: notice }], undefined);
  }
  const kept = await cut(blocks, { ...whole, mimeType }, shaping);
  return { ...okResult(callId, kept.blocks, undefined), leftOut: kept.leftOut };
}

/** Blocks that come with a failure, cut so that they and the message stay within the limit. */
export async function shapeFailureBlocks(
  blocks: readonly ContentBlock[],
  message: string,
  shaping: ResultShaping,
): Promise<readonly ContentBlock[]> {
  const maxCharacters = Math.max(0, shaping.maxCharacters - message.length);
  if (countCharacters(blocks) <= maxCharacters) return blocks;
  return (await cut(blocks, { ...wholeText(blocks, undefined), mimeType: "text/plain" }, { ...shaping, maxCharacters })).blocks;
}

function textOfValue(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function allBlocks(given: readonly ContentBlock[] | undefined, valueText: string | undefined): readonly ContentBlock[] {
  const own: readonly ContentBlock[] = valueText === undefined ? [] : [{ type: "text", text: valueText }];
  if (given === undefined) return own;
  return given.some((block) => block.type === "text") ? given : [...own, ...given];
}

/** `value` undefined: the text is the value, as there is none or it is not whole. */
function okResult(callId: string, blocks: readonly ContentBlock[], value: JsonValue | undefined): OkResult {
  const text = textOfBlocks(blocks);
  const [first] = blocks;
  const isPlain = blocks.length === 1 && first?.type === "text" && first.annotations === undefined;
  return { kind: "ok", callId, text, value: value === undefined ? text : value, ...(isPlain ? {} : { blocks }) };
}

async function cut(
  blocks: readonly ContentBlock[],
  whole: ReturnType<typeof wholeText> & { readonly mimeType: KeptResult["mimeType"] },
  shaping: ResultShaping,
): Promise<{ readonly blocks: readonly ContentBlock[]; readonly leftOut: number }> {
  const { maxCharacters } = shaping;
  const id = await keep({ text: whole.text, mimeType: whole.mimeType }, shaping);
  const total = whole.text.length;
  const line = (nextOffset: number): string =>
    `[${total - nextOffset} of ${total} characters left out: the result is over the limit of ${maxCharacters} ("resultCharacters"). ${readOn(id, nextOffset, shaping)}]`;
  // Longer than the real one, whose numbers are not known before the cut.
  const reserved = line(LARGEST).length + 1;
  const kept = cutBlocks(blocks, whole, Math.max(0, maxCharacters - reserved));
  return { blocks: withLastLine(kept.blocks, line(kept.nextOffset)), leftOut: total - kept.nextOffset };
}

function structuredNotice(characters: number, maxCharacters: number): string {
  return `[The text above is complete. It is not given as structured content too: together that would be ${characters} characters, over the limit of ${maxCharacters} ("resultCharacters").]`;
}

async function tooLarge(
  characters: number,
  whole: Pick<KeptResult, "mimeType"> & { readonly text: string },
  shaping: ResultShaping,
): Promise<ToolError> {
  const { tool, maxCharacters } = shaping;
  const id = await keep(whole, shaping);
  const next = id === undefined ? "Ask for less, or let the script return less." : `${readOn(id, 0, shaping)} Or ask for less.`;
  return new ToolError(
    "RESULT_TOO_LARGE",
    `${tool.name} returned ${characters} characters of text and structured content; the limit is ${maxCharacters} ("resultCharacters"). ${next}`,
    { data: { characters, limit: maxCharacters, ...(id === undefined ? {} : { id, uri: resultUri(id) }) } },
  );
}

function readOn(id: string | undefined, offset: number, { hint, results }: ResultShaping): string {
  return readOnText(id, { hint, offset, keptMs: results?.keptMs ?? 0 });
}

/** The id under which the whole is kept; undefined where it could not be: the call must not fail for that. */
async function keep(
  whole: Pick<KeptResult, "mimeType"> & { readonly text: string },
  { callId, tool, caller, results, log }: ResultShaping,
): Promise<string | undefined> {
  if (results === undefined) return undefined;
  try {
    return await results.keep(caller.agent, { ...whole, tool: tool.name });
  } catch (error) {
    log.warn("result.notKept", { callId, tool: tool.name, code: systemCode(error), reason: messageOf(error) });
    return undefined;
  }
}
