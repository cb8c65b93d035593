import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** Times of answers, in milliseconds. */
export interface AnswerTimes {
  /** An answer that takes longer is begun as an event stream, with a comment each time this has passed. */
  readonly keepAliveMs: number;
  /** A client that takes nothing of its answer for this long is dropped. */
  readonly drainMs: number;
}

/** What goes with an answer. */
export interface AnswerOptions extends AnswerTimes {
  /** Added to every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the connection is gone. */
  readonly closed: AbortSignal;
}

/**
 * Writes the answer once it is there. A call that is silent for long would be cut by proxies and clients (60 s is usual),
 * so after `keepAliveMs` an event stream is begun in its place, in which the answer becomes the one event.
 */
export async function sendAnswer(response: ServerResponse, pending: Promise<Response>, options: AnswerOptions): Promise<void> {
  const answer = await beforeKeepAlive(pending, options.keepAliveMs);
  if (answer !== undefined) {
    await writeAnswer(response, answer, options);
    return;
  }
  if (response.destroyed) return;
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...options.headers,
  });
  const comment = (): boolean => response.write(": keepalive\n\n");
  comment();
  const timer = setInterval(comment, options.keepAliveMs);
  const late = await pending.finally(() => clearInterval(timer));
  if (isEventStream(late)) await writeBody(response, late, options);
  else response.end(`event: message\ndata: ${(await late.text()).replaceAll("\n", " ")}\n\n`);
}

/** Writes a small answer that is already there. */
export function sendText(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>>): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-length": String(Buffer.byteLength(text)), ...headers });
  response.end(text);
}

async function beforeKeepAlive(pending: Promise<Response>, keepAliveMs: number): Promise<Response | undefined> {
  const { promise: elapsed, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), keepAliveMs);
  try {
    return await Promise.race([pending, elapsed]);
  } finally {
    clearTimeout(timer);
  }
}

async function writeAnswer(response: ServerResponse, answer: Response, options: AnswerOptions): Promise<void> {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  const headers = { ...Object.fromEntries(answer.headers), ...options.headers };
  if (answer.body === null) {
    response.writeHead(answer.status, headers).end();
    return;
  }
  if (isEventStream(answer)) {
    response.writeHead(answer.status, headers);
    response.flushHeaders();
    await writeBody(response, answer, options);
    return;
  }
  sendText(response, answer.status, await answer.text(), headers);
}

async function writeBody(response: ServerResponse, answer: Response, { closed, drainMs }: AnswerOptions): Promise<void> {
  const reader = answer.body?.getReader();
  if (reader === undefined) {
    response.end();
    return;
  }
  // A reader that waits for the next event notices a lost connection only by this; the session would refuse the next stream with 409.
  const onClosed = (): void => {
    reader.cancel().catch(() => response.destroy());
  };
  closed.addEventListener("abort", onClosed, { once: true });
  if (closed.aborted) onClosed();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (response.write(part.value) || closed.aborted) continue;
    if (!(await drained(response, closed, drainMs))) response.destroy();
  }
  closed.removeEventListener("abort", onClosed);
  response.end();
}

/** False if the client took nothing for `drainMs`. */
async function drained(response: ServerResponse, closed: AbortSignal, drainMs: number): Promise<boolean> {
  const tooSlow = AbortSignal.timeout(drainMs);
  try {
    await once(response, "drain", { signal: AbortSignal.any([closed, tooSlow]) });
    return true;
  } catch {
    return !tooSlow.aborted; // Else the connection is closed already, which ends the loop by itself.
  }
}

function isEventStream(answer: Response): boolean {
  return answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
}
