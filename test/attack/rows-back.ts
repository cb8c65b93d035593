/** Ways out 1 to 8: what a server that was sent a secret gives back, and where it could be left. */
import { Secret } from "../../src/core/secret.ts";
import { GUESSED, MARK } from "./canaries.ts";
import { carriesSecret, codeOf, type Row, refusalOf, textOf } from "./row.ts";

const ECHOES = ["/echo", "/escaped", "/gzip", "/brotli", "/deflate", "/zstd", "/utf16", "/split"];

export const ROWS_BACK: readonly Row[] = [
  {
    row: 1,
    attack: "A tool sends a key to the attacker's server.",
    run: async ({ target, evil }) => {
      const answer = await target.call("steal", { url: `${evil.origin}/take` });
      const named = ["API_KEY", `127.0.0.1:${evil.port}`].every((text) => textOf(answer).includes(text));
      return [codeOf(answer), named, evil.arrived.length];
    },
    expected: [["SECRET_HOST"], true, 0],
  },
  {
    row: 2,
    attack: "The API sends back all it got: plain, encoded, escaped, compressed, in pieces, in headers.",
    run: async ({ target, api }) => {
      const masked: boolean[] = [];
      for (const name of ["api", "token"])
        for (const path of ECHOES) masked.push(textOf(await target.call(name, { url: api.origin + path })).includes("[redacted]"));
      return masked;
    },
    expected: [...ECHOES, ...ECHOES].map(() => true),
  },
  {
    row: 3,
    attack: "The API sends it back reversed: the limit that docs/security.md tells of.",
    run: async ({ target, api }) =>
      textOf(await target.call("api", { url: `${api.origin}/reversed` })).includes([...MARK].reverse().join("")),
    expected: true,
  },
  {
    row: 4,
    attack: "The API redirects to the attacker, and the attacker back to the API.",
    run: async ({ target, api, evil }) => {
      const [before, evilBefore] = [api.arrived.length, evil.arrived.length];
      const answer = await target.call("api", { url: `${api.origin}/away` });
      const back = api.arrived.slice(before + 1);
      return [codeOf(answer), evil.arrived.length - evilBefore, back.length, [...evil.arrived, ...back].some(carriesSecret)];
    },
    expected: [[], 1, 1, false],
  },
  {
    row: 5,
    attack: "The API redirects to itself with the value in Location and in a cookie.",
    run: async ({ target, api }) => codeOf(await target.call("api", { url: `${api.origin}/location` })),
    expected: [],
  },
  {
    row: 6,
    attack: "Errors: the status text, a broken answer, one that is cut, a script that throws it; values that no header can hold.",
    run: async ({ target, api, vault, scope, kept }) => {
      const codes = [];
      for (const path of ["/error", "/broken", "/cut"]) codes.push(codeOf(await target.call("api", { url: api.origin + path })));
      for (const mode of ["throw", "fail"]) codes.push(codeOf(await target.call("api", { url: `${api.origin}/error`, mode })));
      for (const bad of ["\r\nX: y", "\n1", "\0", "Ł", "🙂"]) {
        const refused = await refusalOf(
          vault.set(scope, "BAD_KEY", new Secret(`${MARK}${bad}${MARK}`), { binding: { hosts: ["api.example.com"] } }),
        );
        kept.push(refused.text);
        codes.push([refused.code]);
      }
      return codes;
    },
    expected: [
      [],
      ["NETWORK_ERROR"],
      ["NETWORK_ERROR"],
      ["SCRIPT_ERROR"],
      ["SCRIPT_ERROR"],
      ...Array.from({ length: 5 }, () => ["INVALID_REQUEST"]),
    ],
  },
  {
    row: 7,
    attack: "Log lines, progress and crashes: a script that logs all it sees, with the server at its most talkative.",
    run: async ({ target, api }) => {
      await target.call("api", { url: `${api.origin}/echo`, repeat: 2 });
      const { stderr = "", stdout = "", wire = "" } = target.streams();
      // Each of these could have told it: they are there to be searched.
      const said = ['"event":"egress.answer"', '"event":"script.log"', '"event":"tool.call.done"'].map((text) => stderr.includes(text));
      const sent = ["notifications/message", "notifications/progress"].map((text) => (stdout + wire).includes(text));
      return [...said, ...sent];
    },
    expected: [true, true, true, true, true],
  },
  {
    row: 8,
    attack: "Guesses: what the attacker's own server says is never masked, also not with a key at hand; so masking tells nothing.",
    run: async ({ target, evil }) => {
      const answer = textOf(await target.call("free", { url: `${evil.origin}/guess` }));
      return [answer.split(GUESSED).length - 1, answer.includes("[redacted]")];
    },
    expected: [2, false],
  },
];
