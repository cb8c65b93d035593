/** Forms of a script's path in tools.json; the same are refused on every platform, so that a workspace works on all or none. */

/** File name endings of scripts. */
const SCRIPT_ENDINGS = [".js", ".mjs", ".ts", ".mts"] as const;

/** Longest path, in UTF-16 units. */
const MAX_PATH_CHARACTERS = 1_024;

/** Names of devices on Windows, with any ending (Microsoft, "Naming Files, Paths, and Namespaces"). */
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why a path to a script is refused before anything is looked at; undefined for a plain relative path such as `scripts/a.js`. */
export function scriptPathFault(path: string): string | undefined {
  const fault = pathFault(path);
  if (fault !== undefined) return fault;
  if (path.endsWith(".d.ts") || path.endsWith(".d.mts")) return "holds types only";
  return SCRIPT_ENDINGS.some((ending) => path.endsWith(ending)) ? undefined : `must end in ${SCRIPT_ENDINGS.join(", ")}`;
}

/** The same for a path to a file of any kind. */
export function pathFault(path: string): string | undefined {
  if (path.length > MAX_PATH_CHARACTERS) return `is longer than ${MAX_PATH_CHARACTERS} characters`;
  if (/\p{Cc}/u.test(path)) return "has a control character";
  if (path.includes("\\")) return 'has a "\\"; write "/" between folders';
  if (path.startsWith("/")) return "is absolute; write it relative to the workspace";
  if (path.startsWith("~")) return 'starts with "~"; write it relative to the workspace';
  if (path.includes(":")) return 'has a ":", which means a drive or a stream on Windows';
  const parts = path.split("/");
  for (const part of parts) {
    if (part === "") return "has an empty folder name";
    if (part === "..") return 'leaves its folder by ".."';
    if (/[. ]$/.test(part) && part !== ".") return "has a name that ends in a dot or a space, which Windows drops";
    if (DEVICE_NAME.test(part)) return `has the name "${part}", which is a device on Windows`;
  }
  return undefined;
}

/** The path with `./` parts taken out: one spelling for one file. */
export function plainScriptPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== ".")
    .join("/");
}
