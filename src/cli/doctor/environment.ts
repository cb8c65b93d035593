import type { Problem } from "../../core/problem.ts";
import type { Environment } from "../config.ts";
import type { Probe } from "../probe.ts";
import type { DoctorContext } from "./doctor-context.ts";

/** Variables that other programs obey and toolyard does not, each with what to do instead. */
const IGNORED: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:https?|all|no)_proxy$/i,
    'Requests of scripts go out without a proxy unless settings.json in toolyard\'s folder names one: { "network": { "proxy": "http://proxy:3128" } }.',
  ],
  [/^NODE_TLS_REJECT_UNAUTHORIZED$/, "Certificates are always checked. For an authority of your own set NODE_EXTRA_CA_CERTS."],
  [/^SSLKEYLOGFILE$/, "What opens encrypted connections is never written to a file."],
];

/** What the environment says of connections is either in force, or told here. */
export const environmentProbe: Probe<DoctorContext> = {
  name: "environment",
  about: "no variable of the environment is set that toolyard does not obey",
  code: "NODE",
  run: ({ cli }) => environmentProblems(cli.childEnvironment),
};

/** A warning for each such variable; never with its value, which may hold a password. */
export function environmentProblems(env: Environment): readonly Problem[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const found = value === undefined || value === "" ? undefined : IGNORED.find(([pattern]) => pattern.test(name));
    if (found === undefined) return [];
    return [{ code: "NODE", severity: "warning", place: { kind: "none" }, message: `${name} is set and has no effect here. ${found[1]}` }];
  });
}
