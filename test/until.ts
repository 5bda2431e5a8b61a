import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds. Fails after a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`It took longer than a minute: ${what}`);
    await sleep(20);
  }
}
