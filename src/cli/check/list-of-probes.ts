import type { Probe } from "../probe.ts";
import { agentsProbe } from "./agents.ts";
import type { CheckContext } from "./check-context.ts";
import { clientsProbe } from "./clients.ts";
import { filesProbe } from "./files.ts";
import { secretsProbe } from "./secrets.ts";
import { trustProbe } from "./trust.ts";

/** What `toolyard check` looks at, in this order. */
export const checkProbes: readonly Probe<CheckContext>[] = [filesProbe, agentsProbe, secretsProbe, trustProbe, clientsProbe];
