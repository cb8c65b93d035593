import { expect, test } from "vitest";
import { environmentProblems } from "./environment.ts";

test("variables that others obey and toolyard does not are told by name, never with their value", () => {
  const names = ["HTTPS_PROXY", "http_proxy", "ALL_PROXY", "no_proxy", "NODE_TLS_REJECT_UNAUTHORIZED", "SSLKEYLOGFILE"];
  const problems = environmentProblems(Object.fromEntries(names.map((name) => [name, "http://user:canary@proxy:3128"])));
  expect(problems.map(({ code, severity, message }) => [code, severity, message.split(" ")[0]])).toEqual(
    names.map((name) => ["NODE", "warning", name]),
  );
  expect(JSON.stringify(problems)).not.toContain("canary");
});

test("what is empty, or in force, or somebody else's, is not told", () => {
  expect(environmentProblems({ HTTPS_PROXY: "", NODE_EXTRA_CA_CERTS: "ca.pem", NODE_OPTIONS: "--no-warnings", MY_PROXY: "x" })).toEqual([]);
});
