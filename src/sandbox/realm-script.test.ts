import { expect, test } from "vitest";
import { outcomeOf } from "../../test/support/isolate-harness.ts";
import { realmScript } from "./realm-script.ts";

const withGuest = (guest: string) => ({
  hardened: false,
  change: <T extends { readonly capabilities: readonly { readonly name: string; readonly guest: string }[] }>(sources: T): T => ({
    ...sources,
    capabilities: [...sources.capabilities, { name: "probe", guest }],
  }),
});

test("a guest sees no name of the border or of another guest, and runs in strict mode", async () => {
  const names = ["realm", "guests", "host", "liveCalls", "script", "openRealm", "REDIRECTS", "readCall"];
  const guest = `(bridge) => ({ member: bridge.tools.freeze({ __proto__: null, seen: bridge.tools.freeze([
    ${names.map((name) => `typeof ${name}`).join(", ")}, typeof function () { return this; }()]) }) });`;
  const outcome = await outcomeOf("return g.probe.seen", withGuest(guest));
  expect(outcome).toEqual({ kind: "value", value: [...names.map(() => "undefined"), "undefined"] });
});

test("a guest may end with a semicolon, a comment, or neither", async () => {
  for (const end of [";", "", " // the end", ";\n\n"]) {
    const outcome = await outcomeOf("return g.probe", withGuest(`(bridge) => ({ member: bridge.tools.freeze({ a: 1 }) })${end}`));
    expect(outcome, JSON.stringify(end)).toEqual({ kind: "value", value: { a: 1 } });
  }
});

test("a text that is no expression makes no realm", async () => {
  expect(() => new Function(realmScript({ prelude: "1", capabilities: [{ name: "a", guest: "let x = 1;" }] }))).toThrow(SyntaxError);
});
