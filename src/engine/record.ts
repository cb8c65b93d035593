import type { ErrorCode } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Caller, CallFigures } from "../core/tool.ts";

/** One line about one finished call. Holds sizes and times, never arguments or results. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly agent: string;
  readonly origin: Caller["origin"];
  /** Generation of the catalog the call was found in. */
  readonly generation: number;
  readonly outcome: "ok" | ErrorCode;
  /** Wall clock from the arrival of the call, waiting included, in milliseconds. */
  readonly durationMs: number;
  /** CPU time of the script itself, in milliseconds. */
  readonly cpuMs?: number;
  readonly requests?: number;
  /** Characters of the text given to the caller. */
  readonly resultCharacters: number;
  /** Message for the operator, where the caller saw less. */
  readonly reason?: string;
}

/** Where records go: now the log; a journal on disk later. */
export type RecordSink = (record: CallRecord) => void;

/** A sink that writes the record as one log line. */
export function logRecords(log: Log): RecordSink {
  return (record) => log.info("tool.call.done", { ...record });
}

/** Keeps the figures of a call with whole microseconds. */
export function figureFields(figures: CallFigures | undefined): Pick<CallRecord, "cpuMs" | "requests"> {
  return {
    ...(figures?.cpuMs === undefined ? {} : { cpuMs: Math.round(figures.cpuMs * 1000) / 1000 }),
    ...(figures?.requests === undefined ? {} : { requests: figures.requests }),
  };
}
