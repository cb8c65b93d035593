import { readFile } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { pathExists } from "../path-exists.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** Claude Desktop's configuration, where there is one, starts toolyard by paths that exist: it has a PATH of its own. */
export const claudeDesktopProbe: Probe<DoctorContext> = {
  name: "claude-desktop",
  about: "Claude Desktop can start it, or has no entry for it",
  code: "CLIENT_CONFIG",
  run: async ({ cli }) => {
    const file = path.join(cli.config.settingsFolder, "Claude", "claude_desktop_config.json");
    const text = await readIfThere(file);
    if (text === undefined) return [];
    const entries = serverEntries(text);
    if (entries === undefined) return [finding(file, "is not a JSON object; Claude Desktop ignores it", "Mend its JSON.")];
    const problems: Problem[] = [];
    for (const [name, entry] of entries) problems.push(...(await entryProblems(file, name, entry)));
    return problems;
  },
};

async function entryProblems(file: string, name: string, { command, args }: JsonObject): Promise<readonly Problem[]> {
  const list = Array.isArray(args) ? args.filter((arg): arg is string => typeof arg === "string") : [];
  const isOurs = [command, ...list].some((word) => typeof word === "string" && /\btoolyard\b/.test(word));
  if (!isOurs || typeof command !== "string") return [];
  const mend = "Paste the entry that npm start prints, and restart Claude Desktop.";
  if (!path.isAbsolute(command))
    return [finding(file, `starts "${name}" with "${command}", which its PATH may not have; write an absolute path`, mend)];
  const paths = [command, ...list.filter((word) => path.isAbsolute(word))];
  const problems: Problem[] = [];
  for (const word of paths)
    if (!(await pathExists(word))) problems.push(finding(file, `names ${word} for "${name}", which is not there`, mend));
  return problems;
}

function serverEntries(text: string): readonly (readonly [string, JsonObject])[] | undefined {
  try {
    const parsed: JsonValue = JSON.parse(text);
    if (!isJsonObject(parsed)) return undefined;
    const servers = isJsonObject(parsed.mcpServers) ? parsed.mcpServers : {};
    return Object.entries(servers).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry] as const] : []));
  } catch {
    return undefined; // Not JSON: said by the caller.
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function finding(file: string, found: string, mend: string): Problem {
  return { code: "CLIENT_CONFIG", severity: "warning", place: { kind: "file", file }, message: `${found}.`, mend };
}
