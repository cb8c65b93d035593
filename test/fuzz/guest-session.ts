/** A real host process with two scripts that ask and tell what they are answered, and the lines it sends. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { FUZZ_CAPS, FUZZ_POOL } from "./caps.ts";
import { withinMs } from "./deadline.ts";
import type { UnderTest } from "./under-test.ts";

/** A host is silent if it says nothing for this long. */
const HANG_MS = 20_000;

/** `ask` gives the answer, and `converted` counts the answers that came in. */
const PROBE = `(bridge) => {
  let converted = 0;
  const ask = (value) => bridge.hostCall("probe.ask", () => ({ value }), (answer) => { converted += 1; return answer; });
  return { member: bridge.tools.freeze({ __proto__: null, ask, converted: () => converted }) };
}`;

/** Asks in waves, each after the last one has all its answers, and tells what it was answered. */
const ASKER = `async function main({ waves }) {
  const seen = [];
  for (const size of waves) {
    const asked = Array.from({ length: size }, (_, index) => g.probe.ask(index));
    for (const { value, reason } of await Promise.allSettled(asked)) {
      if (reason) seen.push(reason.code ?? "rejected");
      else seen.push(typeof value === "object" && value !== null ? String(value.tag) : typeof value);
    }
  }
  return { seen, converted: g.probe.converted(), polluted: ({}).tag ?? null };
}`;

/** See the head of this file. Owns the process. */
export class GuestSession implements AsyncDisposable {
  readonly finished: string[] = [];
  /** Pings whose answers are still to come. */
  readonly pings: number[] = [];
  readonly #child: ReturnType<UnderTest["launchHost"]>["child"];
  readonly #pipe: ReturnType<UnderTest["launchHost"]>["pipe"];
  readonly #exit: Promise<unknown>;
  #lines: string[] = [];
  #heard = Promise.withResolvers<void>();
  isOver = false;

  private constructor(code: UnderTest) {
    const { child, pipe } = code.launchHost(code.hostCommand());
    this.#child = child;
    this.#pipe = pipe;
    this.#exit = once(child, "exit");
    code.openLineChannel(pipe, {
      maxLineCharacters: 8_000_000,
      onLine: (line) => {
        this.#lines.push(line);
        this.#heard.resolve();
      },
      onTooLong: () => this.#onOver(),
      onClose: () => this.#onOver(),
    });
  }

  static async open(code: UnderTest): Promise<GuestSession> {
    const session = new GuestSession(code);
    const log = readFileSync(new URL("../../src/capabilities/log/guest.js", import.meta.url), "utf8");
    const capabilities = [
      { name: "probe", guest: PROBE },
      { name: "log", guest: log },
    ];
    session.send(
      Buffer.from(JSON.stringify({ kind: "init", sources: code.readRealmSources(capabilities), caps: FUZZ_CAPS, pool: FUZZ_POOL })),
    );
    if ((await session.next()) !== '{"kind":"ready"}') throw new Error("The host of the fuzz is not ready.");
    for (const key of ["asker", "other"]) session.sendScript(key);
    return session;
  }

  send(line: Buffer): void {
    if (this.#pipe.writable) this.#pipe.write(Buffer.concat([line, Buffer.from("\n")]));
  }

  sendScript(key: string): void {
    this.send(Buffer.from(JSON.stringify({ kind: "script", key, source: ASKER, file: `scripts/${key}.js`, entry: "main" })));
  }

  /** The next line; undefined once the host is over, or late. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0) {
      if (this.isOver) return undefined;
      this.#heard = Promise.withResolvers<void>();
      if ((await withinMs(HANG_MS, this.#heard.promise)) === "late") return undefined;
    }
    return this.#lines.shift();
  }

  /** No more is sent into it. */
  giveUp(): undefined {
    this.#child.kill("SIGKILL");
    this.#onOver();
  }

  #onOver(): void {
    this.isOver = true;
    this.#heard.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
