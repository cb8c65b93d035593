/**
 * Logs: one event, one line, to stderr. stdout belongs to MCP in stdio mode.
 * Writing never blocks the server: a client that does not read stderr, or closed it, costs lines, not calls.
 */
import pino from "pino";
import { visible } from "./visible-text.ts";

/** Fields of an event; values of secrets, headers and bodies never go in. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where events go. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

/** Least level that is written. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Lines waiting for a slow reader beyond this many bytes are dropped. */
const MAX_WAITING_BYTES = 1_048_576;

/** A log that writes JSON lines to the file descriptor, 2 (stderr) by default. */
export function createLog(level: LogLevel, fd = 2): Log {
  const destination = pino.destination({ dest: fd, sync: false, maxLength: MAX_WAITING_BYTES });
  // A dead stderr (EPIPE) must not become an uncaught error that is logged to the dead stderr, for ever.
  destination.on("error", () => undefined);
  // A person may read the log on a terminal, and its lines hold what scripts say.
  const hooks = { streamWrite: visible };
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks }, destination);
  return {
    debug: (event, fields) => logger.debug({ event, ...fields }),
    info: (event, fields) => logger.info({ event, ...fields }),
    warn: (event, fields) => logger.warn({ event, ...fields }),
    error: (event, fields) => logger.error({ event, ...fields }),
  };
}

const nothing = (): void => undefined;

/** A log that keeps nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
