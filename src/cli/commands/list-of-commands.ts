import type { Command } from "commander";
import type { CliContext } from "../command.ts";
import { agentsCommand } from "./agents.ts";
import { checkCommand } from "./check.ts";
import { describeCommand } from "./describe.ts";
import { doctorCommand } from "./doctor.ts";
import { initCommand } from "./init.ts";
import { listCommand } from "./list.ts";
import { runCommand } from "./run.ts";
import { secretsCommand } from "./secrets/group.ts";
import { serveCommand } from "./serve.ts";
import { trustCommand } from "./trust.ts";

/** The commands, in the order of the help. */
export const commands: readonly ((context: CliContext) => Command)[] = [
  initCommand,
  serveCommand,
  listCommand,
  describeCommand,
  runCommand,
  checkCommand,
  doctorCommand,
  secretsCommand,
  agentsCommand,
  trustCommand,
];
