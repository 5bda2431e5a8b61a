import { BackEndUnavailable } from './errors.ts';

/**
 * Lets a few pieces of work run at once and the others wait, in the order they came.
 *
 * @param limits.atOnce how many run
 * @param limits.waiting how many wait before one more is refused
 * @returns a function that runs work when its turn comes; it throws BackEndUnavailable when too
 *   many wait already
 */
export function createTurns(limits: {
  atOnce: number;
  waiting: number;
}): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (running < limits.atOnce) {
      running += 1;
    } else {
      if (queue.length >= limits.waiting) throw new BackEndUnavailable('too much work waits');
      // Whoever ends hands its place on, so the count stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
