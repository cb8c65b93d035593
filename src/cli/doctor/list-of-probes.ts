import type { Probe } from "../probe.ts";
import { bundlerProbe } from "./bundler.ts";
import { claudeDesktopProbe } from "./claude-desktop.ts";
import { confinementProbe } from "./confinement.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { environmentProbe } from "./environment.ts";
import { homeProbe } from "./home.ts";
import { nodeProbe } from "./node.ts";
import { sandboxProbe } from "./sandbox.ts";
import { stdoutProbe } from "./stdout.ts";
import { vaultProbe } from "./vault.ts";
import { watchProbe } from "./watch.ts";
import { workspaceProbe } from "./workspace.ts";

/** What `toolyard doctor` looks at, in this order. */
export const doctorProbes: readonly Probe<DoctorContext>[] = [
  nodeProbe,
  environmentProbe,
  sandboxProbe,
  confinementProbe,
  bundlerProbe,
  stdoutProbe,
  homeProbe,
  vaultProbe,
  workspaceProbe,
  watchProbe,
  claudeDesktopProbe,
];
