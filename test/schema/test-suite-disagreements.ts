/** Where our validation does not agree with the JSON Schema Test Suite, and why. The test fails on an entry that agrees. */
import { allDialects, type Dialect } from "../../src/schema/dialect-name.ts";

/** Groups of tests, by `file: group`; `file: *` means every group of the file. */
export interface Disagreement {
  readonly reason: string;
  readonly dialects: readonly Dialect[];
  readonly groups: readonly string[];
}

const NEWER: readonly Dialect[] = ["2019-09", "2020-12"];
const OLDER: readonly Dialect[] = ["draft-04", "draft-06", "draft-07"];

/** Every group that disagrees. */
export const DISAGREEMENTS: readonly Disagreement[] = [
  {
    reason: "Nothing is ever fetched: a reference to another document, the meta-schema included, makes a tool broken, with a finding.",
    dialects: allDialects(),
    groups: ["refRemote.json: *", "ref.json: remote ref, containing refs itself"],
  },
  {
    reason: "The same.",
    dialects: OLDER,
    groups: ["definitions.json: validate definition against metaschema"],
  },
  {
    reason: "The same.",
    dialects: NEWER,
    groups: [
      "defs.json: validate definition against metaschema",
      "optional/cross-draft.json: refs to historic drafts are processed as historic drafts",
    ],
  },
  {
    reason: "The same.",
    dialects: ["draft-07", "2019-09"],
    groups: ["optional/cross-draft.json: refs to future drafts are processed as future drafts"],
  },
  {
    reason: "The same.",
    dialects: ["2020-12"],
    groups: [
      "dynamicRef.json: strict-tree schema, guards against misspelled properties",
      "dynamicRef.json: tests for implementation dynamic anchor and reference link",
      "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first",
      "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first",
      "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor",
    ],
  },
  {
    reason: "Only the five dialects are read; a meta-schema of somebody's own would have to be fetched.",
    dialects: NEWER,
    groups: [
      "vocabulary.json: schema that uses custom metaschema with with no validation vocabulary",
      "vocabulary.json: ignore unrecognized optional vocabulary",
    ],
  },
  {
    reason: "The same.",
    dialects: ["2020-12"],
    groups: [
      "optional/format-assertion.json: schema that uses custom metaschema with format-assertion: false",
      "optional/format-assertion.json: schema that uses custom metaschema with format-assertion: true",
    ],
  },
  {
    reason: "The key __proto__, which reaches a prototype, is refused in schemas and arguments alike.",
    dialects: allDialects(),
    groups: ["properties.json: properties whose names are Javascript object property names"],
  },
  {
    reason: "Formats are checked in every dialect: who writes one for an argument wants it.",
    dialects: ["2020-12"],
    groups: ["format.json: *"],
  },
  {
    reason: "Encoded text is for the script to read; nothing is decoded while arguments are checked.",
    dialects: ["draft-07"],
    groups: [
      "optional/content.json: validation of string-encoded content based on media type",
      "optional/content.json: validation of binary string-encoding",
      "optional/content.json: validation of binary-encoded media type documents",
    ],
  },
  {
    reason: "Numbers are those of JavaScript: 1e308 divided by half a unit is infinite.",
    dialects: allDialects(),
    groups: ["optional/float-overflow.json: all integers are multiples of 0.5, if overflow is handled"],
  },
  {
    reason: "Numbers are those of JavaScript: 1.0 is the integer 1, as later drafts have it.",
    dialects: ["draft-04"],
    groups: ["optional/zeroTerminatedFloats.json: some languages do not distinguish between different types of numeric value"],
  },
  {
    reason:
      "Ajv follows a dynamic reference to the nearest resource with its anchor, not the outermost, where there are several (ajv 8.20).",
    dialects: ["2020-12"],
    groups: [
      "dynamicRef.json: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated",
      "dynamicRef.json: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      "dynamicRef.json: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope",
      "dynamicRef.json: multiple dynamic paths to the $dynamicRef keyword",
      "dynamicRef.json: after leaving a dynamic scope, it is not used by a $dynamicRef",
      "dynamicRef.json: $dynamicRef skips over intermediate resources - direct reference",
      "dynamicRef.json: $dynamicRef avoids the root of each schema, but scopes are still registered",
      "optional/dynamicRef.json: $dynamicRef skips over intermediate resources - pointer reference across resource boundary",
      "unevaluatedItems.json: unevaluatedItems with $dynamicRef",
      "unevaluatedProperties.json: unevaluatedProperties with $dynamicRef",
    ],
  },
  {
    reason: "Ajv does not count what a condition without branches, or nested `items`, looked at (ajv 8.20).",
    dialects: NEWER,
    groups: [
      "unevaluatedItems.json: unevaluatedItems with nested items",
      "unevaluatedItems.json: unevaluatedItems can see annotations from if without then and else",
      "unevaluatedProperties.json: unevaluatedProperties with if/then/else, then not defined",
      "unevaluatedProperties.json: unevaluatedProperties can see annotations from if without then and else",
    ],
  },
  {
    reason: "Ajv does not count what `contains` looked at (ajv 8.20).",
    dialects: ["2020-12"],
    groups: [
      "unevaluatedItems.json: unevaluatedItems depends on adjacent contains",
      "unevaluatedItems.json: unevaluatedItems depends on multiple nested contains",
      "unevaluatedItems.json: unevaluatedItems and contains interact to control item dependency relationship",
      "unevaluatedItems.json: unevaluatedItems with minContains = 0",
    ],
  },
];
