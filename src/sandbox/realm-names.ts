/** Names that a script is given as parameters; see `seal` of guest/prelude.js. */
export interface RealmNames {
  /** Given to every script. */
  readonly always: readonly string[];
  /** Given to a script whose text has them: each costs its call something. */
  readonly mentioned: readonly string[];
}

/** The names for this script, in the order of its parameters. */
export function namesOf(source: string, { always, mentioned }: RealmNames): readonly string[] {
  return [...always, ...mentioned.filter((name) => source.includes(name))];
}
