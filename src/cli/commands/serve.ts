import { type Command, Option } from "commander";
import type { Expose } from "../../server/expose.ts";
import { type AgentOptions, withAgent } from "../agent-choice.ts";
import { type CliContext, type ExitCode, newCommand, type WorkspaceOptions, withAction, withWorkspace } from "../command.ts";
import { type SecretsDirOptions, withSecretsDir } from "../secrets-dir.ts";
import { UsageError } from "../usage-error.ts";

/** Options of `serve`, as commander gives them. */
export interface ServeOptions extends WorkspaceOptions, AgentOptions, SecretsDirOptions {
  readonly http?: string;
  readonly publicUrl?: string;
  /** False with `--no-auth`. */
  readonly auth: boolean;
  readonly expose: Expose;
  readonly poll?: boolean;
}

/** `toolyard serve`: MCP over stdio, or over HTTP. */
export function serveCommand(context: CliContext): Command {
  const command = newCommand("serve", {
    summary: "serve the workspace to MCP clients, over stdio unless --http is given",
    example: "toolyard serve -w my-tools\ntoolyard serve -w my-tools --http 7337",
    json: "with --http: write address and number of tools as JSON, once it listens",
  })
    .option("--http <[host:]port>", "serve over HTTP; the host is 127.0.0.1 unless said, port 0 takes a free one")
    .option("--public-url <url>", "address by which clients on other machines reach it, such as https://tools.example.com")
    .option("--no-auth", "ask for no token; only on this machine's own address")
    .option("--poll", "look for changes instead of waiting for events, for folders that send none")
    .addOption(new Option("--expose <which>", "tools that clients are shown").choices(["both", "meta", "direct"]).default("both"));
  return withAction(withSecretsDir(withAgent(withWorkspace(command))), context, (options: ServeOptions) => serve(context, options));
}

async function serve(context: CliContext, options: ServeOptions): Promise<ExitCode> {
  // Loaded here, since the MCP packages take a tenth of a second, which every other command would pay too.
  if (options.http !== undefined) {
    const { serveOverHttp } = await import("../serving/serve-http.ts");
    return serveOverHttp(context, options, options.expose);
  }
  if (options.publicUrl !== undefined || !options.auth) throw new UsageError("--public-url and --no-auth belong to --http.");
  if (options.json === true) throw new UsageError("--json belongs to --http here: over stdio stdout is for MCP alone.");
  const { serveOverStdio } = await import("../serving/serve-stdio.ts");
  return serveOverStdio(context, options, options.expose);
}
