import { type Confinement, findConfinement, GUARD_NAMES, type GuardName } from "../../core/confinement.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** What each guard comes to, for the person who runs doctor. */
const WORDS: Readonly<Record<GuardName, string>> = {
  dumps: "no core dumps",
  privileges: "no new privileges",
  namespace: "no network and no look into the server's memory",
};

/** What is taken from the processes of scripts and of the bundler beyond Node's restrictions. None of it is needed for scripts to run. */
export const confinementProbe: Probe<DoctorContext> = {
  name: "confinement",
  about: "processes of scripts and of the bundler are confined",
  code: "SANDBOX",
  run: () => [],
  note: async () => confinementNote(await findConfinement()),
};

/** What was found, in one sentence: what they have, and of the rest why they do not have it. */
export function confinementNote({ missing }: Pick<Confinement, "missing">): string {
  const had = GUARD_NAMES.filter((name) => !missing.has(name)).map((name) => WORDS[name]);
  const reasons = Map.groupBy(missing, ([, reason]) => reason);
  const lacks = [...reasons].map(([reason, names]) => `${names.map(([name]) => WORDS[name]).join(", ")} (${reason})`);
  const has = `processes of scripts and of the bundler have ${["Node's own restrictions", ...had].join(", ")}`;
  return lacks.length === 0 ? has : `${has}; not to be had here: ${lacks.join("; ")}`;
}
