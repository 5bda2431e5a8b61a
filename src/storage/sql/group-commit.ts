import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Sql, Writer } from './sql.ts';
import type { Tables } from './tables.ts';

/** The most transactions of one group: who comes later, another process included, gets a turn. */
const LARGEST_GROUP = 64;

/** A transaction that somebody waits for. */
interface Waiting {
  /** Does its work; what comes of it is told by {@link settle}. @throws what the work throws */
  run(tx: Writer): Promise<void>;
  /** Tells whoever waits what came of it. */
  settle(): void;
  /** Tells whoever waits that nothing came of it, since the group could not be committed. */
  reject(error: unknown): void;
}

/**
 * Runs transactions on a database that runs one at a time, and that takes longer to bring one to
 * the disk than to work on it: those that arrive together are committed together. Each is whole or
 * not at all by itself, as if it came after those before it, and each waits until the disk has it.
 *
 * @param write a handle that nothing else uses
 * @param onCommit is called when something has been committed, before anybody is told
 */
export function groupCommits(write: Kysely<Tables>, onCommit: () => void): Sql['transaction'] {
  const queue: Waiting[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      // Whatever else has arrived by now is read in this turn, and joins.
      await nextTurn();
      await commitTogether(write, queue.splice(0, LARGEST_GROUP), onCommit);
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

/** Commits a group; who is refused is refused only then, having seen what others of it wrote. */
async function commitTogether(
  write: Kysely<Tables>,
  group: readonly Waiting[],
  onCommit: () => void,
): Promise<void> {
  try {
    const tx = await write.startTransaction().execute();
    try {
      for (const waiting of group) {
        if (group.length === 1) await waiting.run(tx);
        else await runAmongOthers(tx, waiting);
      }
      await tx.commit().execute();
      onCommit();
    } catch (error) {
      await tx.rollback().execute();
      throw error;
    }
  } catch (error) {
    for (const waiting of group) waiting.reject(error);
    return;
  }
  for (const waiting of group) waiting.settle();
}

const SAVEPOINT = CompiledQuery.raw('savepoint before');
const ROLL_BACK = CompiledQuery.raw('rollback to before');
const RELEASE = CompiledQuery.raw('release before');

/** Undoes what a transaction of a group has done when it fails, and nothing of the others'. */
async function runAmongOthers(tx: Writer, waiting: Waiting): Promise<void> {
  await tx.executeQuery(SAVEPOINT);
  try {
    await waiting.run(tx);
  } catch (error) {
    await tx.executeQuery(ROLL_BACK).catch(() => {
      // Where the disk failed, the database has gone back by itself, all the way.
      throw error;
    });
  }
  await tx.executeQuery(RELEASE);
}
