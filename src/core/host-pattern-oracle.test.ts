import { isIP } from "node:net";
import fc from "fast-check";
import { getPublicSuffix } from "tldts";
import { expect, test } from "vitest";
import { ToolError } from "./errors.ts";
import { type HostPattern, hostPatternText, matchesHost, parseHostPattern } from "./host-pattern.ts";

/**
 * A second reading of the rules, by labels of what `URL` makes of both sides: written from DESIGN 7 and the doc comments,
 * with none of the matcher's own code. Undefined: the rule means nothing, so whatever it matches would be wrong.
 */
function matchesByOracle(rule: string, kind: HostPattern["kind"], request: string, carriesSecret: boolean): boolean | undefined {
  const scheme = /^https?(?=:\/\/)/iu.exec(rule)?.[0].toLowerCase();
  const rest = scheme === undefined ? rule : rule.slice(scheme.length + 3);
  const isWildcard = rest.startsWith("*.");
  // The port of the rule is read as text: a URL forgets the one that its scheme has by itself.
  const text = isWildcard ? rest.slice(2) : rest;
  const port = /^(?:\[[^\]]*\]|[^:/[\]]*):(\d+)/u.exec(text)?.[1];
  if (!URL.canParse(`https://${text}`) || !URL.canParse(request)) return undefined;
  const own = new URL(`https://${text}`);
  const url = new URL(request);
  const labels = (host: string): readonly string[] => host.replace(/\.$/u, "").split(".");
  const asked = labels(url.hostname);
  const wanted = labels(own.hostname);
  if (isWildcard) {
    if (asked.length !== wanted.length + 1 || asked[0] === "" || wanted.some((label, index) => label !== asked[index + 1])) return false;
    const host = asked.join(".");
    if (getPublicSuffix(host, { allowPrivateDomains: true }) === host) return false;
  } else if (asked.length !== wanted.length || wanted.some((label, index) => label !== asked[index])) {
    return false;
  }
  const isPlain = url.protocol === "http:";
  if (!isPlain && url.protocol !== "https:") return false;
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  const askedPort = url.port === "" ? (isPlain ? "80" : "443") : url.port;
  if (askedPort !== (port ?? (isPlain ? "80" : "443"))) return false;
  if (isPlain && carriesSecret) {
    const host = own.hostname;
    const isThisMachine =
      host === "[::1]" || host === "localhost" || host.endsWith(".localhost") || (isIP(host) === 4 && host.startsWith("127."));
    if (!isThisMachine || port === undefined || (kind === "binding" && scheme !== "http")) return false;
  }
  const folders = own.pathname
    .replace(/\/\*$/u, "")
    .split("/")
    .filter((part) => part !== "");
  if (folders.length === 0) return true;
  // A path that servers may read in more than one way is in no folder.
  const parts = url.pathname.split("/").slice(1);
  if (parts.slice(0, -1).includes("") || parts.some((part) => /^\.\.?;/u.test(part)) || isEncodedTwice(url.pathname)) return false;
  return folders.every((folder, index) => folder === parts[index]);
}

/** True if undoing the percent-encoding, as often as it goes, brings a dot, a slash or a backslash. */
function isEncodedTwice(path: string): boolean {
  const plain = path.replace(/%25(?=(?:25)*(?:2e|2f|5c))/giu, "%");
  return /%(?:25)*(?:2e|2f|5c)/iu.test(plain) || path.includes("\\");
}

const label = fc.constantFrom("a", "b", "a", "b", "api", "xn--bcher-kva", "bücher", "BÜCHER", "API", "*", "s3", "1", "-", "_x", "com");
const domain = fc.constantFrom(
  "example.com",
  "example.com",
  "example.com",
  "example.co.uk",
  "EXAMPLE.com",
  "github.io",
  "eu-central-1.amazonaws.com",
  "com",
  "co.uk",
);
const name = fc
  .tuple(fc.array(label, { maxLength: 2 }), domain, fc.constantFrom("", "", "", ".", ".."))
  .map(([labels, base, dot]) => `${[...labels, base].join(".")}${dot}`);
const machine = fc.constantFrom(
  "localhost",
  "app.localhost",
  "127.0.0.1",
  "127.1",
  "[::1]",
  "[0:0::1]",
  "10.0.0.7",
  "nas.local",
  "1.1.1.1",
  "0x7f.1",
);
const host = fc.oneof({ weight: 4, arbitrary: name }, { weight: 2, arbitrary: machine });
const port = fc.constantFrom("", "", "", ":443", ":80", ":8443", ":8080", ":0443", ":0", ":65536");
const path = fc.constantFrom(
  "",
  "",
  "",
  "",
  "/v1",
  "/v1",
  "/v1/x",
  "/",
  "/v1",
  "/v1/",
  "/v1/*",
  "/v1/x",
  "/v10",
  "/v2",
  "/V1",
  "/v1/../v2",
  "/v1/%2e%2e/v2",
  "/v1%2fx",
  "/v1//x",
  "//v1",
  "/v1/..;/v2",
  "/v1/%252e%252e/x",
  "/v1\\x",
  "/v%31",
  "/v1/ä",
);
const scheme = fc.constantFrom("https://", "https://", "https://", "https://", "http://", "http://", "HTTP://", "ftp://", "wss://");
const userinfo = fc.constantFrom("", "", "", "user@", "a:b@", "api.example.com@", ":@");
const ending = fc.constantFrom("", "?x=/v2", "#/v2", "?@api.example.com");
const rule = fc
  .tuple(fc.constantFrom("", "", "", "", "https://", "http://", "ftp://"), fc.constantFrom("", "", "*."), host, port, path)
  .map((parts) => parts.join(""));
const request = fc.tuple(scheme, userinfo, host, port, path, ending).map((parts) => parts.join(""));
/** What a request says where its rule has an asterisk. */
const star = fc.constantFrom("a.", "b.", "s3.", "a.b.", "a.s3.", "", ".", "*.", "xn--bcher-kva.", "com.");
/** What it says after the rule's path. */
const after = fc.constantFrom("", "", "/", "/x", "0", "x", "/../v2", "//x", "/.;/x", "/%2e%2e/v2", "?x", "#x");
// Random pairs hardly ever match: three of four requests are made of their rule, and differ from it in one thing or none.
const pair = fc.tuple(rule, request, fc.nat(3), star, scheme, path, after).map(([text, url, way, first, protocol, at, end]) => {
  if (way === 0) return [text, url] as const;
  const bare = text.replace(/^[a-z]+:\/\//u, "").replace("*.", first);
  if (way === 1) return [text, `${protocol}${bare.replace(/\/.*$/u, "")}${at}`] as const;
  return [text, `https://${bare.replace(/\/?\*$/u, "")}${end}`] as const;
});

test("every rule that is accepted matches what a second reading of it by URL and labels matches, and nothing else", () => {
  const seen = { matches: 0, refused: 0 };
  fc.assert(
    fc.property(pair, fc.constantFrom("allowed" as const, "binding" as const), fc.boolean(), ([text, url], kind, carriesSecret) => {
      if (!URL.canParse(url)) return;
      let pattern: HostPattern;
      try {
        pattern = parseHostPattern(text, { kind });
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError);
        seen.refused += 1;
        return;
      }
      const found = matchesHost(pattern, new URL(url), { carriesSecret });
      expect([text, kind, url, carriesSecret, found]).toEqual([
        text,
        kind,
        url,
        carriesSecret,
        matchesByOracle(text, kind, url, carriesSecret),
      ]);
      // One canonical spelling, which means the same.
      const again = parseHostPattern(hostPatternText(pattern), { kind });
      expect(matchesHost(again, new URL(url), { carriesSecret })).toBe(found);
      if (found) seen.matches += 1;
    }),
    {
      numRuns: 1_200,
      // A name under which strangers have names, below a wildcard that is none: too rare to wait for.
      examples: [[["*.eu-central-1.amazonaws.com", "https://s3.eu-central-1.amazonaws.com/"], "binding", true]],
    },
  );
  expect(seen.matches).toBeGreaterThan(15);
  expect(seen.refused).toBeGreaterThan(100);
});
