/** All ways, and the script that goes them. */
import { type Way, way } from "./realm-way.ts";
import { REPLACED, SHARED_OBJECTS } from "./realm-ways-objects.ts";
import { CALL_STATE, ENGINE_STATE, GLOBALS } from "./realm-ways-state.ts";
import { WEB_STATE } from "./realm-ways-web.ts";

/** The table. */
export const WAYS: readonly Way[] = [
  ...SHARED_OBJECTS.map((object) => way(`a property of ${object}`, `(${object}).left = 1;`, `return (${object}).left;`)),
  ...GLOBALS,
  ...REPLACED,
  ...ENGINE_STATE,
  ...CALL_STATE,
  ...WEB_STATE,
];

/** A script whose main({index, step}) runs one step of one way. */
export function wayScript(): string {
  const table = WAYS.map(({ leave, find }) => `{ leave: async () => { ${leave} }, find: async () => { ${find} } }`);
  return `const REAL = Object.getPrototypeOf(globalThis);
let top_ = 0; const counter = () => counter; class Kept {} const weak = new WeakMap();
const literal = () => /a/g; const template = () => ((strings) => strings)\`a\${1}b\`;
const args = function () { return arguments; };
class Stamp extends (function (target) { return target; }) { #mark = 1; static has(target) { return #mark in target; } }
const idle = () => g.run.sleep(12);
const ways = [${table.join(",\n")}];
const main = async ({ index, step }) => {
  try { const found = await ways[index][step](); return found === undefined ? "nothing" : found; }
  catch (error) { return "threw " + error.name; }
};`;
}
