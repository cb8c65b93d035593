/**
 * What a client, or the model service behind it, takes of a tool. Data only: rules are in rules.ts, their meaning in
 * check-rules.ts. A rule without a source that shows it does not exist, and neither does a client without a rule.
 */

/** What happens to a tool that breaks the rule. */
export type Effect =
  /** Every request of the conversation fails, also those that do not need the tool. */
  | "fails-all"
  /** The client leaves this tool out, or the model cannot reach it. */
  | "left-out"
  /** The tool works, in another form than published. */
  | "changed";

/** What a rule asks for. Lengths are in UTF-16 units; names are those that the model gets, with the client's prefix. */
export type Demand =
  | { readonly kind: "name-length"; readonly max: number }
  /** Characters a name may have, as the inside of a character class of a regular expression. */
  | { readonly kind: "name-characters"; readonly allowed: string }
  /** The first character, as above. */
  | { readonly kind: "name-start"; readonly allowed: string }
  | { readonly kind: "name-without"; readonly text: string }
  /** No two tools may become the same name; which names the client makes is said by `names`. */
  | { readonly kind: "names-apart" }
  | { readonly kind: "description-length"; readonly max: number }
  /** Keys of `properties` at any depth; characters as above. */
  | { readonly kind: "property-keys"; readonly allowed: string; readonly max: number }
  /** Keys that must not be among the parameters themselves; below them they may. */
  | { readonly kind: "no-top-keys"; readonly keys: readonly string[] }
  /** Each parameter, at any depth, must have a `type`, or alternatives. */
  | { readonly kind: "typed-parameters" }
  /** Keywords that the root of the schema must not have. */
  | { readonly kind: "root-without"; readonly keywords: readonly string[] }
  /** An array must say what its elements are. */
  | { readonly kind: "array-items" }
  /** Each value of an `enum` must be text. */
  | { readonly kind: "text-enums" }
  /** Tools of all servers of the client together. */
  | { readonly kind: "tool-count"; readonly max: number };

/** A rule with its proof. */
export interface ClientRule {
  readonly demand: Demand;
  readonly effect: Effect;
  /** Addresses of issues, pages or code that show it; at least one. */
  readonly sources: readonly string[];
}

/** How a client makes the name that the model gets. */
export interface WireNames {
  /** What stands before the tool's name; `{server}` is the server's name in the client's settings. Empty: nothing. */
  readonly prefix: string;
  /** Characters that stay, as the inside of a character class; others become "_". Absent: all stay. */
  readonly kept?: string;
  /** Longer names lose their middle: so many characters stay at both ends, with this between them. */
  readonly cut?: { readonly max: number; readonly head: number; readonly tail: number; readonly joint: string };
}

/** A client. */
export interface Client {
  readonly id: string;
  readonly title: string;
  readonly names: WireNames;
  readonly rules: readonly ClientRule[];
}
