import { Writable } from "node:stream";

/** The process's stdout, taken for MCP alone. Disposing gives it back. */
export interface ClaimedStdout extends Disposable {
  /** What MCP writes to; the only way left to the real stdout. */
  readonly stream: Writable;
}

/**
 * Takes stdout: from now on, what anything else in this process writes there (a dependency's `console.log`, a warning)
 * goes to stderr, so that a client reads nothing but JSON-RPC. Call it before anything that might print.
 */
export function claimStdout(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): ClaimedStdout {
  const original = stdout.write;
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      original.call(stdout, chunk, encoding, (error) => done(error));
    },
  });
  // An error of the real stream outside of a write (the reader is gone) has to reach the one who listens here.
  const onError = (error: Error): void => {
    stream.destroy(error);
  };
  stdout.on("error", onError);
  // The overloads of write() differ only in what may be left out; stderr's takes the same.
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return {
    stream,
    [Symbol.dispose]: () => {
      stdout.write = original;
    },
  };
}
