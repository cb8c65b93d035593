/**
 * A TCP connection to the first of several addresses that answers (RFC 8305). An attempt goes on while the next one is made:
 * a listener that is slow, as under many calls at once, still gets its time, and a dead address costs only its head start.
 * Nothing is resolved here, and no option of Node for such attempts counts.
 */
import { connect, type Socket } from "node:net";
import { systemCode } from "../core/errors.ts";

/** Time an address has before the next one is tried as well, in milliseconds (RFC 8305, 5). */
const HEAD_START_MS = 250;

/** Quiet time of a connection after which the system asks whether the other end is still there, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;

/** Codes that say something of this machine's networks and nothing of the host. */
const NO_WAY: readonly string[] = ["ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT"];

/** Rejects with the error of an address, or with code CONNECT_TIMEOUT after `timeoutMs`, of all addresses together. */
export function firstConnection(addresses: readonly string[], port: number, timeoutMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const waiting = [...addresses];
  const trying = new Set<Socket>();
  const errors: Error[] = [];
  let headStart: NodeJS.Timeout | undefined;
  const tryNext = (): void => {
    clearTimeout(headStart);
    const address = waiting.shift();
    if (address === undefined) {
      if (trying.size === 0) reject(tellingError(errors));
      return;
    }
    headStart = setTimeout(tryNext, HEAD_START_MS);
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
    trying.add(socket);
    socket.once("connect", () => {
      trying.delete(socket);
      resolve(socket);
    });
    // Stays when the connection stands: until its user listens, an error would end the process.
    socket.on("error", (error) => {
      if (!trying.delete(socket)) return;
      errors.push(error);
      tryNext();
    });
  };
  const limit = setTimeout(() => reject(connectionError("CONNECT_TIMEOUT")), timeoutMs);
  tryNext();
  return promise.finally(() => {
    clearTimeout(limit);
    clearTimeout(headStart);
    for (const socket of trying) socket.destroy();
  });
}

/** That a connection did not come about. Only the code is told on; network-error.ts has words for each. */
export function connectionError(code: string): Error {
  return Object.assign(new Error("The connection failed."), { code });
}

function tellingError(errors: readonly Error[]): Error {
  const found = errors.find((error) => !NO_WAY.includes(systemCode(error))) ?? errors[0];
  return found ?? connectionError("ENOTFOUND");
}
