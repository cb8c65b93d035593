import { expect, test } from "vitest";
import { GUARD_NAMES, type GuardName } from "../../core/confinement.ts";
import { confinementNote } from "./confinement.ts";

test("doctor tells what the processes have, and of the rest why they do not", () => {
  const ALL = "Node's own restrictions, no core dumps, no new privileges, no network and no look into the server's memory";
  const of = (missing: readonly (readonly [GuardName, string])[]): string => confinementNote({ missing: new Map(missing) });
  const head = "processes of scripts and of the bundler have";
  expect(of([])).toBe(`${head} ${ALL}`);
  expect(of([["namespace", "unshare: Operation not permitted"]])).toBe(
    `${head} Node's own restrictions, no core dumps, no new privileges; not to be had here: no network and no look into the server's memory (unshare: Operation not permitted)`,
  );
  expect(of(GUARD_NAMES.map((name) => [name, "it is for Linux only"]))).toBe(
    `${head} Node's own restrictions; not to be had here: no core dumps, no new privileges, no network and no look into the server's memory (it is for Linux only)`,
  );
});
