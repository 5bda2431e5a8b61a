import { setImmediate as nextTick } from 'node:timers/promises';
import type { Writer } from './sql.ts';
import type { SqliteLog } from './sqlite-log.ts';
import { type Begin, inTransaction } from './transaction.ts';

/**
 * Runs transactions one after another. Each sees the writes of those before it, and ends once these
 * and its own are on disk: also an error may be due to what another one wrote.
 */
export function oneByOne(
  begin: Begin,
  log: SqliteLog,
): <T>(work: (tx: Writer) => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();

  async function run<T>(work: (tx: Writer) => Promise<T>): Promise<T> {
    // Reads come between two transactions, and so do those of other processes.
    await nextTick();
    log.repair();
    const result = await inTransaction(begin, work);
    log.committed();
    return result;
  }

  return async (work) => {
    const turn = last.then(() => run(work));
    last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      await log.synced();
    }
  };
}
