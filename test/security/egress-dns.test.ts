import { Resolver } from "node:dns/promises";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Dial, DialTarget, Lookup } from "../../src/egress/connector.ts";
import { type DnsAnswer, type DnsRecord, startDnsServer } from "../support/dns-server.ts";
import { callEgress, failure, openPolicy, send, serve, textOf, trusting } from "./egress-support.ts";

/** Public addresses; no packet is sent to any of them. */
const PUBLIC = "93.184.215.14";
const OTHER_PUBLIC = "93.184.215.15";
const PUBLIC_6 = "2606:2800:21f::15";

const a = (address: string, ttl = 0): DnsRecord => ({ type: "A", address, ttl });
const aaaa = (address: string, ttl = 0): DnsRecord => ({ type: "AAAA", address, ttl });

/** A resolver of the test's own, asked as the system's is: for both families, everything that comes is used. */
async function openNetwork(answer: Parameters<typeof startDnsServer>[0]) {
  const server = await startDnsServer(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([server.address]);
  onTestFinished(() => resolver.cancel());
  const lookup: Lookup = async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const failed = answers.find((one) => one.status === "rejected");
    if (addresses.length === 0 && failed !== undefined) throw failed.reason;
    return addresses;
  };
  return { lookup, asked: server.asked };
}

/** One server on loopback stands for every address; where the connection should have gone is noted. */
async function standIn() {
  const server = await serve((_request, response) => response.end("inside"));
  const dialed: DialTarget[] = [];
  const dial: Dial = async (target) => {
    dialed.push(target);
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    expect(socket.remoteAddress).toBe("127.0.0.1");
    return { socket, remoteAddress: target.addresses[0] };
  };
  return { dial, dialed, hits: server.hits };
}

/** Both families: the first asked question of a name is answered with the first answer, the last one again and again. */
function inTurn(...answers: readonly (readonly DnsRecord[])[]): Parameters<typeof startDnsServer>[0] {
  return ({ type, count }) =>
    (answers[Math.min(count, answers.length - 1)] ?? []).filter((record) => record.type === type || record.type === "CNAME");
}

test("a name whose answer changes after the look-up leads where it was judged to lead, and is refused the next time", async () => {
  const { lookup, asked } = await openNetwork(inTurn([a(PUBLIC)], [a("127.0.0.1")], [a("169.254.169.254")], [a(PUBLIC)]));
  const { dial, dialed, hits } = await standIn();
  const call = callEgress({}, { lookup, dial });
  expect(textOf(await send(call, "http://rebind.example.com/1"))).toBe("inside");
  expect(dialed.map(({ addresses }) => addresses)).toEqual([[PUBLIC]]);
  expect(asked).toEqual(["A rebind.example.com", "AAAA rebind.example.com"]);
  // Another call and another connection: what the name says now is loopback, then metadata, then public again.
  const again = () => callEgress({}, { lookup, dial });
  expect((await failure(send(again(), "http://rebind.example.com/2"))).code).toBe("HOST_NOT_ALLOWED");
  expect((await failure(send(again(), "http://rebind.example.com/3"))).code).toBe("HOST_NOT_ALLOWED");
  expect(dialed).toHaveLength(1);
  expect(textOf(await send(again(), "http://rebind.example.com/4"))).toBe("inside");
  expect(hits).toEqual(["/1", "/4"]);
});

test("the same name, looked up a second time by whoever connects, would lead inside: that is why the judged list is dialed", async () => {
  const { lookup } = await openNetwork(inTurn([a(PUBLIC)], [a("127.0.0.1")]));
  const server = await serve((_request, response) => response.end("inside"));
  const careless: Dial = async ({ hostname, addresses }) => {
    const [second] = await lookup(hostname);
    expect(second).toBe("127.0.0.1");
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    // With the check of the far end as well: this dial hides where it went.
    return { socket, remoteAddress: addresses[0] };
  };
  expect(textOf(await send(callEgress({}, { lookup, dial: careless }), "http://rebind.example.com/"))).toBe("inside");
  const { lookup: sameAgain } = await openNetwork(inTurn([a(PUBLIC)], [a("127.0.0.1")]));
  const { dial, dialed } = await standIn();
  await send(callEgress({}, { lookup: sameAgain, dial }), "http://rebind.example.com/");
  expect(dialed.map(({ addresses }) => addresses)).toEqual([[PUBLIC]]);
});

/** What a name says, and what becomes of a request to it. */
const names: Readonly<Record<string, readonly [DnsAnswer, DnsAnswer, outcome: string]>> = {
  "one public address": [[a(PUBLIC)], [], "ok"],
  "public addresses of both families": [[a(PUBLIC)], [aaaa(PUBLIC_6)], "ok"],
  "only IPv6": [[], [aaaa(PUBLIC_6)], "ok"],
  "many public addresses": [Array.from({ length: 20 }, (_, index) => a(`93.184.215.${index + 1}`)), [], "ok"],
  "a public and a loopback address": [[a(PUBLIC), a("127.0.0.1")], [], "HOST_NOT_ALLOWED"],
  "a loopback and a public address": [[a("127.0.0.1"), a(PUBLIC)], [], "HOST_NOT_ALLOWED"],
  "a private one after nineteen public ones": [
    [...Array.from({ length: 19 }, (_, index) => a(`93.184.215.${index + 1}`)), a("10.0.0.1")],
    [],
    "HOST_NOT_ALLOWED",
  ],
  "public in IPv4 and loopback in IPv6": [[a(PUBLIC)], [aaaa("::1")], "HOST_NOT_ALLOWED"],
  "public in IPv4 and unique local in IPv6": [[a(PUBLIC)], [aaaa("fd00::1")], "HOST_NOT_ALLOWED"],
  "public in IPv6 and private in IPv4": [[a("192.168.0.1")], [aaaa(PUBLIC_6)], "HOST_NOT_ALLOWED"],
  "IPv4 loopback mapped into IPv6": [[], [aaaa("::ffff:7f00:1")], "HOST_NOT_ALLOWED"],
  "metadata mapped into IPv6": [[a(PUBLIC)], [aaaa("::ffff:a9fe:a9fe")], "HOST_NOT_ALLOWED"],
  "metadata through NAT64": [[], [aaaa("64:ff9b::a9fe:a9fe")], "HOST_NOT_ALLOWED"],
  "a public host through NAT64": [[], [aaaa("64:ff9b::5db8:d70e")], "ok"],
  "this network": [[a("0.0.0.0")], [], "HOST_NOT_ALLOWED"],
  "an alias of a public name": [
    [
      { type: "CNAME", to: "edge.example.net" },
      { type: "A", name: "edge.example.net", address: OTHER_PUBLIC },
    ],
    [],
    "ok",
  ],
  "aliases that end at loopback": [
    [
      { type: "CNAME", to: "one.example.net" },
      { type: "CNAME", name: "one.example.net", to: "two.example.org" },
      { type: "A", name: "two.example.org", address: "127.0.0.1" },
    ],
    [],
    "HOST_NOT_ALLOWED",
  ],
  "an alias of the metadata name": [
    [
      { type: "CNAME", to: "metadata.google.internal" },
      { type: "A", name: "metadata.google.internal", address: "169.254.169.254" },
    ],
    [],
    "HOST_NOT_ALLOWED",
  ],
  "no address at all": [[], [], "ENOTFOUND"],
  "that it does not exist": ["NXDOMAIN", "NXDOMAIN", "ENOTFOUND"],
  "that it exists in IPv6 only, and that is private": ["NXDOMAIN", [aaaa("fe80::1")], "HOST_NOT_ALLOWED"],
  "a failure": ["SERVFAIL", "SERVFAIL", "ESERVFAIL"],
};

test.each(Object.keys(names))("a name that says %s", async (name) => {
  const [four = [], six = [], outcome] = names[name] ?? [];
  const { lookup } = await openNetwork(({ type }) => (type === "A" ? four : six));
  const { dial, dialed } = await standIn();
  const call = callEgress({}, { lookup, dial });
  if (outcome === "ok") {
    expect(textOf(await send(call, "http://probe.example.com/"))).toBe("inside");
    expect(dialed).toHaveLength(1);
    return;
  }
  const error = await failure(send(call, "http://probe.example.com/"));
  // c-ares says for an empty answer what it is; to a request both mean that there is no address.
  const said = error.code === "NETWORK_ERROR" ? String(error.data.reason).replace("ENODATA", "ENOTFOUND") : error.code;
  expect(said).toBe(outcome);
  expect(dialed).toEqual([]);
});

test("a name server that never answers costs the request its time and no more", async () => {
  const { lookup } = await openNetwork(() => "silence");
  const { dial, dialed } = await standIn();
  const error = await failure(send(callEgress({}, { lookup, dial }), "http://slow.example.com/", { timeoutMs: 100 }));
  expect(error).toMatchObject({ code: "NETWORK_ERROR", data: { reason: "TIMEOUT" } });
  expect(dialed).toEqual([]);
});

test("neither this machine's names, nor addresses, nor what is refused for its form ever reach a name server", async () => {
  const { lookup, asked } = await openNetwork(() => [a(PUBLIC)]);
  const { dial } = await standIn();
  const local = callEgress({ policy: trusting("localhost:80", "a.localhost:80") }, { lookup, dial });
  await send(local, "http://localhost/");
  await send(local, "http://a.localhost/");
  const open = callEgress({}, { lookup, dial });
  for (const url of [
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://metadata.google.internal/",
    "http://user:pass@probe.example.com/",
    "http://redis/",
  ]) {
    await failure(send(open, url));
  }
  expect(asked).toEqual([]);
  await send(callEgress({ policy: openPolicy }, { lookup, dial }), "http://probe.example.com/");
  expect(asked).toEqual(["A probe.example.com", "AAAA probe.example.com"]);
});
