/**
 * The 1.x SDK as it runs where zod 3.25 is installed, as it is under Gemini CLI: its files, copied, find that zod beside them.
 * With the zod of this project, which has the fault mended, no test could show what such clients refuse.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll } from "vitest";

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const SDK = "@modelcontextprotocol/sdk";
/** What the client's files import beside zod. */
const BESIDE = ["ajv", "ajv-formats", "zod-to-json-schema"] as const;

/** Parts of the SDK that tests use. */
export interface SdkOnZod3 {
  readonly Client: typeof import("@modelcontextprotocol/sdk/client/index.js").Client;
  readonly InMemoryTransport: typeof import("@modelcontextprotocol/sdk/inMemory.js").InMemoryTransport;
  readonly types: typeof import("@modelcontextprotocol/sdk/types.js");
}

/** Loads it from a copy that is removed when the tests of the file end; to be called at the top of the file. */
export async function loadSdkOnZod3(): Promise<SdkOnZod3> {
  const root = mkdtempSync(path.join(tmpdir(), "sdk-on-zod-3-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const modules = path.join(root, "node_modules");
  const files = path.join(modules, SDK);
  mkdirSync(files, { recursive: true });
  // The folder has a file that makes its .js files modules.
  for (const part of ["client", "shared", "validation", "experimental", "server", "types.js", "inMemory.js", "package.json"]) {
    cpSync(path.join(MODULES, SDK, "dist/esm", part), path.join(files, part), { recursive: true });
  }
  symlinkSync(path.join(MODULES, "zod-3"), path.join(modules, "zod"));
  for (const name of BESIDE) symlinkSync(path.join(MODULES, name), path.join(modules, name));
  const load = async (file: string): Promise<unknown> => await import(pathToFileURL(path.join(files, file)).href);
  const [client, transport, types] = await Promise.all([load("client/index.js"), load("inMemory.js"), load("types.js")]);
  // Copies of files whose types are known.
  return {
    ...(client as Pick<SdkOnZod3, "Client">),
    ...(transport as Pick<SdkOnZod3, "InMemoryTransport">),
    types: types as SdkOnZod3["types"],
  };
}
