import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlledTransaction } from 'kysely';
import pg from 'pg';
import { BackEndUnavailable } from '../../base/errors.ts';
import type { Exclusive, Sql } from './sql.ts';
import type { Tables } from './tables.ts';
import { inTransaction, rollBack } from './transaction.ts';

/** How often a transaction runs that conflicts with others, or whose connection breaks. */
const ATTEMPTS = 5;

/** After this, a broken connection is not retried: the caller has already waited for a timeout. */
const RETRY_WITHIN_MS = 5_000;
const BACK_OFF_MS = 20;

/** The connection broke during the commit, so the transaction may or may not be done. */
export class OutcomeUnknown extends BackEndUnavailable {}

/** A transaction whose `begin` has been sent, and may not have been answered. */
export interface Beginning {
  tx: ControlledTransaction<Tables>;
  begun: Promise<void>;
}

/**
 * Runs transactions concurrently, except those on the same {@link Exclusive}. Retries a transaction
 * that the database rolled back because of a conflict, or whose connection broke before the commit.
 */
export function postgresTransactions(begin: () => Promise<Beginning>): Sql['transaction'] {
  const queue = createQueues();
  return (work, { exclusive } = {}) => {
    const run = () => inTransaction(() => beginWith(begin, exclusive?.lock), work);
    return withRetries(exclusive ? () => queue(exclusive.key, run) : run);
  };
}

/**
 * Runs one function at a time for each key, in order. Those that wait hold no connection. If the
 * database is unavailable for one, those behind it fail too, instead of each waiting for the same
 * timeout.
 */
function createQueues(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  /**
   * Resolves when the last function of a key has ended. Rejects if the database was unavailable.
   */
  const lastOf = new Map<string, Promise<unknown>>();
  return (key, run) => {
    const result = (lastOf.get(key) ?? Promise.resolve()).then(run);
    const ended = result.catch((error) => {
      // Not OutcomeUnknown, because waiting transactions have not begun.
      if (error instanceof BackEndUnavailable) throw new BackEndUnavailable(error.message);
    });
    lastOf.set(key, ended);
    const forget = () => {
      if (lastOf.get(key) === ended) lastOf.delete(key);
    };
    ended.then(forget, forget);
    return result;
  };
}

/** Begins a transaction and takes its lock in the same message. */
async function beginWith(
  begin: () => Promise<Beginning>,
  lock?: Exclusive['lock'],
): Promise<ControlledTransaction<Tables>> {
  const { tx, begun } = await begin();
  try {
    await Promise.all([begun, lock?.(tx)]);
  } catch (error) {
    await rollBack(tx);
    throw error;
  }
  return tx;
}

/** Retries, but never after an unknown outcome, because the transaction may have been committed. */
async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  const begunAt = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const soon = Date.now() - begunAt < RETRY_WITHIN_MS;
      const broken =
        error instanceof BackEndUnavailable && !(error instanceof OutcomeUnknown) && soon;
      if (attempt === ATTEMPTS || !(broken || isUndone(error))) throw error;
    }
    await sleep(Math.random() * BACK_OFF_MS * 2 ** attempt);
  }
}

/**
 * SQLSTATE codes after which a retry can succeed, because it reads the changed rows: serialization
 * failure, deadlock, violated foreign key or unique index, and a statement sent after one of these
 * (PostgreSQL documentation, appendix A).
 */
const UNDONE = ['40001', '40P01', '23503', '23505', '25P02'];

function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNDONE.includes(error.code ?? '');
}
