/**
 * Patience with states that get worse. Editors and version control write a file in steps, so for a moment it is missing
 * or half there; while something better is in service, a worse state counts only after it has lasted.
 */

/** How long a worse state must last before it replaces a better one, in milliseconds. */
export const HOLD_MS = 300;

/** Moments after a worse state was first seen at which it is looked at again, in milliseconds. */
const LOOK_AGAIN_MS = [50, 150, HOLD_MS] as const;

/** Since when each thing is in a worse state. Times are milliseconds of a clock that never goes back. */
export interface Holding {
  /** Notes that a thing is in a worse state now; true while that is to be waited out. */
  isHeld(thing: string, nowMs: number): boolean;
  /** True while a thing's worse state is being waited out; notes nothing. */
  isWaiting(thing: string): boolean;
  /** Notes that a thing is well again, or gone. */
  release(thing: string): void;
  /** Forgets everything but these. */
  keepOnly(things: ReadonlySet<string>): void;
  /** Milliseconds until the next look at something held; undefined if nothing is. */
  nextLookMs(nowMs: number): number | undefined;
}

/** A holding of nothing. */
export function createHolding(): Holding {
  const things = new Map<string, { readonly sinceMs: number; isOver: boolean }>();
  return {
    isHeld(thing, nowMs) {
      const held = things.get(thing) ?? { sinceMs: nowMs, isOver: false };
      things.set(thing, held);
      held.isOver = nowMs - held.sinceMs >= HOLD_MS;
      return !held.isOver;
    },
    isWaiting: (thing) => things.get(thing)?.isOver === false,
    release: (thing) => {
      things.delete(thing);
    },
    keepOnly(wanted) {
      for (const thing of things.keys()) if (!wanted.has(thing)) things.delete(thing);
    },
    nextLookMs(nowMs) {
      // What was last looked at a moment before its time is due at once: nobody has drawn the conclusion yet.
      const waits = [...things.values()].flatMap(({ sinceMs, isOver }) => {
        const ageMs = nowMs - sinceMs;
        return isOver ? [] : [Math.max(0, (LOOK_AGAIN_MS.find((moment) => moment > ageMs) ?? ageMs) - ageMs)];
      });
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
  };
}
