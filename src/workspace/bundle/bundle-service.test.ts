import { version } from "esbuild";
import { expect, test } from "vitest";
import type { ImportRequest, LoadAnswer, ResolveAnswer } from "./bundle-protocol.ts";
import { type BundleHandlers, BundleService } from "./bundle-service.ts";
import { BUNDLE_WAY } from "./script-bundles.ts";

const FILES: Readonly<Record<string, string>> = {
  "a.ts": 'import { b } from "./b";\nexport default (n: number): number => b(n);\n',
  "b.ts": "export const b = (n: number): number => n * 2;\n",
};

function handlers(): BundleHandlers & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve({ specifier, importer, style, type }: ImportRequest): ResolveAnswer {
      asked.push(`${style} ${specifier} from ${importer}${type}`);
      return { kind: "module", path: `${specifier.slice(2)}.ts`, sideEffects: true };
    },
    load(path: string): LoadAnswer {
      asked.push(`load ${path}`);
      const contents = FILES[path];
      if (contents === undefined) return { kind: "refused", code: "IMPORT_MISSING", text: `${path} is not there.` };
      return { kind: "text", contents, loader: "ts" };
    },
  };
}

test("bundles that are kept name the bundler's version, so that another one makes them anew", () => {
  expect(BUNDLE_WAY.endsWith(` ${version}`)).toBe(true);
});

test("a bundle asks for every module and its text, and gives code with a map; one process serves bundle after bundle", async () => {
  await using service = new BundleService();
  expect(service.pid).toBeUndefined();
  const asking = handlers();
  const outcome = await service.build("a.ts", "", asking);
  expect(asking.asked).toEqual(["load a.ts", "import ./b from a.ts", "load b.ts"]);
  if (outcome.kind !== "built") throw new Error(outcome.kind);
  const main: unknown = new Function(`${outcome.code}return $tool.default;`)();
  expect(typeof main === "function" && main(21)).toBe(42);
  expect(JSON.parse(outcome.map).sources.toSorted()).toEqual(["toolyard-module:a.ts", "toolyard-module:b.ts"]);
  const { pid } = service;
  expect((await service.build("a.ts", "\nexport const added = 1;", handlers())).kind).toBe("built");
  expect(service.pid).toBe(pid);
});

test("a refused import fails the bundle with the place of the import", async () => {
  await using service = new BundleService();
  const refusing = { ...handlers(), resolve: (): ResolveAnswer => ({ kind: "refused", code: "IMPORT_OUTSIDE", text: "It leads out." }) };
  expect(await service.build("a.ts", "", refusing)).toMatchObject({
    kind: "failed",
    errors: [
      { text: "It leads out.", code: "IMPORT_OUTSIDE", place: { file: "a.ts", line: 1, column: 18, lineText: 'import { b } from "./b";' } },
    ],
  });
});

test("an answer that fails is the fault of its import, with its place and without what the error says, and the next bundle is made", async () => {
  await using service = new BundleService();
  const failing = (error: Error): BundleHandlers => ({
    ...handlers(),
    resolve: () => {
      throw error;
    },
  });
  const place = { file: "a.ts", line: 1, column: 18, lineText: 'import { b } from "./b";' };
  const denied = Object.assign(new Error("EIO: '/elsewhere'"), { code: "EIO" });
  expect(await service.build("a.ts", "", failing(denied))).toMatchObject({
    kind: "failed",
    errors: [{ text: '"./b" could not be looked up (EIO)', code: "FILE_UNREADABLE", place }],
  });
  expect(await service.build("a.ts", "", failing(new RangeError("Maximum call stack size exceeded")))).toMatchObject({
    kind: "failed",
    errors: [{ text: expect.stringMatching(/^"\.\/b" is too long/), place }],
  });
  expect((await service.build("a.ts", "", handlers())).kind).toBe("built");
});

test("types are taken out, and a fault is told with its place", async () => {
  await using service = new BundleService();
  expect(await service.strip("a.ts", "export const a: number = 1;")).toMatchObject({
    kind: "stripped",
    code: "const a = 1;\nexport {\n  a\n};\n",
  });
  expect(await service.strip("a.ts", "export const a: = 1;")).toMatchObject({
    kind: "failed",
    errors: [{ place: { line: 1, column: 16 } }],
  });
});

test("a process that is killed fails the bundle, and the next bundle has another one", async () => {
  await using service = new BundleService();
  await service.strip("a.ts", "1;");
  const { pid = 0 } = service;
  const killing = {
    ...handlers(),
    resolve: (): ResolveAnswer => {
      process.kill(pid, "SIGKILL");
      return { kind: "empty" };
    },
  };
  expect(await service.build("a.ts", "", killing)).toEqual({ kind: "broken", reason: "ended by itself" });
  expect((await service.build("a.ts", "", handlers())).kind).toBe("built");
  expect(service.pid).not.toBe(pid);
});

test("a service that was ended bundles nothing", async () => {
  const service = new BundleService();
  await service.strip("a.ts", "1;");
  await service[Symbol.asyncDispose]();
  expect(service.pid).toBeUndefined();
  expect(await service.strip("a.ts", "1;")).toEqual({ kind: "broken", reason: "was ended with the server" });
});
