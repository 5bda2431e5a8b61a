import { setImmediate as nextTick } from 'node:timers/promises';
import type { Writer } from './sql.ts';
import type { SqliteLog } from './sqlite-log.ts';
import { type Begin, inTransaction } from './transaction.ts';

/** The most transactions before requests that have arrived, and other processes, get their turn. */
const IN_A_ROW = 16;

/**
 * Runs transactions one after another. Each sees the writes of those before it, and ends once these
 * and its own are on disk: also an error may be due to what another one wrote.
 */
export function oneByOne(
  begin: Begin,
  log: SqliteLog,
): <T>(work: (tx: Writer) => Promise<T>) => Promise<T> {
  const queue: (() => Promise<void>)[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      for (const run of queue.splice(0, IN_A_ROW)) await run();
      if (queue.length > 0) await nextTick();
    }
    isDraining = false;
  }

  async function run<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    log.repair();
    const result = await inTransaction(begin, work);
    log.committed();
    return result;
  }

  return async <T>(work: (tx: Writer) => Promise<T>) => {
    const turn = new Promise<T>((resolve, reject) => {
      queue.push(() => run(work).then(resolve, reject));
    });
    if (!isDraining) void drain();
    try {
      return await turn;
    } finally {
      await log.synced();
    }
  };
}
