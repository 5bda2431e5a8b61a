import { BackEndUnavailable, RETRY_AFTER_S, ServiceError } from '../errors.ts';

export interface FairQueueLimits {
  /** Most work that runs at once. */
  running: number;
  /** Most work of one key that runs at once. Default: as much as of all. */
  runningPerKey?: number;
  /** Most work that waits. */
  waiting: number;
  /** Most work of one key that waits. Default: as much as of all. */
  waitingPerKey?: number;
}

export interface FairQueue {
  /**
   * Runs `work` as soon as the limits allow.
   *
   * @param key whose work it is, such as an account's id
   * @returns what `work` returns; what it throws is thrown
   * @throws RATE_LIMITED (429) when too much of this key's work is waiting already;
   *   BackEndUnavailable (503) when too much of everyone's is. `work` has not been called then.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/**
 * Limits how much work runs at once, and shares the places between keys.
 *
 * Guarantees: work of one key starts in the order it came. Keys take turns: before a key's first
 * waiting work starts, every other key starts at most one. So a key that sends a thousand pieces
 * delays another key by one piece, and mostly itself. With `runningPerKey` below `running`, one key
 * alone cannot hold every place.
 */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const { runningPerKey = limits.running, waitingPerKey = limits.waiting } = limits;
  /** Keys with work that runs or waits. */
  const lanes = new Map<string, Lane>();
  /** Those of them whose next work may start, in the order of their turns. */
  const ready = new Set<Lane>();
  let running = 0;
  let waiting = 0;

  function laneOf(key: string): Lane {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    return lane;
  }

  /** A lane that is in the line already keeps its place. */
  function lineUp(lane: Lane): void {
    if (lane.waiting.length > 0 && lane.running < runningPerKey) ready.add(lane);
  }

  function startNext(): void {
    for (const lane of ready) {
      if (running >= limits.running) return;
      ready.delete(lane);
      running += 1;
      lane.running += 1;
      waiting -= 1;
      lane.waiting.shift()?.();
      // Added at the end of the set, which this loop then comes to: behind all others.
      lineUp(lane);
    }
  }

  function end(key: string, lane: Lane): void {
    running -= 1;
    lane.running -= 1;
    lineUp(lane);
    if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(key);
    startNext();
  }

  return {
    async run(key, work) {
      const lane = laneOf(key);
      const mustWait = running >= limits.running || lane.running >= runningPerKey;
      if (mustWait && waiting >= limits.waiting) {
        throw new BackEndUnavailable('Too much work is waiting.');
      }
      if (mustWait && lane.waiting.length >= waitingPerKey) throw tooManyWaiting(waitingPerKey);
      await new Promise<void>((resolve) => {
        lane.waiting.push(resolve);
        waiting += 1;
        lineUp(lane);
        startNext();
      });
      try {
        return await work();
      } finally {
        end(key, lane);
      }
    },
  };
}

function tooManyWaiting(limit: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `${limit} of your requests are already waiting. Try again in ${RETRY_AFTER_S} seconds.`,
    RETRY_AFTER_S,
  );
}
