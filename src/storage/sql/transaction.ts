import type { ControlledTransaction } from 'kysely';
import type { Writer } from './sql.ts';
import type { Tables } from './tables.ts';

/** Begins a transaction for a single caller. */
export type Begin = () => Promise<ControlledTransaction<Tables>>;

/** Runs `work` in a transaction and commits it. Rolls back and rethrows if `work` throws. */
export async function inTransaction<T>(begin: Begin, work: (tx: Writer) => Promise<T>): Promise<T> {
  const tx = await begin();
  try {
    const result = await work(tx);
    await tx.commit().execute();
    return result;
  } catch (error) {
    await rollBack(tx);
    throw error;
  }
}

/** Rolls back. Ignores errors: a broken connection or a failed disk has already rolled back. */
export async function rollBack(tx: ControlledTransaction<Tables>): Promise<void> {
  await tx
    .rollback()
    .execute()
    .catch(() => {});
}
