/** The clients of the matrix, and as data what each does otherwise than the best of them, with the reason. */
import { connectAiSdk } from "./ai-sdk-client.ts";
import { inspectorClient } from "./inspector-client.ts";
import { connectClient, type Target, type TestClient } from "./mcp-clients.ts";

/** What every client goes through, in this order; the texts head the columns of docs/clients.md. */
export const STEPS = ["list", "call", "bad call", "progress", "cancel", "large result", "edit seen", "server restarted"] as const;

/** One of {@link STEPS}. */
export type Step = (typeof STEPS)[number];

/** Names of the transports. */
export const TRANSPORTS = ["stdio", "HTTP"] as const;

/** One of {@link TRANSPORTS}. */
export type Transport = (typeof TRANSPORTS)[number];

/** How a step ended, as docs/clients.md prints it. */
export type Outcome = "yes" | "told at once" | "at the next list" | "goes on" | "connects anew" | "not offered";

/** Where a client differs. */
export interface Difference {
  readonly step: Step;
  /** Default: both. */
  readonly over?: Transport;
  readonly outcome: Outcome;
  /** A sentence for docs/clients.md. */
  readonly why: string;
}

/** One client at one generation of the protocol. */
export interface MatrixClient {
  /** Name of its package among our devDependencies. */
  readonly package: string;
  readonly version: "2025-11-25" | "2026-07-28";
  connect(target: Target): Promise<TestClient>;
  readonly differences: readonly Difference[];
}

const STARTS_ANEW: Difference = {
  step: "server restarted",
  over: "stdio",
  outcome: "connects anew",
  why: "The server is a child of the client, and no client library starts it again by itself.",
};

const SESSION_IS_GONE: Difference = {
  step: "server restarted",
  over: "HTTP",
  outcome: "connects anew",
  why: "Sessions of 2025-11-25 end with the server. It answers 404; the library passes that on as an error and the program has to connect again.",
};

const AI_SDK: readonly Difference[] = [
  STARTS_ANEW,
  { step: "progress", outcome: "not offered", why: "The AI SDK has no option for progress and takes no notifications." },
  { step: "edit seen", outcome: "at the next list", why: "The AI SDK takes no notifications." },
  {
    step: "cancel",
    over: "stdio",
    outcome: "not offered",
    why: "The AI SDK stops waiting but does not tell the server; the tool runs on.",
  },
];

const INSPECTOR: readonly Difference[] = [
  { step: "progress", outcome: "not offered", why: "The Inspector's command line asks for no progress." },
  { step: "edit seen", outcome: "at the next list", why: "The Inspector's command line ends after one request." },
  { step: "server restarted", outcome: "goes on", why: "Each command of the Inspector is a new connection." },
];

const BY_CTRL_C: Difference = { step: "cancel", outcome: "yes", why: "By Ctrl-C, which ends the command and its connection." };

/** All of them. */
export const MATRIX_CLIENTS: readonly MatrixClient[] = [
  {
    package: "@modelcontextprotocol/sdk",
    version: "2025-11-25",
    connect: (target) => connectClient("sdk 1.x", target),
    differences: [STARTS_ANEW, SESSION_IS_GONE],
  },
  {
    package: "@modelcontextprotocol/client",
    version: "2025-11-25",
    connect: (target) => connectClient("sdk 2.x at 2025-11-25", target),
    differences: [STARTS_ANEW, SESSION_IS_GONE],
  },
  {
    package: "@modelcontextprotocol/client",
    version: "2026-07-28",
    connect: (target) => connectClient("sdk 2.x at 2026-07-28", target),
    differences: [STARTS_ANEW],
  },
  {
    package: "@ai-sdk/mcp",
    version: "2025-11-25",
    connect: (target) => connectAiSdk(target, false),
    differences: [
      ...AI_SDK,
      SESSION_IS_GONE,
      {
        step: "cancel",
        over: "HTTP",
        outcome: "not offered",
        why: "The AI SDK closes the request; in 2025-11-25 that does not mean that the call is cancelled, so the tool runs on.",
      },
    ],
  },
  { package: "@ai-sdk/mcp", version: "2026-07-28", connect: (target) => connectAiSdk(target, true), differences: AI_SDK },
  {
    package: "@modelcontextprotocol/inspector",
    version: "2025-11-25",
    connect: async (target) => inspectorClient(target, "legacy"),
    differences: [
      ...INSPECTOR,
      { ...BY_CTRL_C, over: "stdio" },
      {
        step: "cancel",
        over: "HTTP",
        outcome: "not offered",
        why: "Ctrl-C closes the request; in 2025-11-25 that does not mean that the call is cancelled, so the tool runs on.",
      },
    ],
  },
  {
    package: "@modelcontextprotocol/inspector",
    version: "2026-07-28",
    connect: async (target) => inspectorClient(target, "modern"),
    differences: [...INSPECTOR, BY_CTRL_C],
  },
];

/** What is known of a client, a transport and a step. */
export function differenceOf(client: MatrixClient, transport: Transport, step: Step): Difference | undefined {
  return client.differences.find((known) => known.step === step && (known.over === undefined || known.over === transport));
}

const BEST: Readonly<Partial<Record<Step, Outcome>>> = { "edit seen": "told at once", "server restarted": "goes on" };

/** How a step is to end. */
export function expectedOutcome(client: MatrixClient, transport: Transport, step: Step): Outcome {
  return differenceOf(client, transport, step)?.outcome ?? BEST[step] ?? "yes";
}
