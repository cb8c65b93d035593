// Writes the pages that are made from the code's own tables. With --check: fails if a page is not what the tables say.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { loadCapabilities } from "../src/capabilities/index.ts";
import type { ClientRule, Demand, Effect } from "../src/clients/client-rule.ts";
import { CLIENTS } from "../src/clients/rules.ts";
import { ERROR_CODES } from "../src/core/errors.ts";
import { LIMITS, type Limit } from "../src/core/limits.ts";
import { FINDING_CODES } from "../src/core/problem.ts";
import { WEB_TYPES } from "../src/sandbox/web-types.ts";
import { settingsFileSchema } from "../src/workspace/settings-schema.ts";
import { toolsFileSchema } from "../src/workspace/tools-schema.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const made = "<!-- Made by npm run docs from the tables in src/core. -->";

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function limitRow([name, limit]: readonly [string, Limit]): readonly string[] {
  const range = limit.workspaceMax === limit.default ? `lower, down to ${limit.min}` : `${limit.min} to ${limit.workspaceMax}`;
  return [`\`${name}\``, `${limit.default} ${limit.unit}`, range, limit.about];
}

/** For editors: unknown keys are errors there, but for those that start with x-, which are free. */
function editorSchema(schema: z.ZodType, title: string): string {
  const open = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      if (jsonSchema.type !== "object" || jsonSchema.properties === undefined) return;
      jsonSchema.patternProperties = { "^x-": {} };
      jsonSchema.additionalProperties = false;
    },
  });
  return `${JSON.stringify({ ...open, title }, null, 2)}\n`;
}

const EFFECTS: { readonly [effect in Effect]: string } = {
  "fails-all": "every request fails",
  "left-out": "the tool is left out",
  changed: "changed by the client",
};

function demandText(demand: Demand): string {
  switch (demand.kind) {
    case "name-length":
      return `a name of at most ${demand.max} characters, with what the client puts before it`;
    case "name-characters":
      return `a name with no other characters than \`${demand.allowed}\``;
    case "name-start":
      return `a name that begins with one of \`${demand.allowed}\``;
    case "name-without":
      return `a name without \`${demand.text}\``;
    case "names-apart":
      return "names that stay different";
    case "description-length":
      return `a description of at most ${demand.max} characters`;
    case "property-keys":
      return `parameters named with \`${demand.allowed}\`, at most ${demand.max} characters`;
    case "no-top-keys":
      return `no parameter named ${demand.keys.map((key) => `\`${key}\``).join(", ")}, but for those below others`;
    case "typed-parameters":
      return "parameters with a `type`, or alternatives";
    case "root-without":
      return `no ${demand.keywords.map((keyword) => `\`${keyword}\``).join(", ")} at the top of the schema`;
    case "array-items":
      return "arrays with `items`";
    case "text-enums":
      return "`enum` with text only";
    case "tool-count":
      return `at most ${demand.max} tools of all servers`;
  }
}

function ruleRow(title: string, { demand, effect, sources }: ClientRule): readonly string[] {
  const links = sources.map((source, index) => `[${index + 1}](${source})`).join(" ");
  return [title, demandText(demand), EFFECTS[effect], links];
}

function scriptTypes(): string {
  const shared = "type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };\n";
  const parts = loadCapabilities().map((capability) => capability.types.trim());
  return `// What a script has. Made by npm run docs from src/capabilities and src/sandbox/web-types.ts.\n${shared}\n${parts.join("\n\n")}\n\n${WEB_TYPES}\ndeclare const g: G;\n`;
}

const pages: Readonly<Record<string, string>> = {
  "docs/errors.md": `# Error codes
${made}

A failed call is a result with \`isError: true\` and \`structuredContent.error = { code, message, … }\`. Scripts see the same codes in \`error.code\`.
Toward clients of protocol 2025-11-25 and older, a tool with an \`output\` schema has the error in \`_meta["toolyard/error"]\` instead ([why](decisions/0004-errors-for-2025-clients.md)).

${table(
  ["code", "meaning and what to do"],
  Object.entries(ERROR_CODES).map(([code, about]) => [`\`${code}\``, about]),
)}
`,
  "docs/findings.md": `# Findings of check and doctor
${made}

${table(
  ["code", "meaning"],
  Object.entries(FINDING_CODES).map(([code, about]) => [`\`${code}\``, about]),
)}
`,
  "docs/client-rules.md": `# What clients take
${made.replace("src/core", "src/clients")}

\`toolyard check\` judges every tool by these rules, in the form in which it is published. A client without a rule that
somebody has shown has no row here and no column there. All columns are by rule: no package on npm has the code by which
these clients judge. Of clients that have a package, the code itself reads every schema of our tests: the MCP SDK 1.x, also
on the zod 3.25 that Gemini CLI has, and 2.x, the AI SDK's converter for Gemini, and zod (\`test/schema/*clients.test.ts\`).

${table(
  ["client", "takes", "otherwise", "shown in"],
  CLIENTS.flatMap(({ title, rules }) => rules.map((rule) => ruleRow(title, rule))),
)}

The model sees a tool under a name that the client makes: ${CLIENTS.filter(({ names }) => names.prefix !== "")
    .map(({ title, names }) => `${title} \`${names.prefix}TOOL\``)
    .join(", ")}.
`,
  "docs/limits.md": `# Limits
${made}

Reaching a limit ends the call with the limit's name and value. A workspace may set what the third column allows,
in \`limits\` of \`toolyard.json\` and, for what concerns one call, of a tool. Beyond that the person who runs the server raises it
in \`settings.json\` of toolyard's folder ([cli.md](cli.md)).

${table(["limit", "default", "a workspace may set", "about"], Object.entries(LIMITS).map(limitRow))}
`,
  "docs/tools.schema.json": editorSchema(toolsFileSchema, "tools.json of a toolyard workspace"),
  "docs/toolyard.schema.json": editorSchema(settingsFileSchema, "toolyard.json of a toolyard workspace"),
  "docs/g.d.ts": scriptTypes(),
};

const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [file, text] of Object.entries(pages)) {
  const path = join(root, file);
  if (isCheck) {
    if (readIfThere(path) === text) continue;
    stale++;
    console.error(`${file} is not what the code says; run npm run docs`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
process.exitCode = stale === 0 ? 0 : 1;

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // A page that is not there yet is stale like any other.
  }
}
