/**
 * Ways to leave something behind in one call of a script and find it in the next: JavaScript text, as the body of an
 * async function each. `find` runs before and after `leave`, in calls of their own; what differs between the two was
 * carried over. `REAL` stands for the realm's own global object, which is under the one a call is given.
 */

/** One way. */
export interface Way {
  readonly name: string;
  readonly leave: string;
  readonly find: string;
  /** Cannot carry anything even in a realm that is not hardened, because the border or the language already prevents it. */
  readonly inert: boolean;
}

/** A way that works in a realm that is not hardened. */
export const way = (name: string, leave: string, find: string): Way => ({ name, leave, find, inert: false });
/** A way that works nowhere. */
export const inert = (name: string, leave: string, find: string): Way => ({ name, leave, find, inert: true });
