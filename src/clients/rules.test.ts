import { expect, test } from "vitest";
import { CLIENTS } from "./rules.ts";

test("every client has a rule, and every rule a source that can be looked at", () => {
  for (const { id, rules } of CLIENTS) {
    expect([id, rules.length > 0]).toEqual([id, true]);
    for (const { demand, sources } of rules) {
      expect([id, demand.kind, sources.length > 0]).toEqual([id, demand.kind, true]);
      for (const source of sources) expect(new URL(source).protocol).toBe("https:");
    }
  }
});

test("ids and titles are unique, and each client has one rule of a kind", () => {
  expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
  expect(new Set(CLIENTS.map(({ title }) => title)).size).toBe(CLIENTS.length);
  for (const { id, rules } of CLIENTS) expect([id, new Set(rules.map(({ demand }) => demand.kind)).size]).toEqual([id, rules.length]);
});

test("characters are the inside of a character class", () => {
  for (const { names, rules } of CLIENTS) {
    const classes = rules.flatMap(({ demand }) => ("allowed" in demand && demand.kind !== "name-start" ? [demand.allowed] : []));
    for (const allowed of [...classes, ...(names.kept === undefined ? [] : [names.kept])]) {
      const one = new RegExp(`^[${allowed}]$`);
      expect(["a", "Z", "5", "_", " ", "/"].map((character) => one.test(character))).toEqual([true, true, true, true, false, false]);
    }
  }
});
