/** The calls of a host that were told to stop and have not yet shown whether they do. */
export class StopWatch {
  readonly #stopping = new Set<string>();
  #certain: PromiseWithResolvers<void> | undefined;

  /** Settles when none is left; undefined while there is none. */
  get certainty(): Promise<void> | undefined {
    return this.#certain?.promise;
  }

  add(callId: string): void {
    this.#stopping.add(callId);
    this.#certain ??= Promise.withResolvers();
  }

  delete(callId: string): void {
    this.#stopping.delete(callId);
    if (this.#stopping.size === 0) this.clear();
  }

  clear(): void {
    this.#stopping.clear();
    this.#certain?.resolve();
    this.#certain = undefined;
  }
}
