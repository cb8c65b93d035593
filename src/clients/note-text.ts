import type { PublishNote } from "../schema/publish/notes.ts";
import type { PublishedOutput } from "../schema/publish-schema.ts";

/** What publishing changed, each kind of change once, in a few words. What means the same to every client is left out. */
export function changeTexts(notes: readonly PublishNote[]): readonly string[] {
  return [...new Set(notes.map(changeText).filter((text) => text !== undefined))];
}

/** The same of the schema of results, or that clients get none. */
export function outputChangeTexts({ published, notes }: PublishedOutput): readonly string[] {
  if (published === undefined) {
    const keys = notes.flatMap((note) => (note.kind === "renamed" ? [`"${note.from}"`] : []));
    return [`"output" is not published, since model services refuse a key named ${keys.join(" or ")}; results are as they are`];
  }
  const form = published.type === "object" ? [] : [`clients before 2026-07-28 get results as {"result": …}`];
  return [...changeTexts(notes), ...form].map((text) => `in "output", ${text}`);
}

function changeText(note: PublishNote): string | undefined {
  switch (note.kind) {
    case "completed":
    case "removed":
      return undefined;
    case "modernized":
      return "forms of older drafts are written as 2020-12 has them";
    case "inlined":
      return "references are written out";
    case "bounded":
      return note.reason === "recursion"
        ? `a reference that leads back to itself ends in any value (${note.reference})`
        : `a reference ends in any value (${note.reference})`;
    case "flattened":
      return note.pointer === ""
        ? `"${note.keyword}" at the top is one object; the rule is in the description and still holds`
        : `"${note.keyword}" is in the description and still holds (${placeOf(note.pointer)})`;
    case "tuple":
      return `items by position are alternatives (${placeOf(note.pointer)})`;
    case "renamed":
      return `"${note.from}" is named "${note.to}"`;
    case "pattern":
      return `a pattern is in the description only (${placeOf(note.pointer)})`;
    case "loosened":
      return `"${note.keyword}" is left to the server (${placeOf(note.pointer)})`;
  }
}

function placeOf(pointer: string): string {
  return pointer.replaceAll("/properties/", "/").slice(1) || "the root";
}
