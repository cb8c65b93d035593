/**
 * Bearer tokens of agents: `$TOOLYARD_HOME/agents.json`. Only a hash of each token is kept; the token itself is shown
 * once. A token belongs to one agent and one workspace. The file is looked at for every check, so that a token removed
 * by another process stops working at the next request.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { ToolError } from "../core/errors.ts";
import { acquireFileLock } from "../core/file-lock.ts";
import { ensurePrivateFolder, fileSignature, readPrivateFile, removeLeftovers, replacePrivateFile } from "../core/private-file.ts";

/** One token, without the token. */
interface AgentEntry {
  readonly agent: string;
  readonly workspaceId: string;
  /** SHA-256 of the token, as lower-case hex. */
  readonly sha256: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** Access to the file; holds nothing that must be closed. */
export interface AgentStore {
  /**
   * Makes a token for the agent and stores its hash. An agent may have several tokens, so that one can be replaced
   * without a gap. Throws `ToolError` INVALID_REQUEST for a name that is not `[A-Za-z0-9_.-]{1,64}`, else STORE_ERROR.
   */
  addAgent(agent: string, workspaceId: string): Promise<string>;
  /** Entries of the workspace in the order they were made. Throws `ToolError` STORE_ERROR or FILE_VERSION. */
  list(workspaceId: string): readonly AgentEntry[];
  /** Removes every token of the agent in that workspace; gives how many there were. */
  removeAgent(agent: string, workspaceId: string): Promise<number>;
  /** What the token stands for in that workspace. Throws `ToolError` STORE_ERROR or FILE_VERSION, and then nobody gets in. */
  verify(token: string, workspaceId: string): VerifiedToken | undefined;
}

/** What a token stands for; holds its hash only. */
interface VerifiedToken {
  readonly agent: string;
  /** False once the token was removed. Throws as `verify`. */
  isValid(): boolean;
}

const FILE_NAME = "agents.json";
const FORMAT_VERSION = 1;
const TOKEN_PREFIX = "ty_";
/** 256 random bits: beyond guessing, so that a plain hash is enough to keep (facts on passwords do not apply). */
const TOKEN_BYTES = 32;
/** An entry takes about 200 bytes; this holds some ten thousand. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

const agentName = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);

/** True for a name that a token can be made for: `[A-Za-z0-9_.-]{1,64}`. */
export function isAgentName(text: string): boolean {
  return agentName.safeParse(text).success;
}

const agentsFile = z.strictObject({
  version: z.literal(FORMAT_VERSION),
  agents: z.array(
    z.strictObject({
      agent: agentName,
      workspaceId: z.string().min(1).max(256),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      createdAt: z.string().max(64),
    }),
  ),
});

/** Opens the store in the folder `home`, which is made at the first write. */
export function openAgentStore(home: string): AgentStore {
  const path = join(home, FILE_NAME);
  let seen: { readonly signature: string | undefined; readonly agents: readonly AgentEntry[] } | undefined;

  const current = (): readonly AgentEntry[] => {
    const signature = fileSignature(path);
    if (seen !== undefined && seen.signature === signature) return seen.agents;
    const file = readPrivateFile(path, MAX_FILE_BYTES);
    // A file that cannot be read or understood throws before it is remembered: it is tried again at the next request.
    seen = { signature: file?.signature, agents: file === undefined ? [] : parseAgents(file.text, path) };
    return seen.agents;
  };

  const change = async <Result>(
    edit: (agents: readonly AgentEntry[]) => { agents: readonly AgentEntry[]; result: Result },
  ): Promise<Result> => {
    ensurePrivateFolder(home);
    using lock = await acquireFileLock(`${path}.lock`);
    removeLeftovers(path);
    const { agents, result } = edit(current());
    const text = `${JSON.stringify({ version: FORMAT_VERSION, agents }, undefined, 2)}\n`;
    replacePrivateFile(path, text, {
      backup: "none",
      beforeCommit: () => {
        if (!lock.isHeld()) throw new ToolError("STORE_ERROR", `${path} was not changed: another process took over its lock. Try again.`);
      },
    });
    return result;
  };

  return {
    addAgent: async (agent, workspaceId) => {
      refuseBadName(agent);
      const token = TOKEN_PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
      const entry = { agent, workspaceId, sha256: sha256(token).toString("hex"), createdAt: new Date().toISOString() };
      return change((agents) => ({ agents: [...agents, entry], result: token }));
    },
    list: (workspaceId) => current().filter((entry) => entry.workspaceId === workspaceId),
    removeAgent: (agent, workspaceId) =>
      change((agents) => {
        const kept = agents.filter((entry) => entry.agent !== agent || entry.workspaceId !== workspaceId);
        return { agents: kept, result: agents.length - kept.length };
      }),
    verify: (token, workspaceId) => {
      const found = match(current(), token, workspaceId);
      if (found === undefined) return undefined;
      const isFound = (entry: AgentEntry): boolean => entry.sha256 === found.sha256 && entry.workspaceId === workspaceId;
      return { agent: found.agent, isValid: () => current().some(isFound) };
    },
  };
}

/** Compares with every entry, also after a hit, so that the time says nothing about where in the file an agent stands. */
function match(agents: readonly AgentEntry[], token: string, workspaceId: string): AgentEntry | undefined {
  const given = sha256(token);
  let found: AgentEntry | undefined;
  for (const entry of agents) {
    const isSame = timingSafeEqual(given, Buffer.from(entry.sha256, "hex"));
    if (isSame && entry.workspaceId === workspaceId) found = entry;
  }
  return found;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

function refuseBadName(agent: string): void {
  if (isAgentName(agent)) return;
  throw new ToolError(
    "INVALID_REQUEST",
    "An agent's name has 1 to 64 of the characters A-Z a-z 0-9 _ . - and nothing else. Choose another name.",
  );
}

function parseAgents(text: string, path: string): readonly AgentEntry[] {
  const json = parseJson(text, path);
  const version = z.object({ version: z.number() }).safeParse(json);
  if (version.success && version.data.version > FORMAT_VERSION) {
    throw new ToolError(
      "FILE_VERSION",
      `${path} has version ${version.data.version}; this toolyard reads up to ${FORMAT_VERSION}. Update toolyard.`,
      { audience: "operator" },
    );
  }
  const parsed = agentsFile.safeParse(json);
  if (parsed.success) return parsed.data.agents;
  const place = parsed.error.issues[0]?.path.join("/") ?? "";
  throw damaged(`${path} is not as toolyard writes it (at /${place}). Restore it, or remove it and add the agents again.`, parsed.error);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(`${path} is not JSON. Restore it, or remove it and add the agents again.`, error);
  }
}

function damaged(message: string, cause: unknown): ToolError {
  return new ToolError("STORE_ERROR", message, { cause, audience: "operator" });
}
