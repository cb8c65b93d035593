/**
 * Whether this Node and this machine can run toolyard. Loaded before everything else and by Node of any age, so this
 * file and main.ts use no syntax or module younger than Node 12.
 */

/** What is known of the running program; `abi` is `process.versions.modules`. */
export interface PlatformFacts {
  readonly nodeVersion: string;
  readonly abi: string;
  readonly platform: string;
  readonly arch: string;
}

/** Platforms for which isolated-vm 7 ships a prebuilt sandbox (its package, folder prebuilds/). */
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "win32-x64"];

/** Binary interfaces it is built for: Node 24 and Node 26. */
const ABIS = ["137", "147"];

const MIN_MAJOR = 24;

/** One line that says what is needed and how to get it, or `undefined` where all fits. */
export function platformProblem(facts: PlatformFacts): string | undefined {
  const major = Number(facts.nodeVersion.split(".")[0]);
  const how = "Get Node 24 at https://nodejs.org or from your version manager (nvm install 24, fnm install 24).";
  if (!(major >= MIN_MAJOR)) return `toolyard needs Node 24 or newer; this is Node ${facts.nodeVersion}. ${how}`;
  const machine = `${facts.platform}-${facts.arch}`;
  if (PLATFORMS.indexOf(machine) < 0) {
    return `toolyard has no prebuilt sandbox for ${machine}; it runs on ${PLATFORMS.join(", ")}. Use one of these, or a container of one.`;
  }
  if (ABIS.indexOf(facts.abi) < 0) {
    return `toolyard has no prebuilt sandbox for Node ${facts.nodeVersion} (ABI ${facts.abi}); it has one for Node 24 and 26. ${how}`;
  }
  return undefined;
}
