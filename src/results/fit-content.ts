/**
 * Fits a result into its budget. Everything a client reads as text counts: text blocks, files that are text, links, and
 * structured content, which many clients hand to the model beside the text. Bytes of images have a limit of their own.
 */
import type { ContentBlock } from "../core/content.ts";
import { cutText } from "../core/text.ts";

/** Text of a result in the order of its blocks, with what is only in its structured content at the end: what is kept and paged. */
export interface WholeText {
  readonly text: string;
  /** Where the text of each block begins, by the block's index; blocks without text have none. */
  readonly starts: ReadonlyMap<number, number>;
  /** Where the structured content begins that no block holds. */
  readonly structuredStart?: number;
}

/** Blocks cut to a budget. */
export interface CutContent {
  readonly blocks: readonly ContentBlock[];
  /** Where the text goes on that is left out, in {@link WholeText}. */
  readonly nextOffset: number;
}

/** Characters (UTF-16 units) of the blocks that count. */
export function countCharacters(blocks: readonly ContentBlock[]): number {
  return blocks.reduce((sum, block) => sum + (textOf(block)?.length ?? 0), 0);
}

/** The whole text; `structured` is JSON that no block holds. */
export function wholeText(blocks: readonly ContentBlock[], structured: string | undefined): WholeText {
  const starts = new Map<number, number>();
  const texts: string[] = [];
  let length = 0;
  const add = (text: string): number => {
    const start = texts.length === 0 ? 0 : length + 1;
    texts.push(text);
    length = start + text.length;
    return start;
  };
  for (const [index, block] of blocks.entries()) {
    const text = textOf(block);
    if (text !== undefined) starts.set(index, add(text));
  }
  const structuredStart = structured === undefined ? undefined : add(structured);
  return { text: texts.join("\n"), starts, ...(structuredStart === undefined ? {} : { structuredStart }) };
}

/**
 * The blocks with at most `room` characters: in their order, the first text that does not fit is cut at a code point and
 * what comes after it is left out, so that what is kept is the start of the whole. Images and sounds stay.
 */
export function cutBlocks(blocks: readonly ContentBlock[], whole: WholeText, room: number): CutContent {
  const kept: ContentBlock[] = [];
  let left = room;
  let nextOffset: number | undefined;
  for (const [index, block] of blocks.entries()) {
    const text = textOf(block);
    if (text === undefined) kept.push(block);
    if (text === undefined || nextOffset !== undefined) continue;
    if (text.length <= left) {
      kept.push(block);
      left -= text.length;
      continue;
    }
    const cut = block.type === "text" ? cutText(text, left) : "";
    if (block.type === "text" && cut !== "") kept.push({ ...block, text: cut });
    nextOffset = (whole.starts.get(index) ?? 0) + cut.length;
  }
  return { blocks: kept, nextOffset: nextOffset ?? whole.structuredStart ?? whole.text.length };
}

/** The blocks with a last line: in the last block where that is text, else as one more. */
export function withLastLine(blocks: readonly ContentBlock[], line: string): readonly ContentBlock[] {
  const last = blocks.at(-1);
  return last?.type === "text"
    ? [...blocks.slice(0, -1), { ...last, text: `${last.text}\n${line}` }]
    : [...blocks, { type: "text", text: line }];
}

function textOf(block: ContentBlock): string | undefined {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return JSON.stringify(block);
    case "resource":
      return "text" in block.resource ? block.resource.text : undefined;
    default:
      return undefined;
  }
}
