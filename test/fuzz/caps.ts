import { borderCaps, type PoolSettings } from "../../src/sandbox/border.ts";
import type { GuestCaps } from "../../src/sandbox/isolate-contract.ts";

/** Small caps, so that a message over one is cheap to make. */
export const FUZZ_CAPS: GuestCaps = {
  argumentsBytes: 65_536,
  resultBytes: 4_096,
  mediaBytes: 3_000,
  requestBodyBytes: 4_096,
  responseBodyBytes: 4_096,
  logBytes: 1_024,
  hostCallsPerCall: 8,
  messageCharacters: 256,
};

/** The bounds of the messages that belong to {@link FUZZ_CAPS}. */
export const FUZZ_BOUNDS = borderCaps(FUZZ_CAPS);

/** How the hosts of the fuzz keep isolates. */
export const FUZZ_POOL: PoolSettings = {
  keptIsolates: 8,
  keptIsolatesMb: 1_024,
  spareMemoryMb: 64,
  callsPerIsolate: 10_000,
  idleMs: 60_000,
  quietMs: 3,
};
