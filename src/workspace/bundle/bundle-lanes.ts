/**
 * In which order bundles are made. In each of two lanes one is made at a time, so that a text which breaks the bundler is known. One
 * that takes longer than usual goes to the second lane, where it keeps none of the usual ones waiting. What a call waits for comes
 * next in its lane.
 */
import type { BundleService } from "./bundle-service.ts";

/** How an attempt ended: with its time over or not. */
export type Attempt = "done" | "late";

/** Makes one bundle with this process. Must not reject. */
export type BundleJob = (service: BundleService) => Promise<Attempt>;

/** The lanes; whoever made the services ends them. */
export interface BundleLanes {
  /** Settles once the script's bundle was made or could not be. */
  run(file: string, job: BundleJob): Promise<void>;
  /** Puts the script before those that only wait. */
  hurry(file: string): void;
  /** Ends the script's bundle if it is being made in the second lane: its text is no more what is wanted. */
  overtake(file: string): void;
}

interface Waiting {
  readonly file: string;
  readonly job: BundleJob;
  readonly finish: () => void;
}

interface Lane {
  readonly service: BundleService;
  waiting: readonly Waiting[];
  /** File of the bundle that is being made. */
  current: string | undefined;
}

/** Lanes of two processes, of which the first has the shorter time limit. */
export function createBundleLanes(usualService: BundleService, longService: BundleService): BundleLanes {
  const usual: Lane = { service: usualService, waiting: [], current: undefined };
  const long: Lane = { service: longService, waiting: [], current: undefined };
  // A script that took long takes long after its next edit too; others need not wait for the same again.
  const slow = new Set<string>();
  const enter = (lane: Lane, item: Waiting): void => {
    lane.waiting = [...lane.waiting, item];
    if (lane.current === undefined) void work(lane);
  };
  const work = async (lane: Lane): Promise<void> => {
    for (let [item] = lane.waiting; item !== undefined; [item] = lane.waiting) {
      lane.waiting = lane.waiting.slice(1);
      const { file, job, finish } = item;
      lane.current = file;
      const startedAt = performance.now();
      const attempt = await job(lane.service);
      if (lane === usual && attempt === "late") {
        slow.add(file);
        enter(long, item);
        continue;
      }
      if (performance.now() - startedAt < usualService.limitMs) slow.delete(file);
      finish();
    }
    lane.current = undefined;
  };
  return {
    run: (file, job) => new Promise((resolve) => enter(slow.has(file) ? long : usual, { file, job, finish: resolve })),
    hurry(file) {
      for (const lane of [usual, long]) {
        const item = lane.waiting.find((other) => other.file === file);
        if (item !== undefined) lane.waiting = [item, ...lane.waiting.filter((other) => other !== item)];
      }
    },
    overtake(file) {
      if (long.current === file) longService.abandon();
    },
  };
}
