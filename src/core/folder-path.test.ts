import { mkdirSync, mkdtempDisposableSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { liesWithin } from "./folder-path.ts";

test("a path lies within a folder by what is there, links followed on both sides, and also before it is made", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "folder-path-"));
  const at = (...parts: readonly string[]): string => join(folder.path, ...parts);
  mkdirSync(at("work", "deep"), { recursive: true });
  mkdirSync(at("work-other"));
  symlinkSync(at("work"), at("link"));
  symlinkSync(at("work-other"), at("work", "out"));
  const cases: readonly (readonly [string, string, boolean])[] = [
    [at("work"), at("work"), true],
    [at("work", "deep"), at("link"), true],
    [at("link", "deep"), at("work"), true],
    [at("link", "not", "there"), at("work"), true],
    [at("work", "out", "not-there"), at("work"), false],
    [at("work-other"), at("work"), false],
    [at("work"), at("work", "deep"), false],
    [at("not-there"), at("work"), false],
  ];
  for (const [path, within, expected] of cases) expect([path, within, liesWithin(path, within)]).toEqual([path, within, expected]);
});
