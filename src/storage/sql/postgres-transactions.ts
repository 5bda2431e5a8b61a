import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlledTransaction, sql } from 'kysely';
import pg from 'pg';
import { BackEndUnavailable } from '../../errors.ts';
import { groupCommits, inTransaction, type RunTransaction } from './group-commit.ts';
import { prepared } from './prepared.ts';
import type { Sql, Turn } from './sql.ts';
import type { Tables } from './tables.ts';

/** How often a transaction is tried that loses against others, or whose connection breaks. */
const ATTEMPTS = 5;

/** After this long a broken connection ends it: whoever waits has waited for a time-out already. */
const TRY_AGAIN_WITHIN_MS = 5_000;
const BACK_OFF_MS = 20;

/** The connection broke at the commit, so nobody knows what came of it. */
export class OutcomeUnknown extends BackEndUnavailable {}

/** A transaction that has been sent to the database, and may not have begun there yet. */
export interface Beginning {
  tx: ControlledTransaction<Tables>;
  begun: Promise<void>;
}

/**
 * Runs transactions on a database that runs them beside one another. Those of this process that have to
 * wait for the same turn wait here, where they take no connection, and are committed together.
 *
 * They are run again where the database undid them for the sake of others, or where the connection broke
 * before the commit was sent.
 */
export function postgresTransactions(begin: () => Promise<Beginning>): Sql['transaction'] {
  const byKey = new Map<string, RunTransaction>();

  function inTurn({ key, lock }: Turn): RunTransaction {
    let run = byKey.get(key);
    if (!run) {
      run = groupCommits(() => beginWith(begin, lock), {
        onIdle: () => byKey.delete(key),
        besideOthers: { refuseToWait: (tx) => lockTimeout(tx, {}), isHeldUp },
      });
      byKey.set(key, run);
    }
    return run;
  }

  const alone: RunTransaction = (work) => inTransaction(() => beginWith(begin), work);
  return async (work, options = {}) => {
    const run = () => (options.turn ? inTurn(options.turn) : alone)(work, options);
    return persistently(run);
  };
}

/** Begins a transaction, and locks what it is to have for itself without waiting in between. */
async function beginWith(
  begin: () => Promise<Beginning>,
  lock?: Turn['lock'],
): Promise<ControlledTransaction<Tables>> {
  const { tx, begun } = await begin();
  try {
    await Promise.all([begun, lock?.(tx)]);
  } catch (error) {
    await tx
      .rollback()
      .execute()
      .catch(() => {});
    throw error;
  }
  return tx;
}

/** Far less than the second after which PostgreSQL looks for deadlocks. */
const lockTimeout = prepared<object, unknown>((db) => ({
  compile: () => sql`set local lock_timeout = '50ms'`.compile(db),
}));

/** Lock not available; deadlock. */
function isHeldUp(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['55P03', '40P01'].includes(error.code ?? '');
}

/** Runs it again while that may help. Where nobody knows what came of it, it may be done already. */
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
 * Serialization failure, deadlock; a foreign key or a unique index that did not hold; whatever was sent
 * before one of these had been answered (PostgreSQL documentation, appendix A): what the transaction had
 * looked at went, or came, meanwhile, which it sees when it looks again.
 */
const UNDONE = ['40001', '40P01', '23503', '23505', '25P02'];

function isUndone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNDONE.includes(error.code ?? '');
}
