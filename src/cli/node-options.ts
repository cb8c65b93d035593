/**
 * Options and variables of Node with which toolyard does not start: each would weaken what it promises, and whoever sets
 * them for all programs of a machine (NODE_OPTIONS) seldom means this one. There is no option that allows them. Loaded
 * before everything else and by Node of any age, so this file uses no syntax or module younger than Node 12.
 */

/** Each with what it would do. Names as Node writes them; a name that ends in `*` stands for all that begin so. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["--inspect*", "lets other programs of this machine read its memory, with the keys in it"],
  ["--heapsnapshot-signal", "writes its memory, with the keys in it, into a file"],
  ["--heapsnapshot-near-heap-limit", "writes its memory, with the keys in it, into a file"],
  // Nor where it is said to leave the environment out: the report also holds the command and texts of errors.
  ["--report-on*", "writes its environment, with the passphrase that may be in it, into a file"],
  ["--report-uncaught-exception", "writes its environment, with the passphrase that may be in it, into a file"],
  ["--abort-on-uncaught-exception", "lets the system write its memory, with the keys in it, into a file"],
  ["--trace-event*", "writes what it does, its requests among it, into a file"],
  ["--tls-keylog", "writes what opens its encrypted connections into a file"],
  ["--trace-tls", "writes what passes over its encrypted connections to the log"],
  ["--tls-min-v1.0", "accepts encryption that is known to be broken"],
  ["--tls-min-v1.1", "accepts encryption that is known to be broken"],
  ["--tls-cipher-list", "can choose encryption that protects nothing"],
  ["--insecure-http-parser", "reads requests that proxies in front read otherwise"],
  ["--experimental-config-file", "reads further options from a file, which cannot be looked at here"],
  ["--experimental-default-config-file", "reads further options from a file, which cannot be looked at here"],
];

/** One line that names the first such option and what to do, or `undefined` where there is none. */
export function nodeOptionProblem(execArgv: readonly string[], nodeOptions: string): string | undefined {
  const places: readonly (readonly [readonly string[], string])[] = [
    [execArgv, "the command that starts it"],
    [wordsOf(nodeOptions), "NODE_OPTIONS"],
  ];
  for (const [words, place] of places) {
    for (const word of words) {
      const name = optionName(word);
      const found = REFUSED.find(([refused]) => (refused.endsWith("*") ? name.startsWith(refused.slice(0, -1)) : name === refused));
      if (found !== undefined) {
        return `toolyard does not start with Node's option ${name}: it ${found[1]}. Take it out of ${place}.`;
      }
    }
  }
  return undefined;
}

/** What Node's own modules and undici log where these are set; with some values whole URLs, and the keys in their queries. */
export interface DebugVariables {
  readonly NODE_DEBUG: string | undefined;
  readonly NODE_DEBUG_NATIVE: string | undefined;
}

/** One line that names the first variable that is set, and what to do, or `undefined` where none is. */
export function nodeDebugProblem(variables: DebugVariables): string | undefined {
  const names = ["NODE_DEBUG", "NODE_DEBUG_NATIVE"] as const;
  // Whatever the value: each release of Node knows other parts that log, and "*" is all of them.
  const name = names.find((each) => variables[each] !== undefined && variables[each] !== "");
  if (name === undefined) return undefined;
  return `toolyard does not start with Node's variable ${name}: it writes requests, with the keys in their URLs, to the log. Take it out of the environment.`;
}

/** Node takes `_` for `-` in names (doc/api/cli.md, "options"). */
function optionName(word: string): string {
  const name = word.split("=", 1)[0];
  return name === undefined ? "" : name.replace(/_/g, "-");
}

/** The words of NODE_OPTIONS as Node splits them: at spaces outside of double quotes, within which `\` takes the next as it is. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === " " && !isQuoted) {
      words.push(word);
      word = "";
    } else {
      if (character === "\\" && isQuoted) index++;
      word += text.charAt(index);
    }
  }
  words.push(word);
  return words;
}
