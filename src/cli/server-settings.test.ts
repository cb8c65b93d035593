import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cliIn } from "../../test/support/cli.ts";
import { makeHome } from "../../test/support/runtime.ts";
import { makeFolder } from "../../test/support/workspace-folder.ts";
import { defaultLimits } from "../core/limits.ts";
import { readServerSettings } from "./server-settings.ts";
import { UsageError } from "./usage-error.ts";

function homeWith(text: string): string {
  const home = makeHome();
  writeFileSync(path.join(home, "settings.json"), text);
  return home;
}

test("without a file the limits are those of the table", () => {
  expect(readServerSettings(makeHome())).toEqual({ limits: defaultLimits() });
});

test("the file raises and lowers limits, with comments and a byte order mark", () => {
  const home = homeWith('\ufeff{ // ours\n "limits": { "queuedCalls": 200, "redirects": 0, }, "x-note": 1 }');
  expect(readServerSettings(home)).toEqual({ limits: { ...defaultLimits(), queuedCalls: 200, redirects: 0 } });
});

test.each([
  ['{ "limits": { "queuedCals": 1 } }', ':1:15 "queuedCals" is no limit; did you mean "queuedCalls"?'],
  ['{ "limits": { "queuedCalls": "many" } }', ':1:30 "queuedCalls" is a whole number of count, at least 0.'],
  ['{ "limits": { "memoryMb": 1 } }', ':1:27 "memoryMb" is a whole number of MiB, at least 32.'],
  ['{\n "limit": {} }', ':2:2 "limit" is not a key here; known are version, limits, network.'],
  ['{ "network": true }', ':1:14 "network" is an object, such as { "requireAllowedHosts": true }.'],
  ['{ "network": { "allowHttp": true } }', ':1:16 "allowHttp" is not a key here; known are requireAllowedHosts, proxy.'],
  ['{ "network": { "requireAllowedHosts": "yes" } }', ':1:39 "requireAllowedHosts" is true or false.'],
  ['{ "__proto__": { "network": {} } }', ':1:3 "__proto__" is not allowed as a key here. Rename it.'],
  ['{ "limits": { "constructor": 1 } }', ':1:15 "constructor" is no limit; docs/limits.md lists them.'],
  ['{ "limits": { "tools": 1, "tools": 2 } }', ':1:27 "tools" stands twice in one object; keep one of the two.'],
  ['{ "version": 2 }', ":1:14 this toolyard reads version 1; update it."],
])("%s is refused with its place", (text, message) => {
  const home = homeWith(text);
  expect(messageFrom(() => readServerSettings(home))).toBe(`${path.join(home, "settings.json")}${message}`);
});

test("the file says that tools must name their hosts, and which proxy is used", () => {
  const home = homeWith('{ "network": { "requireAllowedHosts": true, "proxy": "http://proxy:3128", "x-note": 1 } }');
  expect(readServerSettings(home)).toEqual({ limits: defaultLimits(), requireAllowedHosts: true, proxy: "http://proxy:3128" });
});

test.each([
  "proxy:3128",
  "https://proxy:3128",
  "socks5://proxy:1080",
  "http://proxy:3128/path",
  "http://proxy:3128?x",
  "http://user:canary@proxy:3128/path",
  "",
  7,
  null,
])("a proxy written as %j is refused without repeating it", (proxy) => {
  const message = messageFrom(() => readServerSettings(homeWith(JSON.stringify({ network: { proxy } }))));
  expect(message).toMatch(/settings\.json:1:21 "proxy" is the address of an HTTP proxy and nothing more, such as "http:\/\/proxy:3128"\.$/);
});

test("with it a tool without hosts sends nothing from any command, though its own workspace says it may", async () => {
  const files = {
    "tools.json": { tools: [{ name: "send", description: "d", script: "scripts/a.js" }] },
    "toolyard.json": { network: { requireAllowedHosts: false } },
    "scripts/a.js": 'async function main() { return (await g.http.makeHttpRequest("http://127.0.0.1:9/")).status }',
  };
  const run = async (home: string): Promise<string> => {
    const { code, stdout } = await cliIn(makeFolder(files), home)(["run", "send", "--json"]);
    return `${code} ${/"code": "([A-Z_]+)"/.exec(stdout)?.[1]} ${stdout.includes('"network.requireAllowedHosts\\" in the server\'s settings')}`;
  };
  // Without the setting the request is judged for itself, and this one goes to a private address.
  expect(await run(makeHome())).toBe("1 HOST_NOT_ALLOWED false");
  expect(await run(homeWith('{ "network": { "requireAllowedHosts": true } }'))).toBe("1 HOST_NOT_ALLOWED true");
});

function messageFrom(read: () => unknown): string {
  try {
    read();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error);
  }
}
