/** What the steps of writing a schema out hand to each other. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Dialect } from "../dialect-name.ts";
import { pointerPart } from "../schema-walk.ts";
import type { PlainSchema } from "./forms.ts";
import type { NoteBook } from "./notes.ts";

/** A place in the schema that is being written. */
export interface ExpandPlace {
  readonly pointer: string;
  /** Resources entered on the way here, outermost first. */
  readonly scope: readonly JsonObject[];
  /** Targets of the references that are open here. */
  readonly open: readonly JsonObject[];
  /** Levels of JSON above. */
  readonly depth: number;
}

/** What writing one schema out needs everywhere. */
export interface ExpandRun {
  readonly dialect: Dialect;
  readonly book: NoteBook;
  readonly root: JsonObject;
  expand(schema: JsonValue, place: ExpandPlace): PlainSchema | boolean;
  /** True if every key that a schema looks at is named by it, by its `allOf` and by what its references lead to, whatever the value. */
  looksOpenly(schema: JsonObject): boolean;
}

/** What a keyword gives: keywords of its schema, schemas that hold beside it, and a sentence for the description. */
export interface KeywordParts {
  readonly own?: JsonObject;
  readonly beside?: readonly (PlainSchema | boolean)[];
  readonly sentence?: string;
}

/** A place one keyword further in. */
export function placeBelow(place: ExpandPlace, ...parts: readonly (string | number)[]): ExpandPlace {
  return { ...place, pointer: place.pointer + parts.map(pointerPart).join(""), depth: place.depth + parts.length };
}
