import type { RealmSources } from "./isolate-contract.ts";
import { realmScript } from "./realm-script.ts";

/** What the isolates of one process share. Compiled code is never from elsewhere: V8 runs it without a check. */
export interface CodeCache<Compiled> {
  /** By source text. */
  readonly compiled: Map<string, Compiled>;
  /** Joined once: to join and hash a quarter of a million characters takes a quarter of the time an isolate takes. */
  readonly realmScripts: WeakMap<RealmSources, string>;
}

/** An empty cache. */
export function createCodeCache<Compiled>(): CodeCache<Compiled> {
  return { compiled: new Map(), realmScripts: new WeakMap() };
}

/** The realm's script. */
export function joinedScript({ realmScripts }: Pick<CodeCache<unknown>, "realmScripts">, sources: RealmSources): string {
  const joined = realmScripts.get(sources) ?? realmScript(sources);
  realmScripts.set(sources, joined);
  return joined;
}
