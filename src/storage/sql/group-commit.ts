import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ControlledTransaction, sql } from 'kysely';
import { BackEndUnavailable } from '../../errors.ts';
import { inOneGo } from '../../in-one-go.ts';
import { prepared } from './prepared.ts';
import type { TransactionOptions, Writer } from './sql.ts';
import type { Tables } from './tables.ts';

/**
 * The most transactions of one group: who comes later, another process included, gets a turn. Of more
 * savepoints in one transaction than these PostgreSQL would keep account elsewhere, which is slow.
 */
const LARGEST_GROUP = 64;

/** How many transactions of a group are sent without waiting for answers: what they send is held in memory. */
const MOST_AT_ONCE = 16;

/** Runs `work` as one transaction; what comes of it is known when the database has it for good. */
export type RunTransaction = <T>(
  work: (tx: Writer) => Promise<T>,
  options?: TransactionOptions,
) => Promise<T>;

/** A transaction that somebody waits for. */
interface Waiting {
  /** Does its work; what comes of it is told by {@link settle}. @throws what the work throws */
  run(tx: Writer): Promise<void>;
  inOneGo: boolean;
  /** Tells whoever waits what came of it. */
  settle(): void;
  /** Tells whoever waits that nothing came of it, since the group could not be committed. */
  reject(error: unknown): void;
}

export interface GroupOptions {
  /** Called when nobody waits any more. */
  onIdle?(): void;
  /** Where others write at the same time. */
  besideOthers?: {
    /** Has whatever comes in this transaction fail where it had to wait for others. */
    refuseToWait(tx: Writer): Promise<unknown>;
    /** Whether it failed for that. */
    isHeldUp(error: unknown): boolean;
  };
}

/**
 * Runs transactions of which one can run at a time, and that take longer to come to the disk than to
 * be worked on: those that arrive together are committed together. Each is whole or not at all by
 * itself, as if it came after those before it, and each waits until the disk has it. Those that ask all `inOneGo`
 * are sent without waiting for one another's answers.
 *
 * @param begin begins a transaction that nothing else uses
 */
export function groupCommits(
  begin: () => Promise<ControlledTransaction<Tables>>,
  options: GroupOptions = {},
): RunTransaction {
  const queue: Waiting[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (queue.length > 0) {
      // Whatever else has arrived by now is read in this turn, and joins.
      await nextTurn();
      await commitTogether(begin, queue, options);
    }
    isDraining = false;
    options.onIdle?.();
  }

  return (work, { inOneGo = false } = {}) =>
    new Promise((resolve, reject) => {
      queue.push({ inOneGo, ...waitingFor(work, resolve, reject) });
      if (!isDraining) void drain();
    });
}

function waitingFor<T>(
  work: (tx: Writer) => Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Omit<Waiting, 'inOneGo'> {
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

/** One of several failed, and nothing of any of them is done. */
class GroupUndone extends Error {}

/**
 * Commits a group, the first of the queue; who is refused is refused only then, having seen what others
 * of it wrote. Where no transaction can be begun, that is so for all that wait.
 *
 * Nearly always all of them succeed. Where one does not, all are run once more, so that it fails by itself.
 */
async function commitTogether(
  begin: () => Promise<ControlledTransaction<Tables>>,
  queue: Waiting[],
  options: GroupOptions,
): Promise<void> {
  let group = queue;
  const commit = (run: typeof runAll) =>
    inTransaction(begin, async (tx) => {
      group = queue.splice(0, LARGEST_GROUP);
      queue.unshift(...group.splice(await run(tx, group, options)));
    });
  try {
    await commit(runAll).catch(async (error) => {
      if (!(error instanceof GroupUndone)) throw error;
      queue.unshift(...group);
      group = queue;
      await commit(runEach);
    });
  } catch (error) {
    for (const waiting of group.splice(0)) waiting.reject(error);
    return;
  }
  for (const waiting of group) waiting.settle();
}

/** Runs one transaction. @throws what the work throws, and then nothing of it is done */
export async function inTransaction<T>(
  begin: () => Promise<ControlledTransaction<Tables>>,
  work: (tx: Writer) => Promise<T>,
): Promise<T> {
  const tx = await begin();
  try {
    const result = await work(tx);
    await tx.commit().execute();
    return result;
  } catch (error) {
    // What is not committed goes with a connection that is gone, and goes back where the disk failed.
    const rolledBack = tx.rollback().execute();
    await rolledBack.catch(() => {});
    throw error;
  }
}

const command = (text: string) =>
  prepared<object, unknown>((db) => ({ compile: () => sql.raw(text).compile(db) }));
const savepoint = command('savepoint before');
const rollBack = command('rollback to before');
const release = command('release before');

/**
 * Runs the transactions of a group, which fails with any of them. Nobody is waited for but by the first, as
 * in {@link runEach}.
 *
 * @returns how many have come to an end: all
 * @throws GroupUndone; what the work throws, of one alone; BackEndUnavailable
 */
async function runAll(
  tx: Writer,
  group: readonly Waiting[],
  { besideOthers }: GroupOptions,
): Promise<number> {
  let underway: Promise<unknown>[] = [];

  async function untilEnded(): Promise<void> {
    const ended = underway;
    underway = [];
    try {
      await inOneGo(ended);
    } catch (error) {
      // Where the database is away it is so for all, and they have waited for it already.
      if (group.length === 1 || error instanceof BackEndUnavailable) throw error;
      throw new GroupUndone('', { cause: error });
    }
  }

  for (const [place, waiting] of group.entries()) {
    if (!waiting.inOneGo || underway.length >= MOST_AT_ONCE) await untilEnded();
    if (place === 1 && besideOthers) underway.push(besideOthers.refuseToWait(tx));
    underway.push(waiting.run(tx));
    if (!waiting.inOneGo) await untilEnded();
  }
  await untilEnded();
  return group.length;
}

/**
 * Runs the transactions of a group; what one of them has done is undone when it fails.
 *
 * Only the first waits for what others hold. Who waited behind it would have all rows of those before it
 * meanwhile, and might wait for somebody who waits for one of these.
 *
 * @returns how many have come to an end; who was held up is the first of the next group
 */
async function runEach(
  tx: Writer,
  group: readonly Waiting[],
  { besideOthers }: GroupOptions,
): Promise<number> {
  for (const [place, waiting] of group.entries()) {
    if (place === 1) await besideOthers?.refuseToWait(tx);
    await savepoint(tx, {});
    try {
      await waiting.run(tx);
    } catch (error) {
      await rollBack(tx, {});
      if (place > 0 && besideOthers?.isHeldUp(error)) return place;
    }
    await release(tx, {});
  }
  return group.length;
}
