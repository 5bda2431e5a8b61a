import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeProcess } from '../process.ts';

const ASK_EVERY_MS = 20;

/**
 * How long the event loop may be busy, on a slow machine, between a bystander's request and its answer.
 * Sending several pages of 5 MB takes less than this; code that takes quadratic time needs seconds.
 */
export const HELD_AT_MOST_MS = 750;

/**
 * Does `work` while a bystander asks `/healthz` every 20 ms.
 *
 * @returns the longest that the event loop was held while the bystander waited for an answer, in
 *   milliseconds of processor time, so that other programs on the machine don't count
 */
export async function besideBystander(
  { pid, webUrl }: ServeProcess,
  work: () => Promise<void>,
): Promise<number> {
  let isOver = false;
  let longest = 0;
  const watch = async () => {
    while (!isOver) {
      const start = mainThreadMs(pid);
      await (await fetch(`${webUrl}/healthz`)).text();
      longest = Math.max(longest, mainThreadMs(pid) - start);
      await sleep(ASK_EVERY_MS);
    }
  };
  const watching = watch();
  try {
    // The first answer includes the connection.
    await sleep(2 * ASK_EVERY_MS);
    longest = 0;
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  return longest;
}

/**
 * Returns how long a process's first thread has run, in milliseconds; where the system doesn't say,
 * the time on the clock.
 */
function mainThreadMs(pid: number): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
}
