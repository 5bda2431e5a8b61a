import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlledTransaction } from 'kysely';
import pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import type { Exclusive, Sql } from './sql.ts';
import type { Tables } from './tables.ts';
import { inTransaction, rollBack } from './transaction.ts';

/** How often a transaction runs that loses against others, or whose connection breaks. */
const ATTEMPTS = 5;

/** A connection that breaks later than this is not tried again: the caller has waited for a timeout already. */
const TRY_AGAIN_WITHIN_MS = 5_000;
const BACK_OFF_MS = 20;

/** The connection broke during the commit, so the transaction may or may not be done. */
export class OutcomeUnknown extends BackEndUnavailable {}

/** A transaction that has been sent to the database, and may not have begun there yet. */
export interface Beginning {
  tx: ControlledTransaction<Tables>;
  begun: Promise<void>;
}

/**
 * Runs transactions beside one another, but one at a time on the same {@link Exclusive}. A transaction that the
 * database rolled back for the sake of others runs again, and so does one whose connection broke before the commit.
 */
export function postgresTransactions(begin: () => Promise<Beginning>): Sql['transaction'] {
  const queue = createQueues();
  return (work, { exclusive } = {}) => {
    const run = () => inTransaction(() => beginWith(begin, exclusive?.lock), work);
    return persistently(exclusive ? () => queue(exclusive.key, run) : run);
  };
}

/**
 * Runs one function at a time for each key, in order. Those that wait take no connection. When the database is away
 * for one, those that wait behind it fail with it, instead of waiting for the same timeout one after another.
 */
function createQueues(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  /** Resolves when the last function of a key has ended; rejects if the database was away. */
  const lastOf = new Map<string, Promise<unknown>>();
  return (key, run) => {
    const result = (lastOf.get(key) ?? Promise.resolve()).then(run);
    const ended = result.catch((error) => {
      // Never as an unknown outcome: those that wait have not begun.
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

/** Runs it again while that may help, but never after an unknown outcome: it may be done already. */
async function persistently<T>(run: () => Promise<T>): Promise<T> {
  const begunAt = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const soon = Date.now() - begunAt < TRY_AGAIN_WITHIN_MS;
      const broken =
        error instanceof BackEndUnavailable && !(error instanceof OutcomeUnknown) && soon;
      if (attempt === ATTEMPTS || !(broken || isUndone(error))) throw error;
    }
    await sleep(Math.random() * BACK_OFF_MS * 2 ** attempt);
  }
}

/**
 * Serialization failure, deadlock, violated foreign key or unique index, statement sent after one of these
 * (PostgreSQL documentation, appendix A). Rows that the transaction had read have changed; it sees that when it
 * runs again.
 */
const UNDONE = ['40001', '40P01', '23503', '23505', '25P02'];

function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNDONE.includes(error.code ?? '');
}
