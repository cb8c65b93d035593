import fc from "fast-check";
import { expect, test } from "vitest";
import { ToolError } from "./errors.ts";
import {
  canonicalHost,
  hostPatternText,
  hostPortOf,
  isLoopbackHost,
  isPrivateName,
  matchesHost,
  parseHostPattern,
} from "./host-pattern.ts";

type Kind = "allowed" | "binding";

function codeOf(run: () => unknown): string {
  try {
    run();
    return "no error";
  } catch (error) {
    return error instanceof ToolError ? error.code : String(error);
  }
}

const canonical: readonly [kind: Kind, text: string, expected: string][] = [
  ["allowed", "api.example.com", "api.example.com"],
  ["allowed", "API.Example.COM.", "api.example.com"],
  ["allowed", "*.example.com", "*.example.com"],
  ["allowed", "*.example.com:8443", "*.example.com:8443"],
  ["allowed", "api.example.com:443", "api.example.com:443"],
  ["allowed", "bücher.example.com", "xn--bcher-kva.example.com"],
  ["allowed", "localhost:8080", "localhost:8080"],
  ["allowed", "127.0.0.1:80", "127.0.0.1:80"],
  ["allowed", "[0:0:0::1]:8080", "[::1]:8080"],
  ["allowed", "[2001:DB8::1]:443", "[2001:db8::1]:443"],
  ["allowed", "1.1.1.1:443", "1.1.1.1:443"],
  ["allowed", "nas.local:5000", "nas.local:5000"],
  ["binding", "api.example.com", "api.example.com"],
  ["binding", "HTTPS://Git.corp.example:8443/api/*", "https://git.corp.example:8443/api"],
  ["binding", "api.example.com/v1/", "api.example.com/v1"],
  ["binding", "api.example.com/*", "api.example.com"],
  ["binding", "http://localhost:8080", "http://localhost:8080"],
  ["binding", "http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"],
  ["binding", "http://[::1]:8080", "http://[::1]:8080"],
];

test.each(canonical)("%s %s is written as %s, and that reads back as the same rule", (kind, text, expected) => {
  const pattern = parseHostPattern(text, { kind });
  expect(hostPatternText(pattern)).toBe(expected);
  expect(parseHostPattern(expected, { kind })).toEqual(pattern);
});

const refused: readonly [kind: Kind, text: string][] = [
  ["allowed", ""],
  ["allowed", "*"],
  ["allowed", "*."],
  ["allowed", "*.*.example.com"],
  ["allowed", "a.*.example.com"],
  ["allowed", "a*.example.com"],
  ["allowed", "**.example.com"],
  ["allowed", "*.com"],
  ["allowed", "*.co.uk"],
  ["allowed", "*.github.io"],
  ["allowed", "*.s3.eu-central-1.amazonaws.com"],
  ["allowed", "*.local"],
  ["allowed", "*.nas.local:80"],
  ["allowed", "*.1.1.1.1:80"],
  ["allowed", "https://api.example.com"],
  ["allowed", "api.example.com/v1"],
  ["allowed", "1.1.1.1"],
  ["allowed", "127.1:80"],
  ["allowed", "0x7f.0.0.1:80"],
  ["allowed", "2130706433:80"],
  ["allowed", "[::1]"],
  ["allowed", "[::1%25lo]:80"],
  ["allowed", "[fe80::1%eth0]:80"],
  ["allowed", "[1.2.3.4]:80"],
  ["allowed", "::1"],
  ["allowed", "localhost"],
  ["allowed", "redis"],
  ["allowed", "api.example.com:0"],
  ["allowed", "api.example.com:65536"],
  ["allowed", "api.example.com:080"],
  ["allowed", "api.example.com:*"],
  ["allowed", "api.example.com:"],
  ["allowed", "user@api.example.com"],
  ["allowed", "api.example.com:443@evil.example"],
  ["allowed", "api.example.com, b.example.com"],
  ["allowed", "api..example.com"],
  ["allowed", "api.example.com.."],
  ["allowed", " api.example.com"],
  ["allowed", "api.example.com\n"],
  ["allowed", "api.example.com?x"],
  ["allowed", "<<HOST>>"],
  ["binding", "http://api.example.com"],
  ["binding", "http://192.168.1.2:80"],
  ["binding", "http://localhost"],
  ["binding", "ftp://api.example.com"],
  ["binding", "api.example.com/v1/../v2"],
  ["binding", "api.example.com/v1%2fx"],
  ["binding", "api.example.com//v1"],
  ["binding", "api.example.com/a*b"],
  ["binding", "https://user:pass@api.example.com"],
  ["binding", "https:///v1"],
];

test.each(refused)("%s %j is refused", (kind, text) => {
  expect(codeOf(() => parseHostPattern(text, { kind }))).toBe("INVALID_REQUEST");
});

test("a refusal never repeats a password that stands in the text", () => {
  expect(() => parseHostPattern("https://user:hunter2@api.example.com", { kind: "binding" })).toThrowError(/^(?!.*hunter2)/u);
});

/** Columns: kind, rule, URL, matches without a secret, matches with one. */
const matches: readonly [Kind, string, string, boolean, boolean][] = [
  ["allowed", "api.example.com", "https://api.example.com/x", true, true],
  ["allowed", "api.example.com", "https://API.example.com./x", true, true],
  ["allowed", "api.example.com", "https://api.example.com../x", false, false],
  ["allowed", "api.example.com", "http://api.example.com/x", true, false],
  ["allowed", "api.example.com", "https://api.example.com:8443/", false, false],
  ["allowed", "api.example.com", "http://api.example.com:443/", false, false],
  ["allowed", "api.example.com", "https://api.example.com:80/", false, false],
  ["allowed", "api.example.com", "https://api.example.com.evil.example/", false, false],
  ["allowed", "api.example.com", "https://evil.example/api.example.com", false, false],
  ["allowed", "api.example.com", "https://xapi.example.com/", false, false],
  ["allowed", "api.example.com", "ftp://api.example.com/", false, false],
  ["allowed", "api.example.com:8443", "https://api.example.com:8443/", true, true],
  ["allowed", "api.example.com:8443", "http://api.example.com:8443/", true, false],
  ["allowed", "api.example.com:8443", "https://api.example.com/", false, false],
  ["allowed", "api.example.com:443", "https://api.example.com/", true, true],
  ["allowed", "bücher.example.com", "https://xn--bcher-kva.example.com/", true, true],
  ["allowed", "*.example.com", "https://a.example.com/", true, true],
  ["allowed", "*.example.com", "https://example.com/", false, false],
  ["allowed", "*.example.com", "https://a.b.example.com/", false, false],
  ["allowed", "*.example.com", "https://.example.com/", false, false],
  ["allowed", "*.example.com", "https://aexample.com/", false, false],
  ["allowed", "*.eu-central-1.amazonaws.com", "https://s3.eu-central-1.amazonaws.com/", false, false],
  ["allowed", "*.eu-central-1.amazonaws.com", "https://ec2.eu-central-1.amazonaws.com/", true, true],
  ["allowed", "127.0.0.1:8080", "http://127.1:8080/", true, true],
  ["allowed", "127.0.0.1:8080", "http://127.0.0.1:8081/", false, false],
  ["allowed", "[::1]:8080", "http://[0:0::1]:8080/", true, true],
  ["allowed", "192.168.1.2:80", "http://192.168.1.2/", true, false],
  ["binding", "api.example.com", "https://api.example.com/x", true, true],
  ["binding", "api.example.com", "http://api.example.com/x", true, false],
  ["binding", "https://api.example.com", "http://api.example.com/x", false, false],
  ["binding", "localhost:8080", "http://localhost:8080/", true, false],
  ["binding", "localhost:8080", "https://localhost:8080/", true, true],
  ["binding", "http://localhost:8080", "http://localhost:8080/", true, true],
  ["binding", "http://localhost:8080", "https://localhost:8080/", false, false],
  ["binding", "http://localhost:8080", "http://localhost:8081/", false, false],
  ["binding", "http://127.0.0.1:8080", "http://localhost:8080/", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1", true, true],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/", true, true],
  ["binding", "api.example.com/v1/*", "https://api.example.com/v1/x?y=/v2", true, true],
  ["binding", "api.example.com/v1", "https://api.example.com/v10", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/V1", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/../v2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/%2e%2e/v2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/%252e%252e/v2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1%2f..%2fv2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/..%2Fv2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/..;/v2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1\\..\\v2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1/..%5cv2", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com//v1/x", false, false],
  ["binding", "api.example.com/v1", "https://api.example.com/v1//v2", false, false],
  ["binding", "api.example.com/v1", "https://evil.example/v1", false, false],
];

test.each(matches)("%s %s against %s: %s without a secret, %s with one", (kind, rule, url, plain, secret) => {
  const pattern = parseHostPattern(rule, { kind });
  expect(matchesHost(pattern, new URL(url), { carriesSecret: false })).toBe(plain);
  expect(matchesHost(pattern, new URL(url), { carriesSecret: true })).toBe(secret);
});

test("whatever an accepted exact rule matches is that host and no other", () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/u);
  const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join(".")}.example.com`);
  fc.assert(
    fc.property(host, host, (a, b) => {
      const pattern = parseHostPattern(a, { kind: "allowed" });
      return matchesHost(pattern, new URL(`https://${b}/`), { carriesSecret: true }) === (a === b);
    }),
    { numRuns: 300 },
  );
});

test.each([
  "localhost",
  "LOCALHOST.",
  "foo.localhost",
  "a",
  "redis",
  "printer.local",
  "router.lan",
  "host.docker.internal",
  "nas.home.arpa",
  "foo.test",
  "abc.onion",
])("%s is a private name", (name) => {
  expect(isPrivateName(name)).toBe(true);
});

test.each(["example.com", "local.example.com", "internal.example.com", "127.0.0.1", "[::1]", "homearpa.com"])(
  "%s is no private name",
  (name) => {
    expect(isPrivateName(name)).toBe(false);
  },
);

test("loopback hosts are localhost, names below it, 127.0.0.0/8 and ::1, and no look-alikes", () => {
  expect(["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]"].map(isLoopbackHost)).toEqual([true, true, true, true, true]);
  expect(["localhost.example.com", "127.0.0.1.example.com", "128.0.0.1", "[::2]", "xlocalhost"].map(isLoopbackHost)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("the value for trust is host and port in canonical form", () => {
  expect(hostPortOf(new URL("https://NAS.local./x"))).toBe("nas.local:443");
  expect(hostPortOf(new URL("http://[0::1]/x"))).toBe("[::1]:80");
  expect(canonicalHost(new URL("http://127.1:8080/"))).toBe("127.0.0.1");
});
