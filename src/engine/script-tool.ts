import { randomUUID } from "node:crypto";
import type { CapabilityContext, HostRequest } from "../core/capability.ts";
import type { ContentBlock } from "../core/content.ts";
import { ToolError } from "../core/errors.ts";
import { type HostPattern, parseHostPattern } from "../core/host-pattern.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Problem, problemData, problemText } from "../core/problem.ts";
import type { CallContext, CallFigures, Tool, ToolDefinition, ToolOutcome } from "../core/tool.ts";
import type { CallEgress } from "../egress/call-egress.ts";
import type { Egress } from "../egress/egress.ts";
import type { Redactor } from "../egress/redactor.ts";
import type { CallClock, SandboxCall, SandboxResult, SandboxScript } from "../sandbox/sandbox-call.ts";
import { type AddedTemplate, parseHeaderTemplate, parseQueryTemplate } from "../secrets/header-template.ts";
import { type OAuthTemplate, parseOAuthTemplate } from "../secrets/oauth-template.ts";
import { locateFailure } from "../workspace/script-places.ts";
import type { Settings } from "../workspace/settings-file.ts";
import type { WorkspaceTool } from "../workspace/workspace-tool.ts";
import type { HostCallTable } from "./host-calls.ts";
import { limitLog } from "./log-limit.ts";
import { tellPlace } from "./placed-line.ts";
import type { Questions } from "./questions.ts";
import type { SandboxHolder } from "./sandbox-holder.ts";
import { readScriptContent } from "./script-content.ts";
import type { WorkspaceGuard } from "./workspace-guard.ts";

/** What the scripts of a workspace run with. */
export interface ScriptServices {
  readonly sandbox: Pick<SandboxHolder, "run">;
  readonly hostCalls: HostCallTable;
  readonly egress: Egress;
  readonly guard: WorkspaceGuard;
  readonly settings: () => Settings;
  readonly questions: Questions;
  /** True: a tool without `allowedHosts` sends no requests, whatever the workspace says. Default false. */
  readonly requireAllowedHosts?: boolean;
}

/** A tool of the workspace with everything parsed that its file says. */
export interface ScriptTool {
  readonly entry: WorkspaceTool;
  readonly headers: readonly AddedTemplate[];
  readonly query: readonly AddedTemplate[];
  readonly auth?: OAuthTemplate;
  readonly allowedHosts: readonly HostPattern[] | undefined;
  readonly script: SandboxScript;
}

/** Parses what the loader keeps as text. Throws `ToolError` INVALID_REQUEST for a header or host that does not fit. */
export function parseScriptTool(entry: WorkspaceTool): ScriptTool {
  const { key, script, isolation, limits, auth } = entry;
  const headers = entry.headers.map((header) => parseHeaderTemplate(header));
  if (auth !== undefined && headers.some(({ name }) => name.toLowerCase() === "authorization")) {
    throw new ToolError(
      "INVALID_REQUEST",
      '"auth" and the header "Authorization" are both set, and a request has only one of them. Remove one.',
    );
  }
  return {
    entry,
    headers,
    query: entry.query.map((parameter) => parseQueryTemplate(parameter)),
    ...(auth === undefined ? {} : { auth: parseOAuthTemplate(auth) }),
    allowedHosts: entry.allowedHosts?.map((host) => parseHostPattern(host, { kind: "allowed" })),
    script: {
      key,
      source: script.source,
      file: script.file,
      entry: script.entry,
      isolation,
      memoryMb: limits.memoryMb,
      locate: (frames, message) => locateFailure(script, { frames, message, isolation }),
    },
  };
}

/** The tool as the catalog lists and calls it, under its name for clients. */
export function createScriptTool(tool: ScriptTool, publishedName: string, services: ScriptServices): Tool {
  const { name, title, description, parameters, annotations, timeoutMs, key, limits, repair } = tool.entry;
  const output = outputSchema(tool.entry);
  const hosts = tool.entry.allowedHosts;
  const definition: ToolDefinition = {
    name: publishedName,
    description,
    parameters,
    timeoutMs,
    version: key,
    limits,
    repair,
    ...(name === publishedName ? {} : { plainName: name }),
    ...(title === undefined ? {} : { title }),
    ...(output === undefined ? {} : { output }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(hosts === undefined ? {} : { hosts }),
  };
  return {
    definition,
    status: (listing) => services.guard.status(tool, listing),
    call: (context, args) => callScript(tool, context, args, services),
  };
}

/** `true` allows every result, which is the same as no schema; `false` allows none. */
function outputSchema({ output }: WorkspaceTool): JsonObject | undefined {
  if (output === true) return undefined;
  return output === false ? { not: {} } : output;
}

/** The call has waited for the bundle as long as it may. */
function pendingError(problem: Problem): ToolError {
  return new ToolError("BUSY", `${problemText(problem)} That takes longer than usual. Try again in 10 s.`, {
    data: { problem: problemData(problem), retryAfterMs: 10_000 },
  });
}

async function callScript(tool: ScriptTool, context: CallContext, args: JsonObject, services: ScriptServices): Promise<ToolOutcome> {
  const { entry } = tool;
  if (entry.pending !== undefined) throw pendingError(entry.pending);
  const secrets = await services.guard.resolveSecrets(tool, context.caller.agent);
  let remainingMs = (): number => entry.timeoutMs;
  let clock: CallClock | undefined;
  const egress = services.egress.forCall({
    callId: context.callId,
    policy: services.guard.egressPolicy(tool, secrets),
    toolHeaders: secrets,
    exclusiveHeaders: secrets.exclusiveHeaders,
    exclusiveQuery: secrets.exclusiveQuery,
    limits: entry.limits,
    remainingMs: () => remainingMs(),
  });
  const request = requestOf(tool, services, egress);
  const limited = limitLog(entry.limits.logBytes, (line) => context.log({ ...line, text: egress.redactor().redactText(line.text) }));
  const { callId, ask } = context;
  const redactor = (): Redactor => egress.redactor();
  const question = services.questions.forCall({ callId, tool: entry.name, ask, limits: entry.limits, clock: () => clock, redactor });
  const hostContext = (signal: AbortSignal): CapabilityContext => ({
    callId: context.callId,
    toolName: entry.name,
    signal,
    remainingMs: () => remainingMs(),
    log: (line) => limited(tellPlace(line, tool.script)),
    progress: (progress) => {
      const { message } = progress;
      context.progress(message === undefined ? progress : { ...progress, message: egress.redactor().redactText(message) });
    },
    request,
    ask: (asked) => question(asked, signal),
  });
  const call: SandboxCall = {
    callId: context.callId,
    agent: context.caller.agent,
    tool: entry.name,
    script: tool.script,
    facts: factsOf(tool, context, args),
    timeoutMs: entry.timeoutMs,
    timeoutHint: entry.timeoutHint,
    signal: context.signal,
    onStart: (remaining, callClock) => {
      remainingMs = remaining;
      clock = callClock;
    },
    onHostCall: (method, params, signal) => services.hostCalls.call(method, params, hostContext(signal)),
    onNotice: (notice, params) => services.hostCalls.accept(notice, params, hostContext(context.signal)),
  };
  const result = await services.sandbox.run(call);
  const figures = { cpuMs: result.cpuMs, requests: egress.figures().requests };
  return outcomeOf(result, entry, egress, figures);
}

/** What the script gave, within the limits of its tool and with the secrets of this call masked. */
function outcomeOf(result: SandboxResult, entry: WorkspaceTool, egress: CallEgress, figures: CallFigures): ToolOutcome {
  const redactor = egress.redactor();
  const content = (blocks: readonly JsonValue[]): readonly ContentBlock[] =>
    readScriptContent(blocks, { tool: entry.name, limits: entry.limits, redactor });
  switch (result.kind) {
    case "error": {
      const error = tellRequests(redactError(result.error, egress), egress);
      return { kind: "error", error, figures, ...(result.blocks === undefined ? {} : { blocks: content(result.blocks) }) };
    }
    case "value":
      checkSize(entry, result.jsonBytes);
      return { kind: "value", value: redactor.redactJson(result.value), figures };
    case "content": {
      if (result.value !== undefined) checkSize(entry, Buffer.byteLength(JSON.stringify(result.value)));
      const value = result.value === undefined ? {} : { value: redactor.redactJson(result.value) };
      return { kind: "content", blocks: content(result.blocks), ...value, figures };
    }
  }
}

/** The sandbox knows the limit of the workspace; a tool may have a lower one. */
function checkSize({ name, limits }: WorkspaceTool, bytes: number): void {
  if (bytes <= limits.resultBytes) return;
  throw new ToolError(
    "RESULT_TOO_LARGE",
    `${name} returned ${bytes} bytes; the limit is ${limits.resultBytes} ("resultBytes"). Return less.`,
    {
      data: { bytes, limit: limits.resultBytes },
    },
  );
}

function requestOf({ entry }: ScriptTool, { settings, requireAllowedHosts }: ScriptServices, egress: CallEgress): HostRequest | undefined {
  const { network } = settings();
  if (!network.enabled) return undefined;
  const needsList = entry.allowedHosts === undefined && (requireAllowedHosts === true || network.requireAllowedHosts);
  return (request, signal) => {
    if (needsList) throw listRequired(entry.name, network.requireAllowedHosts ? "toolyard.json" : "the server's settings");
    if (!network.allowHttp && /^http:/i.test(request.url.trim())) {
      throw new ToolError("HOST_NOT_ALLOWED", 'Requests over plain http are off here ("network.allowHttp" in toolyard.json). Use https.');
    }
    const limitMs = network.requestTimeoutMs;
    const timeoutMs = Math.min(request.timeoutMs ?? Number.POSITIVE_INFINITY, limitMs ?? Number.POSITIVE_INFINITY);
    return egress.request(Number.isFinite(timeoutMs) ? { ...request, timeoutMs } : request, signal);
  };
}

function listRequired(tool: string, where: string): ToolError {
  return new ToolError(
    "HOST_NOT_ALLOWED",
    `Tool "${tool}" sends no requests: it has no "allowedHosts", which "network.requireAllowedHosts" in ${where} demands. Add "allowedHosts" to it in tools.json, with every host it needs.`,
  );
}

function factsOf({ entry }: ScriptTool, context: CallContext, args: JsonObject): SandboxCall["facts"] {
  const { name, title, description, config, timeoutMs } = entry;
  return {
    callId: context.callId,
    args,
    tool: { name, description, ...(title === undefined ? {} : { title }) },
    config,
    agent: { id: context.caller.agent, instanceId: randomUUID() },
    run: { origin: context.caller.origin, startedAt: new Date(context.startedAtMs).toISOString(), timeoutMs },
  };
}

function redactError(error: ToolError, egress: CallEgress): ToolError {
  const redactor = egress.redactor();
  const data = redactor.redactJson(error.data);
  return new ToolError(error.code, redactor.redactText(error.message), {
    audience: error.audience,
    data: isJsonObject(data) ? data : {},
    cause: error.cause,
  });
}

/** A time limit is most often reached by waiting for somebody else's server; the message says for which. */
function tellRequests(error: ToolError, egress: CallEgress): ToolError {
  const { requests, lastHost, lastAtMs } = egress.figures();
  if (error.code !== "TIMEOUT" || requests === 0 || lastHost === undefined || lastAtMs === undefined) return error;
  const ago = ((Date.now() - lastAtMs) / 1_000).toFixed(1);
  const told =
    requests === 1
      ? `1 request was made, to ${lastHost}, ${ago} s ago.`
      : `${requests} requests were made, the last to ${lastHost}, ${ago} s ago.`;
  return new ToolError("TIMEOUT", `${error.message} ${told}`, { data: { ...error.data, requests, lastHost } });
}
