/** What `secrets import` reads: a file of `NAME=value` lines, and a map that says where each of them may go. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { z } from "zod";
import { messageOf, systemCode } from "../../../core/errors.ts";
import { placeText } from "../../../core/problem.ts";
import { Secret } from "../../../core/secret.ts";
import { isSecretName } from "../../../core/secret-template.ts";
import { type Binding, parseBinding } from "../../../secrets/binding.ts";
import { parseJsonDocument } from "../../../workspace/json-document.ts";
import { refuseBadHosts } from "../../secret-hosts.ts";
import { UsageError } from "../../usage-error.ts";

/** Largest file that is read, in bytes: a handful of the largest secrets. */
const MAX_FILE_BYTES = 1_048_576;

/** The entries of a file. */
export interface EnvFile {
  /** By name, in the order of the file; names that no secret can have are left out. */
  readonly values: ReadonlyMap<string, Secret>;
  /** Names that stand twice: which of the values is meant is not known. */
  readonly repeated: readonly string[];
  /** How many entries have a name that no secret can have. */
  readonly unusable: number;
}

const MAP = z.record(
  z.string(),
  z.strictObject({
    hosts: z.array(z.string()).min(1),
    header: z.string().optional(),
    format: z.string().optional(),
    methods: z.array(z.string()).min(1).optional(),
  }),
);

/** Reads `NAME=value` lines as Node's `--env-file` does: quotes, comments, `export`. Throws {@link UsageError}; no text of the file is in it. */
export function readEnvFile(path: string): EnvFile {
  const text = readText(path);
  const all = Object.entries(parseEnv(text));
  const values = new Map(all.flatMap(([name, value]) => (isSecretName(name) && value !== undefined ? [[name, new Secret(value)]] : [])));
  const written = [...text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Z][A-Z0-9_]*)[ \t]*=/gm)].map(([, name = ""]) => name);
  const repeated = [...values.keys()].filter((name) => written.filter((one) => one === name).length > 1);
  return { values, repeated, unusable: all.length - values.size };
}

/** Reads the map: `{"NAME": {"hosts": […], "header"?, "format"?, "methods"?}}`. Throws {@link UsageError} with the place. */
export function readMapFile(path: string): ReadonlyMap<string, Binding> {
  const parsed = parseJsonDocument(path, readText(path));
  if (!parsed.ok) throw new UsageError(`${placeText(parsed.problem.place)} ${parsed.problem.message}`);
  const { document } = parsed;
  const fault = document.faults[0];
  if (fault !== undefined) throw new UsageError(`${placeText(fault.problem.place)} ${fault.problem.message}`);
  const map = MAP.safeParse(document.value);
  if (!map.success) {
    const [issue] = map.error.issues;
    const at = (issue?.path ?? []).filter((key) => typeof key !== "symbol");
    throw new UsageError(
      `${placeText(document.placeOf(at))} is not as a map is written: {"NAME": {"hosts": ["api.example.com"], "header"?, "format"?, "methods"?}}.`,
    );
  }
  return new Map(Object.entries(map.data).map(([name, written]) => [name, bindingOf(name, written, placeText(document.placeOf([name])))]));
}

/** Hosts as a person writes them in one line, with blanks or commas between. Throws {@link UsageError}. */
export function parseHostLine(line: string): Binding | undefined {
  const hosts = line.split(/[\s,]+/).filter((host) => host !== "");
  if (hosts.length === 0) return undefined;
  refuseBadHosts(hosts, { where: "One of these" });
  return parseBinding({ hosts });
}

function bindingOf(name: string, written: z.infer<typeof MAP>[string], place: string): Binding {
  const { hosts, header, format, methods } = written;
  // A map may hold a value by mistake, so a name that is none is not repeated.
  if (!isSecretName(name)) throw new UsageError(`${place} is not a name for a secret. Names have capital letters, digits and "_".`);
  try {
    refuseBadHosts(hosts, { where: 'What stands in "hosts"' });
    return parseBinding({
      hosts,
      ...(header === undefined ? {} : { header }),
      ...(format === undefined ? {} : { format }),
      ...(methods === undefined ? {} : { methods }),
    });
  } catch (error) {
    throw new UsageError(`${place} ${name}: ${messageOf(error)}`, { cause: error });
  }
}

function readText(path: string): string {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK a pipe that nobody writes to would be waited for for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new UsageError(`${path} is not a regular file.`);
    if (stats.size > MAX_FILE_BYTES) throw new UsageError(`${path} has ${stats.size} bytes; at most ${MAX_FILE_BYTES} are read.`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(descriptor));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const found = error instanceof TypeError ? "it is not text in UTF-8" : (systemCode(error) ?? "unknown reason");
    throw new UsageError(`${path} cannot be read (${found}).`, { cause: error });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
