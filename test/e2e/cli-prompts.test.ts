/** Questions to a person, asked on a real terminal: `script` of util-linux gives the command one. */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { expect, inject, onTestFinished, test } from "vitest";
import { type CliBench, makeBench } from "./cli-process.ts";
import { compileCache } from "./compile-cache.ts";
import { UNSAFE } from "./unsafe-characters.ts";

const cli = inject("installedCli");

const VALUE = "typed-value-of-the-test";
const SET = ["secrets", "set", "API_KEY", "--host", "api.example.com"];
const SCRIPT = "/usr/bin/script";
const CTRL_D = "\u0004";
const HOST = "127.0.0.1:9";
const LIGHTS = {
  "tools.json": { tools: [{ name: "lights", description: "Asks the lights", script: "lights.js", allowedHosts: [HOST] }] },
  "lights.js": "function main() { return 1; }\n",
};

const version = spawnSync(SCRIPT, ["--version"], { encoding: "utf8" });
const hasTerminal = version.status === 0 && version.stdout.includes("util-linux");
const onTerminal = test.skipIf(!hasTerminal);
const why = hasTerminal ? "" : " (skipped: no script of util-linux, which gives a command a terminal)";

onTerminal(`the value typed at the hidden prompt is stored, and shown nowhere${why}`, async () => {
  using bench = makeBench(cli);
  bench.write(LIGHTS);
  const terminal = openTerminal(bench, SET);
  await terminal.shows("Value of API_KEY (hidden):");
  terminal.type(VALUE);
  terminal.type("\r");
  const { code, text } = await terminal.end();
  expect(text).toContain("Stored API_KEY for this workspace.");
  expect(code).toBe(0);
  // Nor a part of it, nor its length in signs that stand for it.
  expect(text).not.toContain(VALUE.slice(0, 6));
  expect(text).not.toMatch(/[*•▪]{3}/u);
  expect(await secretNames(bench)).toEqual(["API_KEY"]);
});

onTerminal(`import asks where each name may go, again after a slip, and leaves out what gets no answer${why}`, async () => {
  using bench = makeBench(cli);
  bench.write({ ...LIGHTS, ".env": `API_KEY=${VALUE}\nPORT=3000\n` });
  const terminal = openTerminal(bench, ["secrets", "import", ".env"]);
  await terminal.shows("Where may API_KEY go?");
  terminal.type("*\r");
  await terminal.shows("INVALID_ARGUMENTS");
  await terminal.shows("Where may API_KEY go?");
  terminal.type("api.example.com b.example.com\r");
  await terminal.shows("Where may PORT go?");
  terminal.type("\r");
  const { code, text } = await terminal.end();
  expect(text).toContain("Stored API_KEY → https://api.example.com, https://b.example.com");
  expect(text).toContain("Left out: PORT.");
  expect(text).not.toContain(VALUE.slice(0, 6));
  expect(code).toBe(0);
  expect(await secretNames(bench)).toEqual(["API_KEY"]);
});

onTerminal(`a new passphrase that is typed differently the second time changes nothing${why}`, async () => {
  using bench = makeBench(cli);
  bench.write(LIGHTS);
  await bench.run(SET, { input: VALUE });
  const before = readFileSync(join(bench.home, "vault.json"), "utf8");
  const terminal = openTerminal(bench, ["secrets", "rekey", "--to", "passphrase"]);
  await terminal.shows("New passphrase, at least 12 characters (hidden):");
  terminal.type("correct horse battery\r");
  await terminal.shows("New passphrase again (hidden):");
  terminal.type("correct horse batter\r");
  const { code, text } = await terminal.end();
  expect([code, text]).toEqual([2, expect.stringContaining("The two passphrases differ. Nothing was changed.")]);
  expect(text).not.toContain("horse");
  expect(readFileSync(join(bench.home, "vault.json"), "utf8")).toBe(before);
});

onTerminal.each([
  ["Ctrl-D", CTRL_D],
  ["a value that is begun and Ctrl-D", `${VALUE}${CTRL_D}`],
  ["Ctrl-C", "\u0003"],
])(`%s at the hidden prompt cancels: exit code 1, nothing stored${why}`, async (_name, keys) => {
  using bench = makeBench(cli);
  bench.write(LIGHTS);
  const terminal = openTerminal(bench, SET);
  await terminal.shows("Value of API_KEY (hidden):");
  terminal.type(keys);
  const { code, text } = await terminal.end();
  expect(text).toMatch(/CANCELLED.*Nothing was stored\./);
  expect(code).toBe(1);
  expect(text).not.toContain(VALUE.slice(0, 6));
  expect(existsSync(join(bench.home, "vault.json"))).toBe(false);
});

onTerminal.each([
  ["Ctrl-D", CTRL_D, false],
  ["Enter alone", "\r", false],
  ["n", "n", false],
  ["y", "y", true],
])(`trust that is answered with %s stores what that says${why}`, async (_name, keys, isStored) => {
  using bench = makeBench(cli);
  bench.write(LIGHTS);
  const terminal = openTerminal(bench, ["trust"]);
  await terminal.shows("Allow this?");
  terminal.type(keys);
  const { code, text } = await terminal.end();
  if (!isStored) expect(text).toMatch(/CANCELLED.*Nothing was changed/);
  expect(code).toBe(isStored ? 0 : 1);
  const check = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(check.problems.map((problem: { readonly code: string }) => problem.code)).toEqual(isStored ? [] : ["NOT_TRUSTED"]);
});

onTerminal.each([
  ["n", "n", true],
  ["y", "y", false],
])(`trust --revoke that is answered with %s does what that says${why}`, async (_name, keys, isKept) => {
  using bench = makeBench(cli);
  bench.write(LIGHTS);
  await bench.run(["trust", "--yes"], { env: { TOOLYARD_CONFIRM: "1" } });
  const terminal = openTerminal(bench, ["trust", "--revoke"]);
  await terminal.shows("Take it back?");
  terminal.type(keys);
  const { code, text } = await terminal.end();
  expect(text).toContain("This will be off again:");
  expect(code).toBe(isKept ? 1 : 0);
  const { trusted } = JSON.parse((await bench.run(["trust", "--list", "--json"])).stdout);
  expect(trusted.length).toBe(isKept ? 1 : 0);
});

onTerminal(`run shows what a terminal would act on as \\u escapes; a pipe gets the exact text${why}`, async () => {
  using bench = makeBench(cli);
  const hostile = "a\u001b[2J\u0007\u009b31m\u202eb\rc";
  bench.write({
    "tools.json": { tools: [{ name: "hostile", description: "Steers", script: "hostile.js" }] },
    "hostile.js": `function main() { return ${JSON.stringify(hostile)}; }\n`,
  });
  const { code, text } = await openTerminal(bench, ["run", "hostile"]).end();
  expect(code).toBe(0);
  expect(text).toContain(String.raw`a\u001b[2J\u0007\u009b31m\u202eb\u000dc`);
  // A terminal turns each line feed into a carriage return and a line feed.
  expect(text.replaceAll("\r\n", "\n")).not.toMatch(UNSAFE);
  expect((await bench.run(["run", "hostile"])).stdout).toBe(`${hostile}\n`);
});

onTerminal.each([
  ["secrets set", SET, "Value of API_KEY (hidden):"],
  ["trust", ["trust"], "Allow this?"],
])(`a terminal that is closed at the prompt of %s cancels: exit code 1, nothing stored${why}`, async (name, args, prompt) => {
  using bench = makeBench(cli);
  bench.write(LIGHTS);
  const codeFile = join(bench.folder, "code");
  const errorFile = join(bench.folder, "errors");
  // The shell outlives the terminal, to tell how the command ended. trust asks only where stderr is a terminal too.
  const keepErrors = name === "trust" ? "" : `2>'${errorFile}' `;
  const after = `; echo $? > '${codeFile}.part'; mv '${codeFile}.part' '${codeFile}'`;
  const terminal = openTerminal(bench, args, { before: "trap : HUP; ", after: ` ${keepErrors}${after}` });
  if (keepErrors === "") await terminal.shows(prompt);
  else await expect.poll(() => existsSync(errorFile) && readFileSync(errorFile, "utf8"), { timeout: 10_000 }).toContain(prompt);
  terminal.close();
  // There is no event for a process that is not our own child.
  await expect.poll(() => existsSync(codeFile), { timeout: 10_000 }).toBe(true);
  expect(readFileSync(codeFile, "utf8")).toBe("1\n");
  if (keepErrors !== "") expect(readFileSync(errorFile, "utf8")).toMatch(/CANCELLED.*Nothing was stored\./);
  expect(existsSync(join(bench.home, "vault.json"))).toBe(false);
  const open = JSON.parse((await bench.run(["check", "--json"])).stdout);
  expect(open.problems).toMatchObject([{ code: "NOT_TRUSTED" }]);
});

/** A command on a terminal of its own. */
interface Terminal {
  /** Settles once that text was shown, after what was waited for before. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Settles with the exit code and all that was shown. */
  end(): Promise<{ readonly code: number | null; readonly text: string }>;
  /** Takes the terminal away. */
  close(): void;
}

function openTerminal(bench: CliBench, args: readonly string[], around = { before: "", after: "" }): Terminal {
  // A terminal of no width would break every text after each character.
  const width = "stty cols 200 rows 40; ";
  const command = [process.execPath, cli, ...args].map((word) => `'${word}'`).join(" ");
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    SCRIPT,
    ["-qec", `${width}${around.before}${command}${around.after}`, "/dev/null"],
    {
      cwd: bench.folder,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: dirname(bench.folder),
        TOOLYARD_HOME: bench.home,
        TERM: "xterm",
        SHELL: "/bin/sh",
        ...compileCache(cli),
      },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "close");
  let text = "";
  let shown = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = text.indexOf(wanted, shown);
          if (at < 0) return;
          shown = at + wanted.length;
          child.stdout.off("data", look);
          resolve();
        };
        child.stdout.on("data", look);
        child.once("close", () => reject(new Error(`it ended before it showed "${wanted}": ${text}`)));
        look();
      }),
    type: (keys) => void child.stdin.write(keys),
    end: async () => {
      const [code] = await closed;
      return { code: typeof code === "number" ? code : null, text };
    },
    close: () => void child.kill("SIGKILL"),
  };
}

async function secretNames(bench: CliBench): Promise<readonly string[]> {
  const { secrets } = JSON.parse((await bench.run(["secrets", "list", "--json"])).stdout);
  return secrets.map(({ name }: { readonly name: string }) => name);
}
