/** Ways that pay for a new process or thread with every call. */
import { execFile, spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import type { JsonValue } from "../src/core/json.ts";
import type { Way } from "./sandbox-ways.ts";

/** Not among our dependencies: 92 MB for a figure. */
const DENO = "deno@2.9.6";

/** Node with its permission model and no environment, started for one call; arguments and answer as JSON over its pipes. */
export const nodeProcess: Way = {
  name: "a Node process per call, --permission",
  async open({ source, args }) {
    const code = `${source};let text = "";process.stdin.setEncoding("utf8").on("data", (part) => { text += part; }).on("end", () => process.stdout.write(JSON.stringify(main(JSON.parse(text)))));`;
    return {
      call: () => runProcess(process.execPath, ["--permission", "-e", code], {}, args),
    };
  },
};

/** A thread of this process with its own V8 heap: bounds memory, not what the script reaches. */
export const workerThread: Way = {
  name: "worker_threads, a worker per call",
  async open({ source, args }) {
    const code = `${source};const { parentPort, workerData } = require("node:worker_threads");parentPort.postMessage(JSON.stringify(main(JSON.parse(workerData))));`;
    return {
      call: () =>
        new Promise<JsonValue>((resolve, reject) => {
          const limits = { maxOldGenerationSizeMb: 64 };
          const worker = new Worker(code, { eval: true, workerData: JSON.stringify(args), env: {}, resourceLimits: limits });
          let answer: JsonValue = null;
          worker.once("message", (text: string) => {
            answer = JSON.parse(text);
          });
          worker.once("error", reject);
          worker.once("exit", () => resolve(answer));
        }),
    };
  },
};

/** Deno, which gives a script nothing that is not allowed, started for one call. Undefined, with a word why, where it cannot be had. */
export async function fetchDeno(): Promise<(Way & Disposable) | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "toolyard-bench-deno-"));
  const [program] = await install(folder);
  if (program === undefined || !existsSync(program)) {
    rmSync(folder, { recursive: true, force: true });
    console.error(`Left out: ${DENO} could not be installed for this run.`);
    return undefined;
  }
  const env = { DENO_DIR: join(folder, "cache"), DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  return {
    name: "a Deno process per call, no permissions",
    async open({ source, args }) {
      const file = join(folder, "script.js");
      const end = "console.log(JSON.stringify(main(JSON.parse(await new Response(Deno.stdin.readable).text()))));";
      writeFileSync(file, `${source};${end}\n`);
      const flags = ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm"];
      return {
        call: () => runProcess(program, [...flags, file], env, args),
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Deno's binary comes in a package for each platform; its install script, which only copies it, does not run. */
async function install(folder: string): Promise<readonly string[]> {
  try {
    await promisify(execFile)("npm", ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", DENO], {
      timeout: 300_000,
    });
  } catch (error) {
    console.error(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error));
  }
  return globSync("node_modules/@deno/*/deno{,.exe}", { cwd: folder }).map((path) => join(folder, path));
}

/** One process from start to end: arguments in, its answer out. */
function runProcess(program: string, args: readonly string[], env: NodeJS.ProcessEnv, input: JsonValue): Promise<JsonValue> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    let text = "";
    let complaint = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      complaint += part;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(text));
      else reject(new Error(`${program} ended with ${code}: ${complaint.slice(0, 500)}`));
    });
    child.stdin.end(JSON.stringify(input));
  });
}
