import type { ControlledTransaction } from 'kysely';
import type { Writer } from './sql.ts';
import type { Tables } from './tables.ts';

/** Begins a transaction that nothing else uses. */
export type Begin = () => Promise<ControlledTransaction<Tables>>;

/** Runs one transaction. @throws what the work throws; then nothing is written */
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

/** Rolls back, unless a broken connection or a failed disk has done so. */
export async function rollBack(tx: ControlledTransaction<Tables>): Promise<void> {
  await tx
    .rollback()
    .execute()
    .catch(() => {});
}
