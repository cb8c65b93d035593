/** What publishing a schema changed, and why; for `check`, and for whoever wants to know what a client does not see. */

/** One change. `pointer` is a JSON pointer into the published schema, as it was before its root was flattened. */
export type PublishNote =
  /** `type` or `properties` was missing at the root; clients refuse a list without them. */
  | { readonly kind: "completed"; readonly pointer: ""; readonly keyword: "type" | "properties" }
  /** A keyword that means nothing to a client, or that it would fetch or refuse: `$schema`, `$id`, anchors, definitions. */
  | { readonly kind: "removed"; readonly pointer: string; readonly keyword: string }
  /** A form of an older dialect, written as 2020-12 has it; it means the same. */
  | { readonly kind: "modernized"; readonly pointer: string; readonly keyword: string }
  /** A reference was replaced by what it leads to. */
  | { readonly kind: "inlined"; readonly pointer: string; readonly reference: string }
  /** A reference was not followed any further: it leads back to itself, or the whole would be too large. Any value may stand there. */
  | { readonly kind: "bounded"; readonly pointer: string; readonly reference: string; readonly reason: "recursion" | "size" | "missing" }
  /** A keyword that clients refuse at its place, at the root or anywhere; `rule` says in the description what it asks for. */
  | { readonly kind: "flattened"; readonly pointer: string; readonly keyword: string; readonly rule: string }
  /** Items that differ by position became alternatives, with the order in the description. */
  | { readonly kind: "tuple"; readonly pointer: string }
  /** A key that model services refuse has another name; both are taken in a call. */
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  /** A pattern that some engine refuses stands in the description. */
  | { readonly kind: "pattern"; readonly pointer: string; readonly pattern: string }
  /** A keyword was left out, or replaced by one that allows more, because what remains of it would say something else. */
  | { readonly kind: "loosened"; readonly pointer: string; readonly keyword: string };

/** True if the published schema may accept, because of this change, what the full one refuses. */
export function isWidening({ kind }: PublishNote): boolean {
  switch (kind) {
    case "completed":
    case "removed":
    case "modernized":
    case "inlined":
    case "renamed":
      return false;
    case "bounded":
    case "flattened":
    case "tuple":
    case "pattern":
    case "loosened":
      return true;
  }
}

/** Collects notes. */
export interface NoteBook {
  readonly notes: readonly PublishNote[];
  add(note: PublishNote): void;
  /** Runs `work`, and says whether anything in it was widened. */
  watch<T>(work: () => T): { readonly value: T; readonly isWider: boolean };
}

/** An empty book. */
export function createNoteBook(): NoteBook {
  const notes: PublishNote[] = [];
  let widenings = 0;
  return {
    notes,
    add: (note) => {
      notes.push(note);
      if (isWidening(note)) widenings++;
    },
    watch: (work) => {
      const before = widenings;
      const value = work();
      return { value, isWider: widenings > before };
    },
  };
}
