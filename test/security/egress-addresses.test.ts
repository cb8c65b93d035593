import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { z } from "zod";
import { ToolError } from "../../src/core/errors.ts";
import { hostPortOf, parseHostPattern } from "../../src/core/host-pattern.ts";
import { addressRules, classifyAddress } from "../../src/egress/address.ts";
import { createGuardedConnector, interfaceAddresses, judgeAddresses } from "../../src/egress/connector.ts";
import { parseTarget, targetChecks } from "../../src/egress/target.ts";
import { callEgress, failure, openPolicy, send, serve, stubDial, stubLookup, trusting } from "./egress-support.ts";

const caseSchema = z.array(
  z.object({ url: z.string(), expect: z.enum(["allow", "block"]), why: z.string(), resolves: z.array(z.string()).optional() }),
);
const readCases = (name: string) => caseSchema.parse(JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8")));
const cases = readCases("address-cases.json");
/** Our own, each with the list or standard it comes from. */
const ownCases = readCases("address-cases-own.json");
const PUBLIC = "93.184.215.14";

/** Beside the cases: each of these is refused for its control characters or blanks alone. */
const controlCases = ["https://example.com/\t", " https://example.com/", "https://exam\nple.com/"];

/** What became of a URL, with DNS and the network stubbed: nothing is ever sent. */
async function judged(url: string, resolves: readonly string[] = [PUBLIC]): Promise<"allow" | "block" | string> {
  const { dial, dialed } = stubDial();
  const error = await failure(send(callEgress({}, { dial, lookup: stubLookup(resolves).lookup, ownAddresses: () => [] }), url));
  if (dialed.length === 1 && error.code === "NETWORK_ERROR" && error.data.reason === "STUB") return "allow";
  return dialed.length === 0 && ["INVALID_REQUEST", "HOST_NOT_ALLOWED"].includes(error.code) ? "block" : error.code;
}

test.each(cases)("$expect $url ($why)", async ({ url, expect: expected, resolves }) => {
  expect(await judged(url, resolves)).toBe(expected);
});

test("all cases of our own, from public lists of bypasses, are judged as expected", async () => {
  const wrong: string[] = [];
  for (const { url, expect: expected, why, resolves } of ownCases) {
    const found = await judged(url, resolves);
    if (found !== expected) wrong.push(`${JSON.stringify(url)}: ${found}, not ${expected} (${why})`);
  }
  expect(wrong).toEqual([]);
  const given = new Set(cases.map(({ url }) => url));
  expect(ownCases.filter(({ url }) => given.has(url))).toEqual([]);
  expect(new Set(ownCases.map(({ url }) => url)).size).toBeGreaterThanOrEqual(cases.length);
});

test("metadata and blocked addresses stay closed to a tool that is allowed and trusted everywhere", async () => {
  const never = [
    "169.254.169.254:80",
    "168.63.129.16:80",
    "192.0.0.192:80",
    "100.100.100.200:80",
    "[fd00:ec2::254]:80",
    "[fd20:ce::254]:80",
    "0.0.0.0:80",
    "255.255.255.255:80",
    "224.0.0.1:80",
    "[::]:80",
    "[fe80::1]:80",
    "[64:ff9b::a9fe:a9fe]:80",
    "[::ffff:169.254.169.254]:80",
    "[2002:a9fe:a9fe::1]:80",
    "metadata.google.internal:80",
  ];
  const { dial, dialed } = stubDial();
  for (const host of never) {
    const call = callEgress({ policy: { ...trusting(host), trusted: () => true } }, { dial, lookup: stubLookup([PUBLIC]).lookup });
    expect((await failure(send(call, `http://${host}/`))).code).toBe("HOST_NOT_ALLOWED");
  }
  const call = callEgress(
    { policy: { ...trusting("nas.example.com:80"), trusted: () => true } },
    { dial, lookup: stubLookup(["169.254.169.254"]).lookup },
  );
  expect((await failure(send(call, "http://nas.example.com/"))).code).toBe("HOST_NOT_ALLOWED");
  expect(dialed).toHaveLength(0);
});

test("a private host needs its exact host and port in the list, and then trust", async () => {
  const { dial, dialed } = stubDial();
  const code = async (url: string, policy: typeof openPolicy, answer = "10.0.0.7"): Promise<string> =>
    (await failure(send(callEgress({ policy }, { dial, lookup: stubLookup([answer]).lookup }), url))).code;
  const allowedOnly = (...hosts: readonly string[]) => ({ ...trusting(...hosts), trusted: () => false });
  for (const host of [
    "10.0.0.7:8080",
    "127.0.0.1:8080",
    "localhost:8080",
    "[::1]:8080",
    "[fd12::1]:8080",
    "nas.local:8080",
    "redis:8080",
    "100.64.0.1:8080",
  ]) {
    expect(await code(`http://${host}/`, openPolicy)).toBe("HOST_NOT_ALLOWED");
    expect(await code(`http://${host}/`, trusting("other.local:8080"))).toBe("HOST_NOT_ALLOWED");
    expect(await code(`http://${host}/`, trusting(host.replace("8080", "8081")))).toBe("HOST_NOT_ALLOWED");
    expect(await code(`http://${host}/`, allowedOnly(host))).toBe("NOT_TRUSTED");
    expect(dialed).toHaveLength(0);
    expect(await code(`http://${host}/`, trusting(host))).toBe("NETWORK_ERROR");
    expect(dialed.splice(0)).toHaveLength(1);
  }
  // A public name with a private answer counts as private.
  expect(await code("https://nas.example.com/", openPolicy)).toBe("HOST_NOT_ALLOWED");
  expect(await code("https://nas.example.com/", allowedOnly("nas.example.com"))).toBe("HOST_NOT_ALLOWED");
  expect(await code("https://nas.example.com/", trusting("*.example.com:443"))).toBe("HOST_NOT_ALLOWED");
  expect(await code("https://nas.example.com/", allowedOnly("nas.example.com:443"))).toBe("NOT_TRUSTED");
  expect(dialed).toHaveLength(0);
  expect(await code("https://nas.example.com/", trusting("nas.example.com:443"))).toBe("NETWORK_ERROR");
  expect(dialed).toHaveLength(1);
});

test("allowedHosts is the whole list: another host, port or scheme is refused before any look-up", async () => {
  const { dial, dialed } = stubDial();
  const { lookup, asked } = stubLookup([PUBLIC]);
  const call = callEgress({ policy: trusting("api.example.com", "*.example.org", "api.example.net:8443") }, { dial, lookup });
  for (const url of [
    "https://evil.example/",
    "https://api.example.com:8443/",
    "https://example.org/",
    "https://a.b.example.org/",
    "https://api.example.net/",
    "https://1.1.1.1/",
    "https://api.example.com.evil.example/",
  ]) {
    expect((await failure(send(call, url))).code).toBe("HOST_NOT_ALLOWED");
  }
  expect(asked).toEqual([]);
  for (const url of ["https://api.example.com/", "http://api.example.com/", "https://a.example.org/", "https://api.example.net:8443/"]) {
    expect((await failure(send(call, url))).code).toBe("NETWORK_ERROR");
  }
  expect(dialed.map((target) => `${target.hostname}:${target.port}`)).toEqual([
    "api.example.com:443",
    "api.example.com:80",
    "a.example.org:443",
    "api.example.net:8443",
  ]);
  const none = callEgress({ policy: { ...openPolicy, allowedHosts: [] } }, { dial, lookup });
  expect((await failure(send(none, "https://api.example.com/"))).code).toBe("HOST_NOT_ALLOWED");
});

test("a refusal says what to add where", async () => {
  const { dial } = stubDial();
  const message = async (url: string, policy: typeof openPolicy): Promise<string> =>
    (await failure(send(callEgress({ policy }, { dial, lookup: stubLookup([PUBLIC]).lookup }), url))).message;
  expect(await message("https://api.example.org/x?q=secret-query", trusting("api.example.com"))).toBe(
    'Tool "probe" asked for api.example.org:443 (https), which its "allowedHosts" lacks. Add "api.example.org" to the list in tools.json, or change the URL.',
  );
  expect(await message("https://api.example.org:8443/", openPolicy)).toContain('Add "allowedHosts": ["api.example.org:8443"]');
  expect(await message("http://nas.local/", openPolicy)).toContain(
    'Add "nas.local:80" to its "allowedHosts" in tools.json; then a person allows it with: toolyard trust',
  );
  const bound = {
    ...openPolicy,
    allowedBy: "secrets" as const,
    allowedHosts: [parseHostPattern("api.example.com/v1", { kind: "binding" })],
  };
  expect(await message("https://other.example/", bound)).toContain("only the hosts those are bound to (api.example.com/v1)");
});

test("a name that changes its answer between check and connect leads nowhere else: one look-up, and the judged list is dialed", async () => {
  const { lookup, asked } = stubLookup([PUBLIC], ["127.0.0.1"]);
  const { dial, dialed } = stubDial();
  const call = callEgress({}, { lookup, dial });
  expect((await failure(send(call, "https://rebind.example.com/"))).code).toBe("NETWORK_ERROR");
  expect(asked).toEqual(["rebind.example.com"]);
  expect(dialed[0]?.addresses).toEqual([PUBLIC]);
  expect((await failure(send(call, "https://rebind.example.com/"))).code).toBe("HOST_NOT_ALLOWED");
  expect(dialed).toHaveLength(1);
});

test("a connection whose far end is not a judged address is closed before anything is sent", async () => {
  const server = await serve((_request, response) => response.end("inside"));
  const dialTo = (claimed: string | undefined) => async () => {
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    return { socket, remoteAddress: claimed ?? socket.remoteAddress };
  };
  const lookup = stubLookup([PUBLIC]).lookup;
  // Without the check of the far end (a dial that claims the judged address) the server behind it is reached.
  expect((await send(callEgress({}, { lookup, dial: dialTo(PUBLIC) }), "http://api.example.com/")).status).toBe(200);
  expect(server.hits).toHaveLength(1);
  expect((await failure(send(callEgress({}, { lookup, dial: dialTo(undefined) }), "http://api.example.com/"))).code).toBe(
    "HOST_NOT_ALLOWED",
  );
  expect(server.hits).toHaveLength(1);
});

test("localhost is this machine whatever a resolver says", async () => {
  const { lookup, asked } = stubLookup([PUBLIC]);
  const { dial, dialed } = stubDial();
  await failure(send(callEgress({ policy: trusting("localhost:8080") }, { lookup, dial }), "http://localhost:8080/"));
  expect(asked).toEqual([]);
  expect(dialed[0]?.addresses).toEqual(["127.0.0.1", "::1"]);
});

/** Whether a case would be connected, by the layers alone. */
function verdictOf(
  url: string,
  answers: readonly string[],
  layers: { checks?: ReturnType<typeof targetChecks>; rules?: ReturnType<typeof addressRules> },
): "allow" | "block" {
  try {
    const target = parseTarget(url, layers.checks);
    const host = target.hostname.replace(/^\[|\]$/gu, "");
    const isLiteral = /^[0-9.]+$/u.test(host) || host.includes(":");
    const addresses = isLiteral ? [host] : answers;
    return addresses.every((address) => classifyAddress(address, isLiteral ? "literal" : "dns", layers.rules) === "public")
      ? "allow"
      : "block";
  } catch (error) {
    if (error instanceof ToolError) return "block";
    throw error;
  }
}

function differences(layers: Parameters<typeof verdictOf>[2]): number {
  const all = [...cases, ...controlCases.map((url) => ({ url, resolves: undefined }))];
  return all.filter(({ url, resolves = [PUBLIC] }) => verdictOf(url, resolves, layers) !== verdictOf(url, resolves, {})).length;
}

test.each(targetChecks().map((check) => check.name))("without the URL check %s some case is judged differently", (name) => {
  const checks = targetChecks().filter((check) => check.name !== name);
  // Port 0 and foreign schemes are refused again by the rules on hosts and ports; here the URL's form is alone.
  expect(differences({ checks })).toBeGreaterThan(0);
});

test.each(addressRules().map((rule) => rule.name))("without the address rule %s some address is judged differently", (name) => {
  const all = addressRules(new Set(["93.184.215.99"]));
  const rules = all.filter((rule) => rule.name !== name);
  const more = [
    "93.184.215.99",
    "100.100.100.200",
    "fd00:ec2::254",
    "2001:db9::5efe:a00:1",
    "2001:db9::200:5efe:7f00:1",
    "127.0.0.1",
    "10.0.0.1",
  ];
  const addressDifferences = more.filter(
    (address) => classifyAddress(address, "literal", rules) !== classifyAddress(address, "literal", all),
  );
  expect(differences({ rules }) + addressDifferences.length).toBeGreaterThan(0);
});

test("without the rules on names and ports, which know no address, cases get through", () => {
  const through = cases.filter(
    ({ url, resolves = [PUBLIC], expect: expected }) => expected === "block" && verdictOf(url, resolves, {}) === "allow",
  );
  const names = through.filter(({ url }) => new URL(url).port === "");
  expect(through.length - names.length).toBeGreaterThanOrEqual(5);
  expect(names.length).toBeGreaterThanOrEqual(20);
  expect(through.map(({ url }) => hostPortOf(new URL(url)))).toContain("metadata.google.internal:80");
});

test("judging only the first answer would let a mixed list through", () => {
  expect(() => judgeAddresses([PUBLIC], "dns", "public")).not.toThrow();
  expect(() => judgeAddresses([PUBLIC, "10.0.0.1"], "dns", "public")).toThrow("not allowed");
});

test("the connector judges address literals, which no look-up sees", async () => {
  const { dial, dialed } = stubDial();
  const connector = createGuardedConnector("public", { lookup: stubLookup([PUBLIC]).lookup, dial, ownAddresses: () => [] });
  const error = await new Promise<Error | null>((resolve) =>
    connector({ hostname: "127.0.0.1", protocol: "http:", port: "80" }, (...[refused]) => resolve(refused)),
  );
  expect(error).toMatchObject({ code: "ADDRESS_REFUSED", addressClass: "loopback" });
  expect(dialed).toHaveLength(0);
});

test("a public address of this machine counts as private: it needs its exact host and port, and trust", async () => {
  const own = ["93.184.215.99", "2606:2800:21f::99", "fe80::1%eth0", "127.0.0.1"];
  const { dial, dialed } = stubDial();
  const code = async (url: string, policy: typeof openPolicy, answers: readonly string[], ownAddresses: () => readonly string[]) =>
    (await failure(send(callEgress({ policy }, { dial, lookup: stubLookup(answers).lookup, ownAddresses }), url))).code;
  const spellings = [
    ["https://93.184.215.99/", PUBLIC],
    ["https://1572394851/", PUBLIC],
    ["https://[2606:2800:21f:0::99]/", PUBLIC],
    ["https://[::ffff:93.184.215.99]/", PUBLIC],
    ["https://me.example.com/", "93.184.215.99"],
    ["https://me.example.com/", "2606:2800:21f::99"],
    ["https://me.example.com/", "::ffff:93.184.215.99"],
  ] as const;
  for (const [url, answer] of spellings) {
    const { host } = new URL(url);
    const exact = trusting(`${host}:443`);
    // Without the rule each of them is a public address like others.
    expect([url, await code(url, exact, [answer], () => [])]).toEqual([url, "NETWORK_ERROR"]);
    expect(dialed.splice(0)).toHaveLength(1);
    expect([url, await code(url, openPolicy, [answer], () => own)]).toEqual([url, "HOST_NOT_ALLOWED"]);
    expect([url, await code(url, { ...exact, trusted: () => false }, [answer], () => own)]).toEqual([url, "NOT_TRUSTED"]);
    expect(dialed).toEqual([]);
    expect([url, await code(url, exact, [answer], () => own)]).toEqual([url, "NETWORK_ERROR"]);
    expect(dialed.splice(0)).toHaveLength(1);
  }
  // RFC 6052: what an IPv6-only network says for it; a translator is no way to this machine, so nobody can allow it.
  const translated = ["64:ff9b::5db8:d763"];
  expect(await code("https://me.example.com/", trusting("me.example.com:443"), translated, () => [])).toBe("NETWORK_ERROR");
  expect(await code("https://me.example.com/", trusting("me.example.com:443"), translated, () => own)).toBe("HOST_NOT_ALLOWED");
  expect(await code("https://93.184.215.98/", trusting("93.184.215.98:443"), [PUBLIC], () => own)).toBe("NETWORK_ERROR");
  expect(interfaceAddresses()).toContain("127.0.0.1");
});
