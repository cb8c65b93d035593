/** `{{name}}` places in texts of prompts and resources. */

/** A place, with or without blanks inside. */
const PLACE = /\{\{[ \t]{0,8}([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]{0,8}\}\}/g;

/** Names of the places in a text, each once. */
export function placesOfText(text: string): readonly string[] {
  return [...new Set([...text.matchAll(PLACE)].map(([, name = ""]) => name))];
}

/** The text with the values in their places. What a value itself holds is not looked at; places without a value stay. */
export function fillPlaces(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(PLACE, (place, name: string) => values.get(name) ?? place);
}
