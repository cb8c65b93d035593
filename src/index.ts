/**
 * The public entry: a toolyard without a command line, for programs that serve a workspace themselves. Everything else in
 * the package is internal and may change with any version.
 */
export { ERROR_CODES, type ErrorCode, ToolError } from "./core/errors.ts";
export { createLog, type Log, silentLog } from "./core/log.ts";
export type { Caller, CallResult, ListedTool, ReloadReport } from "./core/tool.ts";
export type { CallRequest, Engine } from "./engine/engine.ts";
export { openRuntime, type Runtime, type RuntimeOptions } from "./engine/runtime.ts";
