/**
 * The texts a realm is made of. The main process reads them once and sends them to its sandbox processes, which need no
 * file access of their own. Nothing here runs any of it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { RealmSources } from "./isolate-contract.ts";

/** Parts of the border inside the isolate, in the order they build on each other; together they are one function. */
const PRELUDE_PARTS = ["primordials.js", "bytes.js", "errors.js", "values.js", "format.js", "calls.js", "bridge.js", "prelude.js"];

/** Parts of the hardening, which runs after ses is loaded; together they are one function. */
const HARDEN_PARTS = ["harden.js", "samples.js", "walk.js"];

/** Reads every text of a realm. Throws the file system's error if the installation is incomplete. */
export function readRealmSources(capabilities: readonly { readonly name: string; readonly guest: string }[]): RealmSources {
  const sesFolder = dirname(createRequire(import.meta.url).resolve("ses/package.json"));
  return {
    ses: readFileSync(join(sesFolder, "dist", "ses.umd.min.js"), "utf8"),
    harden: joinParts(HARDEN_PARTS, "hardenRealm"),
    prelude: joinParts(PRELUDE_PARTS, "openRealm()"),
    capabilities: capabilities.map(({ name, guest }) => ({ name, guest })),
  };
}

/** An expression: the parts inside one strict function that returns `result`. */
function joinParts(names: readonly string[], result: string): string {
  const texts = names.map((name) => readFileSync(new URL(`./guest/${name}`, import.meta.url), "utf8"));
  return `(function () { "use strict";\n${texts.join("\n")}\nreturn ${result};\n})()`;
}
