/** `{{name}}` places in texts of prompts and resources. */

/** A place, with or without blanks inside. */
const PLACE = /\{\{[ \t]{0,8}([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]{0,8}\}\}/g;

/** Names of the places in a text, each once. */
export function placesOfText(text: string): readonly string[] {
  return [...placeOffsets(text).keys()];
}

/** The same, with the offset at which each stands first. */
export function placeOffsets(text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  for (const { 1: name = "", index } of text.matchAll(PLACE)) if (!offsets.has(name)) offsets.set(name, index);
  return offsets;
}

/** The text with the values in their places. What a value itself holds is not looked at; places without a value stay. */
export function fillPlaces(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACE, (place, name: string) => values.get(name) ?? place);
}
