/**
 * Lets tests of the sources start child processes as users have them: compiled. To take the types out of its modules takes a
 * process twice as long as its whole start otherwise, and the tests start some thousands.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";
import { compileChildren } from "../../scripts/compile.ts";

/** Inside the project, where the packages are found. */
const FOLDER = fileURLToPath(new URL("../../.compiled/", import.meta.url));

/** Modules that start a child whose file lies beside them. */
const STARTERS = ["sandbox/host-launch", "workspace/bundle/bundler-command", "secrets/keychain"];

let compiled: Promise<void> | undefined;

export function compiledChildren(): Plugin {
  return {
    name: "compiled children",
    enforce: "pre",
    async buildStart() {
      compiled ??= compileChildren(FOLDER);
      await compiled;
    },
    transform(code, id) {
      const place = STARTERS.find((starter) => id.endsWith(`/src/${starter}.ts`));
      if (place === undefined) return undefined;
      return code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(`${FOLDER}${place}.js`).href));
    },
  };
}
