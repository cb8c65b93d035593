/**
 * The process that puts a script and its imports together. It is started without environment and without rights to the
 * file system but for its own code: every file it works on comes from the server, which has checked where it lies. The
 * bundler's own program is a child of this process and ends with it, and this one ends when the server does.
 */
import { Script } from "node:vm";
import { build, type Message, type Plugin, type TransformFailure, transform } from "esbuild";
import type { BundlerMessage, FromBundler, LoadAnswer, MODULE_NAMESPACE, ResolveAnswer, ToBundler } from "./bundle-protocol.ts";

/** Namespace of all modules, see MODULE_NAMESPACE. In any but its own the bundler looks nothing up in the file system. */
const NAMESPACE: typeof MODULE_NAMESPACE = "toolyard-module";

/** Namespace of what a package does without. */
const EMPTY = "empty";

/** Namespace of what a package asks for and does not get. */
const ABSENT = "absent";

/** Settings of TypeScript; given as text, so that no tsconfig.json of anybody is looked for. */
const TSCONFIG = JSON.stringify({ compilerOptions: { target: "esnext", useDefineForClassFields: true } });

/**
 * Ends a text that names a source map. The bundler follows a map that stands in the text itself, whose places are those of files
 * that nobody has checked or that are not there; the last such comment counts, and this one leads nowhere. On a line of its own
 * at the end, so that what stands before it, strings and places alike, is as it was.
 */
const NO_MAP = "\n//# sourceMappingURL=none";

const questions = new Map<number, (answer: ResolveAnswer | LoadAnswer) => void>();
let asked = 0;

function send(message: FromBundler): void {
  process.send?.(message);
}

function ask(make: (ask: number) => FromBundler): Promise<ResolveAnswer | LoadAnswer> {
  asked += 1;
  const number = asked;
  return new Promise((resolve) => {
    questions.set(number, resolve);
    send(make(number));
  });
}

function workspacePlugin(id: number, entry: string, tail: string): Plugin {
  return {
    name: NAMESPACE,
    setup({ onLoad, onResolve }) {
      const loaded = new Map<string, LoadAnswer>();
      onResolve({ filter: /.*/ }, async ({ path, importer, kind, with: attributes }) => {
        if (kind === "entry-point") return { path: entry, namespace: NAMESPACE };
        const style = kind === "require-call" || kind === "require-resolve" ? "require" : "import";
        const type = attributes.type ?? "";
        const answer = await ask((number) => ({ kind: "resolve", id, ask: number, request: { specifier: path, importer, style, type } }));
        if (answer.kind === "module") {
          if (answer.load !== undefined) loaded.set(`${answer.path} ${type}`, answer.load);
          return { path: answer.path, namespace: NAMESPACE, sideEffects: answer.sideEffects };
        }
        if (answer.kind === "empty") return { path, namespace: EMPTY };
        if (answer.kind === "absent") return { path, namespace: ABSENT, pluginData: answer.text };
        return refusal(answer);
      });
      onLoad({ filter: /.*/, namespace: EMPTY }, () => ({ contents: "module.exports = {};", loader: "js" }));
      onLoad({ filter: /.*/, namespace: ABSENT }, ({ pluginData }) => {
        const error = `Object.assign(new Error(${JSON.stringify(String(pluginData))}), { code: "MODULE_NOT_FOUND" })`;
        return { contents: `throw ${error};`, loader: "js" };
      });
      onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path, with: attributes }) => {
        const type = attributes.type ?? "";
        const answer = loaded.get(`${path} ${type}`) ?? (await ask((number) => ({ kind: "load", id, ask: number, path, type })));
        if (answer.kind !== "text") return refusal(answer);
        const { contents, loader } = answer;
        const isMapped = (loader === "js" || loader === "ts") && contents.includes("sourceMappingURL=");
        return { contents: `${contents}${path === entry ? tail : ""}${isMapped ? NO_MAP : ""}`, loader };
      });
    },
  };
}

function refusal(answer: ResolveAnswer | LoadAnswer): { readonly errors: { readonly text: string; readonly detail: string }[] } {
  if (answer.kind === "refused") return { errors: [{ text: answer.text, detail: answer.code }] };
  return { errors: [{ text: "an answer to another question", detail: "" }] };
}

async function bundle({ id, entry, tail }: Extract<ToBundler, { kind: "build" }>): Promise<void> {
  const { outputFiles, warnings } = await build({
    // Not its path: the bundler looks for a folder of that name before it asks.
    entryPoints: ["entry"],
    outfile: "bundle.js",
    bundle: true,
    write: false,
    format: "iife",
    globalName: "$tool",
    platform: "neutral",
    target: "node24",
    // An import() of what is known only in the call becomes a require() that says so; left as it is, it gives "Not supported".
    supported: { "dynamic-import": false },
    charset: "utf8",
    legalComments: "none",
    minifyWhitespace: true,
    treeShaking: true,
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    tsconfigRaw: TSCONFIG,
    // What packages ask most often of a process; there is none.
    define: { "process.env.NODE_ENV": '"production"', "process.env": "$env" },
    banner: { js: "var $env={};" },
    plugins: [workspacePlugin(id, entry, tail)],
  });
  const code = outputFiles.find(({ path }) => path.endsWith(".js"))?.text ?? "";
  const map = outputFiles.find(({ path }) => path.endsWith(".map"))?.text ?? "";
  send({ kind: "built", id, code, map, warnings: warnings.map(messageOf), refusal: refusalOf(code) });
}

/**
 * What V8 says where the bundle is no body of a function in strict mode, as which it runs: the bundler takes a regular expression as
 * it is written, and lets the files of packages have what strict mode forbids. Compiles and runs nothing.
 */
function refusalOf(code: string): string {
  try {
    new Script(`(function(){"use strict";\n${code}\n})`);
    return "";
  } catch (error) {
    // How deep the stack of a script's own process goes is seen there.
    if (error instanceof RangeError) return "";
    return error instanceof Error ? error.message : String(error);
  }
}

async function strip({ id, file, contents }: Extract<ToBundler, { kind: "strip" }>): Promise<void> {
  const { code, map } = await transform(contents, {
    loader: "ts",
    format: "esm",
    // That of the bundle: what is rewritten there, such as decorators, the parser that looks for the entry does not know.
    target: "node24",
    supported: { "dynamic-import": true },
    sourcemap: "external",
    sourcesContent: false,
    sourcefile: `${NAMESPACE}:${file}`,
    tsconfigRaw: TSCONFIG,
    logLevel: "silent",
  });
  send({ kind: "stripped", id, code, map });
}

function messageOf({ id, text, location, detail }: Message): BundlerMessage {
  const code = typeof detail === "string" && detail !== "" ? detail : id;
  if (location === null) return { text, code };
  const { file, line, column, lineText } = location;
  return { text, code, place: { file: file.replace(`${NAMESPACE}:`, ""), line, column, lineText } };
}

function isFailure(error: unknown): error is TransformFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

async function work(id: number, job: () => Promise<void>): Promise<void> {
  try {
    await job();
  } catch (error) {
    const errors = isFailure(error) ? error.errors.map(messageOf) : [];
    const reason = error instanceof Error ? error.message : String(error);
    send({ kind: "failed", id, errors: errors.length > 0 ? errors : [{ text: reason, code: "" }] });
  }
}

process.on("message", (message: ToBundler) => {
  switch (message.kind) {
    case "answer":
      questions.get(message.ask)?.(message.answer);
      questions.delete(message.ask);
      return;
    case "strip":
      void work(message.id, () => strip(message));
      return;
    case "build":
      void work(message.id, () => bundle(message));
  }
});
// The server is gone: nobody waits for an answer, and the bundler's program ends with its input.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
