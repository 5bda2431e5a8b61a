import { BackEndUnavailable, RETRY_AFTER_S, ServiceError } from '../errors.ts';

export interface FairQueueLimits {
  /** The most tasks to run at once. */
  running: number;
  /** The most tasks of one key to run at once. Default: `running`. */
  runningPerKey?: number;
  /** The most tasks to queue. */
  waiting: number;
  /** The most tasks of one key to queue. Default: `waiting`. */
  waitingPerKey?: number;
}

export interface FairQueue {
  /**
   * Runs `work` as soon as the limits allow.
   *
   * @param key such as an account's id
   * @param work is told whether it was queued, because the caller's rights may have ended meanwhile
   * @returns the result of `work`
   * @throws RATE_LIMITED (429) if the key has too many queued tasks; BackEndUnavailable (503) if
   *   there are too many in all; any error of `work`
   */
  run<Result>(
    key: string,
    work: (turn: { hasWaited: boolean }) => Promise<Result>,
  ): Promise<Result>;
}

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/**
 * Limits how many tasks run at once, and shares the slots between keys.
 *
 * Tasks of one key start in order. Keys take turns: before a key's first queued task starts, every
 * other key starts at most one. So a key that sends a thousand tasks delays another key by one
 * task. If `runningPerKey` is below `running`, one key cannot take every slot.
 */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  const { runningPerKey = limits.running, waitingPerKey = limits.waiting } = limits;
  /** Keys with running or queued tasks. */
  const lanes = new Map<string, Lane>();
  /** Lanes whose next task may start, in the order of their turns. */
  const ready = new Set<Lane>();
  let running = 0;
  let waiting = 0;

  function laneOf(key: string): Lane {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    return lane;
  }

  /** Adds a lane at the end; a lane that is already in the set keeps its position. */
  function enqueue(lane: Lane): void {
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
      // Goes to the end of the set, which this loop also reaches.
      enqueue(lane);
    }
  }

  function end(key: string, lane: Lane): void {
    running -= 1;
    lane.running -= 1;
    enqueue(lane);
    if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(key);
    startNext();
  }

  return {
    async run(key, work) {
      const lane = laneOf(key);
      const mustWait = running >= limits.running || lane.running >= runningPerKey;
      if (mustWait && waiting >= limits.waiting) {
        throw new BackEndUnavailable('Too much work is queued.');
      }
      if (mustWait && lane.waiting.length >= waitingPerKey) throw tooManyWaiting(waitingPerKey);
      await new Promise<void>((resolve) => {
        lane.waiting.push(resolve);
        waiting += 1;
        enqueue(lane);
        startNext();
      });
      try {
        return await work({ hasWaited: mustWait });
      } finally {
        end(key, lane);
      }
    },
  };
}

function tooManyWaiting(limit: number): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `Too many requests at once: ${limit} of yours are waiting. Try again in ${RETRY_AFTER_S} ` +
      'seconds.',
    RETRY_AFTER_S,
  );
}
