/** What the egress tests share: policies, tool headers, servers on loopback, and stand-ins for DNS and the network. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ScriptRequest, ScriptResponse } from "../../src/core/capability.ts";
import { ToolError } from "../../src/core/errors.ts";
import { parseHostPattern } from "../../src/core/host-pattern.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { silentLog } from "../../src/core/log.ts";
import { Secret } from "../../src/core/secret.ts";
import type { CallEgress, CallEgressOptions, ToolAdditions } from "../../src/egress/call-egress.ts";
import type { Dial, DialTarget, Lookup } from "../../src/egress/connector.ts";
import { createDial } from "../../src/egress/dial.ts";
import { createEgress, type EgressOptions } from "../../src/egress/egress.ts";
import type { EgressPolicy } from "../../src/egress/target.ts";

/** A server on loopback; closed at the end of the test. */
export async function serve(listener: RequestListener): Promise<{ readonly port: number; readonly hits: string[] }> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // A TCP server that listens has an AddressInfo.
  return { port: (server.address() as AddressInfo).port, hits };
}

/** A server that notes the headers it got and answers with what `answer` says. */
export async function recorder(answer: (path: string) => { readonly status: number; readonly location?: string; readonly body?: string }) {
  const seen: { readonly path: string; readonly method: string; readonly headers: Readonly<Record<string, unknown>>; body: string }[] = [];
  const server = await serve((incoming, response) => {
    const entry = { path: incoming.url ?? "", method: incoming.method ?? "", headers: { ...incoming.headers }, body: "" };
    seen.push(entry);
    incoming.setEncoding("utf8").on("data", (text: string) => {
      entry.body += text;
    });
    incoming.on("end", () => {
      const { status, location, body = "" } = answer(entry.path);
      response.writeHead(status, location === undefined ? {} : { location }).end(body);
    });
  });
  return { ...server, seen };
}

/** A policy that allows and trusts exactly these hosts. */
export function trusting(...hosts: readonly string[]): EgressPolicy {
  return {
    toolName: "probe",
    allowedHosts: hosts.map((host) => parseHostPattern(host, { kind: "allowed" })),
    trusted: (host) => hosts.includes(host),
  };
}

/** A policy without a list of hosts and without trust. */
export const openPolicy: EgressPolicy = { toolName: "probe", trusted: () => false };

/** Tool headers without any secret. */
export const noHeaders: ToolAdditions = { prepare: () => ({ headers: new Map() }), sent: () => [] };

/** Tool headers that send `value` in `name` to every host, as long as secrets are allowed. */
export function secretHeader(name: string, value: string, prefix = ""): ToolAdditions {
  const sent: Secret[] = [];
  return {
    prepare(_url, { allowSecrets }) {
      if (!allowSecrets) return { headers: new Map() };
      const rendered = new Secret(prefix + value);
      sent.push(new Secret(value), rendered);
      return { headers: new Map([[name, rendered]]) };
    },
    sent: () => sent,
  };
}

/** Opens connections for real, to this machine: with whatever guard removed, no test sends a packet anywhere else. */
export const loopbackDial: Dial = (target) => {
  if (!target.addresses.every((address) => address === "::1" || address.startsWith("127."))) {
    throw new Error("A test would have opened a connection to another machine.");
  }
  return createDial()(target);
};

/** The requests of one call; the egress ends with the test. Names are not looked up and other machines not dialed, unless stubbed. */
export function callEgress(options: Partial<CallEgressOptions> = {}, egressOptions: Partial<EgressOptions> = {}): CallEgress {
  const lookup = (): Promise<never> => Promise.reject(Object.assign(new Error("Tests ask no resolver."), { code: "ENOTFOUND" }));
  const egress = createEgress({ log: silentLog, lookup, dial: loopbackDial, ...egressOptions });
  onTestFinished(() => egress[Symbol.asyncDispose]());
  return egress.forCall({
    callId: "test",
    policy: openPolicy,
    toolHeaders: noHeaders,
    limits: defaultLimits(),
    remainingMs: () => 10_000,
    ...options,
  });
}

/** Sends a request with defaults. */
export function send(
  call: CallEgress,
  url: string,
  rest: Partial<ScriptRequest> = {},
  signal = new AbortController().signal,
): Promise<ScriptResponse> {
  return call.request({ url, method: "GET", headers: {}, body: { kind: "none" }, redirect: "follow", ...rest }, signal);
}

/** The error of a request; fails the test if it succeeds or throws anything else. */
export async function failure(promise: Promise<unknown>): Promise<ToolError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
  throw new Error("expected a ToolError");
}

/** The body as text. */
export function textOf(response: ScriptResponse): string {
  return response.body.kind === "text" ? response.body.text : Buffer.from(response.body.base64, "base64").toString("latin1");
}

/** A dial that opens nothing, notes where it should have, and fails with the code STUB. */
export function stubDial(): { readonly dial: Dial; readonly dialed: DialTarget[] } {
  const dialed: DialTarget[] = [];
  return {
    dialed,
    dial: (target) => {
      dialed.push(target);
      return Promise.reject(Object.assign(new Error("stub"), { code: "STUB" }));
    },
  };
}

/** Answers every name with these addresses, one list per question, the last one again and again. */
export function stubLookup(...answers: readonly (readonly string[])[]): { readonly lookup: Lookup; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    lookup: (hostname) => {
      asked.push(hostname);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? []);
    },
  };
}
