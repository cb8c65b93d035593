/** The members of `g` that have a folder here: the one list. Capabilities do not know each other, and the server runs with none. */
import type { Capability } from "../core/capability.ts";
import { createAgentCapability } from "./agent/capability.ts";
import { createAskCapability } from "./ask/capability.ts";
import { createConfigCapability } from "./config/capability.ts";
import { createHttpCapability } from "./http/capability.ts";
import { createLogCapability } from "./log/capability.ts";
import { createResultCapability } from "./result/capability.ts";
import { createRunCapability } from "./run/capability.ts";
import { createSecretsCapability } from "./secrets/capability.ts";
import { createToolCapability } from "./tool/capability.ts";

/** Makes every capability, in the order in which they become members of `g`. Reads the guest texts; throws if one is missing. */
export function loadCapabilities(): readonly Capability[] {
  return [
    createToolCapability(),
    createHttpCapability(),
    createLogCapability(),
    createConfigCapability(),
    createAgentCapability(),
    createRunCapability(),
    createResultCapability(),
    createSecretsCapability(),
    createAskCapability(),
  ];
}
