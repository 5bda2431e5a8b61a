import type { Piscina } from 'piscina';
import { BackEndUnavailable, TookTooLong } from '../../errors.ts';
import { createFairQueue } from '../../limits/fair-queue.ts';
import { threadPool } from '../../runtime/thread-pool.ts';
import type { WordIndex } from './word-index.ts';
import type * as entry from './word-thread.ts';

type Entry = typeof entry;

type OutcomeOf<Name extends keyof Entry> = ReturnType<Entry[Name]>;

/** Threads that read texts and keep the index, off the event loop. */
export interface WordThreads {
  /**
   * Runs a task on the next free thread. A thread that takes longer than its limit is ended; the next
   * task gets a new one.
   *
   * @throws TookTooLong; BackEndUnavailable when no thread can be started
   */
  run<Name extends keyof Entry>(
    name: Name,
    task: Parameters<Entry[Name]>[0],
  ): Promise<OutcomeOf<Name>>;
  /**
   * Runs `excerpts`; keys take turns.
   *
   * @throws what {@link run} does; RATE_LIMITED when too much of this key's work waits
   */
  excerpts: WordIndex['excerpts'];
  close(): Promise<void>;
}

/** Two index (`document/search/indexer.ts`), and two search. */
const THREADS = 4;

/** What is read for excerpts at once, and waits for that. One account has half of the threads. */
const EXCERPTS = { running: 2, runningPerKey: 1, waiting: 256, waitingPerKey: 32 };

/** After which a thread is let go. */
const IDLE_MS = 30_000;

/**
 * After which a task is given up, its thread ended. Texts have budgets of their own (`word-thread.ts`), so
 * this is for what nobody foresaw.
 */
const WITHIN_MS: Record<keyof Entry, number> = {
  divide: 10_000,
  change: 15_000,
  find: 15_000,
  excerpts: 5_000,
  clear: 60_000,
};

/** Threads start with the first task, and go when idle. */
export function createWordThreads(): WordThreads {
  let pool: Promise<Piscina> | undefined;
  let isClosed = false;
  const searches = createFairQueue(EXCERPTS);

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const module = new URL('./word-thread.js', import.meta.url);
    const started = new Piscina(threadPool(module, { threads: THREADS, idleMs: IDLE_MS }));
    // A thread that cannot be started leaves its task waiting for ever. The next has a new pool.
    started.on('error', () => {
      pool = undefined;
      void started.destroy();
    });
    return started;
  }

  const run: WordThreads['run'] = async (name, task) => {
    if (isClosed) throw new BackEndUnavailable('the service is being stopped');
    pool ??= start().catch((error) => {
      // Whatever was in the way may be gone the next time.
      pool = undefined;
      throw error;
    });
    const withinMs = WITHIN_MS[name];
    const signal = AbortSignal.timeout(withinMs);
    try {
      return await (await pool).run(task, { name, signal });
    } catch (error) {
      if (signal.aborted) throw new TookTooLong(`${name}: took more than ${withinMs} ms`);
      if (!isOfPool(error)) throw error;
      throw new BackEndUnavailable(`a thread was ended (${error.message})`, { cause: error });
    }
  };

  return {
    run,
    async excerpts(key, query, texts) {
      try {
        return (await searches.run(key, () => run('excerpts', { query, texts }))).result;
      } catch (error) {
        if (!(error instanceof TookTooLong)) throw error;
        return texts.map(() => ({ text: '', matches: [] }));
      }
    },
    async close() {
      isClosed = true;
      await (await pool?.catch(() => undefined))?.destroy();
    },
  };
}

/** Whether it is the thread that failed, not the task. */
function isOfPool(error: unknown): error is Error {
  return error instanceof Error && /worker|thread/i.test(error.message);
}
