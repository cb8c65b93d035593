import { LIMITS, type Limits } from "../core/limits.ts";
import type { PoolSettings } from "./border.ts";
import type { GuestCaps } from "./isolate-contract.ts";

/** Longest message of an error of a script, in UTF-16 units. */
const MESSAGE_CHARACTERS = 4_096;

/** Calls after which an isolate is replaced, and the time after which an unused one is dropped (DESIGN 3). */
const CALLS_PER_ISOLATE = 10_000;
const ISOLATE_IDLE_MS = 60_000;

/** Quiet time after which a host makes spare isolates. */
const SPARE_QUIET_MS = 3;

/** The caps a guest is made with, from the limits in force. */
export function guestCaps(limits: Limits): GuestCaps {
  const { argumentsBytes, resultBytes, mediaBytes, requestBodyBytes, responseBodyBytes, logBytes, requestsPerCall, questionsPerCall } =
    limits;
  return {
    argumentsBytes,
    resultBytes,
    mediaBytes,
    requestBodyBytes,
    responseBodyBytes,
    logBytes,
    // Each kind is counted by itself where it is answered.
    hostCallsPerCall: requestsPerCall + questionsPerCall,
    messageCharacters: MESSAGE_CHARACTERS,
  };
}

/** How a host keeps isolates, from the limits in force. */
export function poolSettings({ keptIsolates, keptIsolatesMb }: Limits): PoolSettings {
  return {
    keptIsolates,
    keptIsolatesMb,
    spareMemoryMb: LIMITS.memoryMb.default,
    callsPerIsolate: CALLS_PER_ISOLATE,
    idleMs: ISOLATE_IDLE_MS,
    quietMs: SPARE_QUIET_MS,
  };
}
