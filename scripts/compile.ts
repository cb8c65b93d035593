/**
 * Compiles the sources: the program into a few files, since to find and open each of some hundred modules takes a third of the
 * time in which a command starts, and the programs of child processes, each into its own folder, of which alone it may read.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

/** Modules that are started as processes of their own. */
const CHILDREN = ["sandbox/host", "workspace/bundle/bundle-child", "secrets/keychain-child"];

const common = {
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node24",
  packages: "external",
  charset: "utf8",
} satisfies BuildOptions;

/** The command and the public entry. All their files lie one folder below `folder`, as `ownPlaces` takes for granted. */
export async function compileProgram(folder: string): Promise<void> {
  await build({
    ...common,
    entryPoints: [
      { in: `${SOURCES}/cli/main.ts`, out: "cli/main" },
      { in: `${SOURCES}/index.ts`, out: "program/index" },
    ],
    chunkNames: "program/[name]-[hash]",
    outdir: folder,
    plugins: [ownPlaces],
  });
}

/** The programs of child processes, below `folder` as their sources lie below src/. */
export async function compileChildren(folder: string): Promise<void> {
  for (const child of CHILDREN) {
    const chunkNames = `${child.slice(0, child.lastIndexOf("/"))}/[name]-[hash]`;
    await build({ ...common, entryPoints: [{ in: `${SOURCES}/${child}.ts`, out: child }], chunkNames, outdir: folder });
  }
}

/** Leaves to each module the place that it has below src/, where it looks for the files beside it. */
const ownPlaces: Plugin = {
  name: "own places",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({ contents: withPlace(readFileSync(path, "utf8"), `../${placeOf(path)}`), loader: "ts" }));
  },
};

/** The place of a compiled module below the folder that stands for src/. */
function placeOf(path: string): string {
  return relative(SOURCES, path).replaceAll("\\", "/").replace(/ts$/, "js");
}

function withPlace(text: string, place: string): string {
  return text.replaceAll("import.meta.url", `new URL(${JSON.stringify(place)}, import.meta.url).href`);
}
