import { setTimeout as sleep } from 'node:timers/promises';

const ASK_EVERY_MS = 20;

/** The longest that anyone may wait while the service handles hostile requests, on a busy machine. */
export const BYSTANDER_WAITS_MS = 250;

/**
 * Does `work` while a bystander asks `/healthz` every 20 ms.
 *
 * @returns the longest that one answer took, in milliseconds: how long the event loop was held
 */
export async function besideBystander(webUrl: string, work: () => Promise<void>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const watch = async () => {
    while (!isOver) {
      const start = performance.now();
      await (await fetch(`${webUrl}/healthz`)).text();
      longest = Math.max(longest, performance.now() - start);
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
