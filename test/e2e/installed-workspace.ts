/** How clients in the end-to-end tests reach the installed command, over either transport. */
import { once } from "node:events";
import { onTestFinished } from "vitest";
import type { Target } from "../support/mcp-clients.ts";
import type { CliBench } from "./cli-process.ts";

/** A running `toolyard serve --http`. */
export interface HttpProcess {
  readonly url: string;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/** The command over stdio, started by the client itself. */
export function stdioTarget(cli: string, { bench }: { readonly bench: CliBench }): Target {
  const args = [cli, "serve", "-w", bench.folder];
  return { kind: "stdio", command: process.execPath, args, env: { TOOLYARD_HOME: bench.home } };
}

/** The command over HTTP on a free port, with the token of an agent; it is ended with the test. */
export async function startHttpTarget({ bench }: { readonly bench: CliBench }): Promise<Target & { readonly kind: "http" }> {
  const token = await addAgent(bench);
  const { url, stop } = await startHttpProcess(bench);
  onTestFinished(stop);
  return { kind: "http", url, token };
}

/** Adds an agent to the workspace of the bench; gives its token. */
export async function addAgent(bench: CliBench): Promise<string> {
  const added = await bench.run(["agents", "add", "laptop", "--json"]);
  const { token } = JSON.parse(added.stdout);
  return token;
}

/** Starts the command over HTTP; port 0 is any free one. */
export async function startHttpProcess(bench: CliBench, port = 0): Promise<HttpProcess> {
  const child = bench.start(["serve", "--http", String(port), "--json"]);
  const exited = once(child, "exit");
  child.stderr.resume();
  let text = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes("\n}")) break;
  }
  child.stdout.resume();
  return {
    url: JSON.parse(text).url,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
