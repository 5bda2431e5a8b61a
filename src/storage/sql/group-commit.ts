import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import { BackEndUnavailable } from '../../base/errors.ts';
import { prepared } from './prepared.ts';
import type { Writer } from './sql.ts';
import { type Begin, inTransaction } from './transaction.ts';

/** The most transactions in one group. Another process can write between two groups. */
const LARGEST_GROUP = 64;

/** A queued transaction. */
interface Waiting {
  run(tx: Writer): Promise<void>;
  /** Passes the result or error of the last run to the caller. */
  settle(): void;
  /** Rejects the caller's promise because the group could not be committed. */
  reject(error: unknown): void;
}

/**
 * Runs transactions one after another and commits those that arrive together with one disk sync,
 * which takes longer than their work. Each succeeds or fails on its own, sees the writes of those
 * before it, and resolves once it is on disk.
 */
export function groupCommits(begin: Begin): <T>(work: (tx: Writer) => Promise<T>) => Promise<T> {
  const queue: Waiting[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      // Requests that have arrived by now are read in this tick and join the group.
      await nextTick();
      await commitGroup(begin, queue);
    }
    isDraining = false;
  }

  return (work) =>
    new Promise((resolve, reject) => {
      queue.push(waitingFor(work, resolve, reject));
      if (!isDraining) void drain();
    });
}

function waitingFor<T>(
  work: (tx: Writer) => Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Waiting {
  let settle = () => {};
  return {
    async run(tx) {
      try {
        const result = await work(tx);
        settle = () => resolve(result);
      } catch (error) {
        settle = () => reject(error);
        throw error;
      }
    },
    settle: () => settle(),
    reject,
  };
}

/** A transaction of a group failed, so the whole group was rolled back. */
class GroupRolledBack extends Error {}

/**
 * Commits the next group of the queue. Callers get an error only after the commit, because it may
 * depend on what another transaction of the group wrote.
 *
 * Nearly always all succeed. If one fails, all run again in savepoints, so only that one fails.
 */
async function commitGroup(begin: Begin, queue: Waiting[]): Promise<void> {
  let group = queue;
  try {
    try {
      await inTransaction(begin, async (tx) => {
        group = queue.splice(0, LARGEST_GROUP);
        await runAll(tx, group);
      });
    } catch (error) {
      if (!(error instanceof GroupRolledBack)) throw error;
      await inTransaction(begin, (tx) => runEach(tx, group));
    }
  } catch (error) {
    // If no transaction could begin, `group` is still the whole queue.
    for (const waiting of group.splice(0)) waiting.reject(error);
    return;
  }
  for (const waiting of group) waiting.settle();
}

/**
 * Runs the transactions of a group in order.
 *
 * @throws GroupRolledBack; BackEndUnavailable, which affects all; the error of a group's only
 *   transaction
 */
async function runAll(tx: Writer, group: readonly Waiting[]): Promise<void> {
  try {
    for (const waiting of group) await waiting.run(tx);
  } catch (error) {
    if (group.length === 1 || error instanceof BackEndUnavailable) throw error;
    throw new GroupRolledBack('', { cause: error });
  }
}

const command = (text: string) =>
  prepared<object, unknown>((db) => ({ compile: () => sql.raw(text).compile(db) }));
const savepoint = command('savepoint before');
const rollBackToSavepoint = command('rollback to before');
const release = command('release before');

async function runEach(tx: Writer, group: readonly Waiting[]): Promise<void> {
  for (const waiting of group) {
    await savepoint(tx, {});
    try {
      await waiting.run(tx);
    } catch {
      await rollBackToSavepoint(tx, {});
    }
    await release(tx, {});
  }
}
