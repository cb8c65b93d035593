/** Runs expressions in Node and in isolates, where the web's names must give the same. */
import vm from "node:vm";
import type { JsonObject, JsonValue } from "../../src/core/json.ts";
import { type HarnessOptions, loadIsolate, runCall } from "./isolate-harness.ts";

/** Turns any value into data that shows its kind; text of a script, so that both sides use the same. */
const SHOW = `const show = (value) => {
  if (value === undefined) return "(undefined)";
  if (typeof value === "number" && !Number.isFinite(value)) return "(" + value + ")";
  if (typeof value === "bigint") return "(" + value + "n)";
  if (typeof value === "string") return value.isWellFormed() ? value : "(lone) " + escape(value);
  if (typeof value === "function") return "(function)";
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Array.from({ length: value.length }, (_, at) => (at in value ? show(value[at]) : "(hole)"));
  const tag = Object.prototype.toString.call(value);
  if (ArrayBuffer.isView(value)) return { [tag]: [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)] };
  if (value instanceof ArrayBuffer) return { [tag]: [...new Uint8Array(value)] };
  if (value instanceof Date) return { [tag]: value.getTime() };
  if (value instanceof RegExp) return { [tag]: String(value) };
  if (value instanceof Map || value instanceof Set) return { [tag]: [...value].map(show) };
  if (value instanceof Error) return { [tag]: value.name + ": " + value.message };
  if (tag !== "[object Object]") return { [tag]: String(value) };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, show(one)]));
};`;

/** A script whose main gives what each expression gives, or the name of what it throws. An expression may be a promise. */
export function scriptOf(expressions: readonly string[]): string {
  const table = expressions.map((expression) => `async () => (${expression})`);
  return `${SHOW}
const table = [${table.join(",\n")}];
async function main() {
  const shown = [];
  for (const make of table) {
    try { shown.push(show(await make())); } catch (error) { shown.push("(throws " + error.name + ")"); }
  }
  return shown;
}`;
}

/** What Node's own names give. */
export async function shownInNode(expressions: readonly string[]): Promise<readonly JsonValue[]> {
  const shown: unknown = await vm.runInThisContext(`(() => { "use strict"; ${scriptOf(expressions)}\nreturn main(); })()`);
  return listOf(JSON.parse(JSON.stringify(shown)), undefined);
}

/** What the names in an isolate give. */
export async function shownInIsolate(expressions: readonly string[], options: HarnessOptions): Promise<readonly JsonValue[]> {
  using isolate = await loadIsolate(scriptOf(expressions), options);
  const { outcome } = await runCall(isolate);
  return listOf(outcome?.value, outcome);
}

function listOf(value: JsonValue | undefined, outcome: JsonObject | undefined): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new Error(`No list came out: ${JSON.stringify(outcome)}`);
  return value;
}
