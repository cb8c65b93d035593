#!/usr/bin/env node
/**
 * Entry of the command `toolyard`. Checks the platform and the options and variables of Node first; only then is anything
 * else loaded, since the rest does not parse on an older Node.
 */
import { nodeDebugProblem, nodeOptionProblem } from "./node-options.ts";
import { platformProblem } from "./platform-check.ts";

// Asked before anything is loaded: a parent that dies meanwhile would not be missed later.
const parentPid = process.ppid;
// Node would open its debugger to every user of this machine, as --inspect does.
process.on("SIGUSR1", () => undefined);
const problem =
  platformProblem({
    nodeVersion: process.versions.node,
    abi: process.versions.modules,
    platform: process.platform,
    arch: process.arch,
  }) ||
  nodeOptionProblem(process.execArgv, process.env.NODE_OPTIONS || "") ||
  nodeDebugProblem({ NODE_DEBUG: process.env.NODE_DEBUG, NODE_DEBUG_NATIVE: process.env.NODE_DEBUG_NATIVE });

if (problem === undefined) {
  import("./process.ts").then((program) => program.runProcess(process, parentPid)).catch(fail);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}

/** For what no command caught: a fault of ours. */
function fail(error: unknown): void {
  process.stderr.write(`toolyard failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
