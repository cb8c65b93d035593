import { expect, onTestFinished, test } from "vitest";
import { testCall } from "../../test/support/sandbox-call.ts";
import { loadCapabilities } from "../capabilities/index.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import { silentLog } from "../core/log.ts";
import { SandboxHolder } from "./sandbox-holder.ts";

test("new limits with the same values keep the sandbox, other values start another", async () => {
  let limits: Limits = defaultLimits();
  const holder = new SandboxHolder({ capabilities: loadCapabilities(), limits: () => limits, log: silentLog });
  onTestFinished(() => holder[Symbol.asyncDispose]());
  const servingPid = async (): Promise<number | undefined> => {
    expect(await holder.run(testCall("const main = () => 1", { timeoutMs: 10_000 }))).toMatchObject({ kind: "value", value: 1 });
    return (await holder.status())?.hosts.find(({ role }) => role === "serving")?.pid;
  };
  const first = await servingPid();
  limits = { ...limits };
  expect(await servingPid()).toBe(first);
  limits = { ...limits, logBytes: limits.logBytes - 1 };
  expect(await servingPid()).not.toBe(first);
});
