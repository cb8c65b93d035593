import type { PoolSettings } from "./border.ts";
import type { HostCommand } from "./host-launch.ts";
import type { HostProcess } from "./host-process.ts";
import type { GuestCaps, RealmSources } from "./isolate-contract.ts";
import type { SandboxCall } from "./sandbox-call.ts";

/** Why a host is given up, for the log and for the strikes of tools. */
export interface HostLoss {
  readonly reason: string;
  /** The call that caused it, where that is known: by its own end, or because only its tool was inside. */
  readonly culprit: SandboxCall | undefined;
  /** Calls of several tools were inside and any of them may be the cause. Empty where the cause is known or no tool's. */
  readonly suspects: readonly SandboxCall[];
  /** What ended it: a call inside (also one that was cancelled), the host itself, or the server, which no longer needed it. */
  readonly cause: "call" | "host" | "server";
  /** Whether it had answered a call. */
  readonly hadAnswered: boolean;
}

/** What a host is started with. */
export interface HostOptions {
  readonly command: HostCommand;
  readonly sources: RealmSources;
  readonly caps: GuestCaps;
  readonly pool: PoolSettings;
  /** Told once, when the host gets no new calls any more. */
  readonly onLost: (host: HostProcess, loss: HostLoss) => void;
  /** Told once, when it has answered a call: hosts can live here. */
  readonly onFirstAnswer: () => void;
}
