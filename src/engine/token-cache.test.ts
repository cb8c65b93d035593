import { expect, test } from "vitest";
import { ToolError } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import type { IssuedToken } from "../egress/oauth-request.ts";
import type { TokenGrant } from "../secrets/oauth-grant.ts";
import { createTokenCache } from "./token-cache.ts";

const SIGNAL = new AbortController().signal;

function grant(change: Partial<TokenGrant> = {}): TokenGrant {
  return {
    tool: "t",
    agent: "default",
    tokenUrl: new URL("https://login.example.com/token"),
    clientId: new Secret("client"),
    clientSecret: new Secret("client-secret"),
    clientAuth: "basic",
    boundHosts: [],
    trusted: () => false,
    ...change,
  };
}

/** A cache whose issuer numbers its tokens and waits where `gate` says; its clock stands still. */
function bench({
  lifeMs = 3_600_000,
  gate = Promise.resolve(),
}: {
  readonly lifeMs?: number | "unsaid";
  readonly gate?: Promise<void>;
} = {}) {
  const state = { nowMs: 1_000_000, requests: 0, isDown: false };
  const cache = createTokenCache({
    now: () => state.nowMs,
    request: async (): Promise<IssuedToken> => {
      state.requests += 1;
      const number = state.requests;
      await gate;
      if (state.isDown) throw new ToolError("AUTH_FAILED", "down");
      return { token: new Secret(`token-${number}`), lifeMs: lifeMs === "unsaid" ? undefined : lifeMs };
    },
  });
  const get = async (one = grant()): Promise<string> => (await cache.get(one, SIGNAL)).reveal();
  const renew = async (refused: string): Promise<string | undefined> => (await cache.renew(grant(), new Secret(refused), SIGNAL))?.reveal();
  return { state, cache, get, renew };
}

test("fifty that wait make one request, and one that gives up takes nothing from the others", async () => {
  const gate = Promise.withResolvers<void>();
  const { state, cache, get } = bench({ gate: gate.promise });
  const leaving = new AbortController();
  const gone = cache.get(grant(), leaving.signal);
  const all = Array.from({ length: 50 }, () => get());
  leaving.abort(new ToolError("CANCELLED", "gone"));
  await expect(gone).rejects.toMatchObject({ code: "CANCELLED" });
  gate.resolve();
  expect(new Set(await Promise.all(all))).toEqual(new Set(["token-1"]));
  expect(state.requests).toBe(1);
});

test("a token is kept until a minute before its end, or a tenth of a short life", async () => {
  const long = bench({ lifeMs: 3_600_000 });
  await long.get();
  long.state.nowMs += 3_539_999;
  expect(await long.get()).toBe("token-1");
  long.state.nowMs += 1;
  expect(await long.get()).toBe("token-2");
  const short = bench({ lifeMs: 10_000 });
  await short.get();
  short.state.nowMs += 8_999;
  expect(await short.get()).toBe("token-1");
  short.state.nowMs += 1;
  expect(await short.get()).toBe("token-2");
});

test("a token whose issuer names no life is kept for five minutes, and none for longer than a day", async () => {
  const unknown = bench({ lifeMs: "unsaid" });
  await unknown.get();
  unknown.state.nowMs += 260_000;
  expect(await unknown.get()).toBe("token-1");
  unknown.state.nowMs += 40_000;
  expect(await unknown.get()).toBe("token-2");
  const endless = bench({ lifeMs: 1e15 });
  await endless.get();
  endless.state.nowMs += 24 * 3_600_000;
  expect(await endless.get()).toBe("token-2");
});

test("an issuer that is down shortly before the end costs nobody a call while the token holds", async () => {
  const { state, get } = bench({ lifeMs: 600_000 });
  await get();
  state.isDown = true;
  state.nowMs += 590_000;
  expect(await get()).toBe("token-1");
  state.nowMs += 20_000;
  await expect(get()).rejects.toMatchObject({ code: "AUTH_FAILED" });
});

test("a failed request is remembered for five seconds, then tried again", async () => {
  const { state, get } = bench();
  state.isDown = true;
  for (const _ of [1, 2, 3]) await expect(get()).rejects.toMatchObject({ code: "AUTH_FAILED" });
  expect(state.requests).toBe(1);
  state.isDown = false;
  state.nowMs += 4_999;
  await expect(get()).rejects.toMatchObject({ code: "AUTH_FAILED" });
  state.nowMs += 1;
  expect([await get(), state.requests]).toEqual(["token-2", 2]);
});

test("a refused token is renewed once: those refused with it get the same new one, and a new one that is refused stays", async () => {
  const { state, get, renew } = bench();
  await get();
  expect(await Promise.all([renew("token-1"), renew("token-1"), renew("token-1")])).toEqual(["token-2", "token-2", "token-2"]);
  // One that was under way longer learns that another call has a new one already.
  expect(await renew("token-1")).toBe("token-2");
  expect(await renew("token-2")).toBe(undefined);
  expect(state.requests).toBe(2);
  state.nowMs += 5_000;
  expect([await renew("token-2"), await get(), state.requests]).toEqual(["token-3", "token-3", 3]);
});

test("a token belongs to its tool, agent, issuer, client, secret, scope and way of asking", async () => {
  const { state, get } = bench();
  const others = [
    grant(),
    grant({ tool: "u" }),
    grant({ agent: "ops" }),
    grant({ tokenUrl: new URL("https://login.example.com/other") }),
    grant({ clientId: new Secret("client2") }),
    grant({ clientSecret: new Secret("replaced-secret") }),
    grant({ scope: "read" }),
    grant({ clientAuth: "body" }),
  ];
  const tokens = new Set<string>();
  for (const one of others) tokens.add(await get(one));
  expect([tokens.size, state.requests]).toEqual([others.length, others.length]);
  expect([await get(grant({ scope: "read" })), state.requests]).toEqual(["token-7", others.length]);
});
