/** The one time limit a call has at a moment, which can stand still while its script waits for a person. */
export class CallDeadline implements Disposable {
  #timer: NodeJS.Timeout | undefined;
  #onLimit: () => void = () => undefined;
  #endsAtMs = 0;
  /** How often it was paused and not yet resumed, and what was left of the time then. */
  #pauses = 0;
  #heldMs = 0;

  /** Puts another limit in the place of the one before; it runs. */
  set(ms: number, onLimit: () => void): void {
    clearTimeout(this.#timer);
    this.#pauses = 0;
    this.#onLimit = onLimit;
    this.#run(ms);
  }

  /** Milliseconds until the limit, at least 0. */
  get leftMs(): number {
    return this.isPaused ? this.#heldMs : Math.max(0, this.#endsAtMs - performance.now());
  }

  get isPaused(): boolean {
    return this.#pauses > 0;
  }

  /** True if it ran until now. Pauses count: as many resumes let it run again. */
  pause(): boolean {
    const { leftMs } = this;
    this.#pauses += 1;
    if (this.#pauses > 1) return false;
    this.#heldMs = leftMs;
    clearTimeout(this.#timer);
    return true;
  }

  /** True if it runs again from now. */
  resume(): boolean {
    if (this.#pauses === 0) return false;
    this.#pauses -= 1;
    if (this.#pauses > 0) return false;
    this.#run(this.#heldMs);
    return true;
  }

  /** There is no limit any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#pauses = 0;
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  #run(ms: number): void {
    this.#endsAtMs = performance.now() + ms;
    this.#timer = setTimeout(() => this.#onLimit(), ms);
  }
}
