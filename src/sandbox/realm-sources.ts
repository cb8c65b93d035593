/**
 * The texts a realm is made of. The main process reads them once and sends them to its sandbox processes, which need no
 * file access of their own. Nothing here runs any of it.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { RealmSources } from "./isolate-contract.ts";
import { readLibraries } from "./realm-libraries.ts";

/** Parts of the border inside the isolate, in the order they build on each other; together they are one function. */
const PRELUDE_PARTS = [
  "primordials.js",
  "bytes.js",
  "errors.js",
  "web-names.js",
  "nesting.js",
  "values.js",
  "tagged.js",
  "format.js",
  "endings.js",
  "calls.js",
  "bridge.js",
  "prelude.js",
];

/** The code of the web's names, a function inside of the border's that runs when the first of them is asked for. */
const WEB_PARTS = [
  ...["library.js", "web-support.js", "web-events.js", "web-abort.js", "web-url.js", "web-params.js", "web-encoding.js", "web-clone.js"],
  ...["web-files.js", "web-headers.js", "web-body.js", "web-http.js", "web-time.js", "web-services.js", "web-samples.js"],
];

/** Parts of the hardening, which runs after ses is loaded; together they are one function. */
const HARDEN_PARTS = ["harden.js", "samples.js", "walk.js"];

/** Reads every text of a realm. Throws the file system's error if the installation is incomplete. */
export function readRealmSources(capabilities: readonly { readonly name: string; readonly guest: string }[]): RealmSources {
  const sesFolder = dirname(createRequire(import.meta.url).resolve("ses/package.json"));
  const libraries = readLibraries();
  return {
    ses: readFileSync(join(sesFolder, "dist", "ses.umd.min.js"), "utf8"),
    harden: joinParts(HARDEN_PARTS, "hardenRealm"),
    prelude: joinParts(PRELUDE_PARTS, "openRealm()", webText(libraries.code)),
    hostNames: libraries.hostNames,
    capabilities: capabilities.map(({ name, guest }) => ({ name, guest })),
  };
}

/** The function that gives the code of the web's names. */
function webText(libraries: string): string {
  const result = "{ __proto__: null, groups: WEB_GROUPS, services: webServices, addSamples: webSamples }";
  return `function openWeb() {\n${libraries}\n${readParts(WEB_PARTS)}\nreturn ${result};\n}`;
}

function readParts(names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(`./guest/${name}`, import.meta.url), "utf8")).join("\n");
}

/** An expression: `before` and the parts inside one strict function that returns `result`. */
function joinParts(names: readonly string[], result: string, before = ""): string {
  return `(function () { "use strict";\n${before}\n${readParts(names)}\nreturn ${result};\n})()`;
}
