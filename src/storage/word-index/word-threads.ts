import type { Piscina } from 'piscina';
import { BackEndUnavailable } from '../../errors.ts';
import { threadPool } from '../../thread-pool.ts';
import type * as entry from './word-thread.ts';

type Entry = typeof entry;

type OutcomeOf<Name extends keyof Entry> = ReturnType<Entry[Name]>;

/** Threads that divide texts into words, so that nobody waits for it on the event loop. */
export interface WordThreads {
  /** @throws BackEndUnavailable when no thread has an answer within a minute, or can be started */
  run<Name extends keyof Entry>(
    name: Name,
    task: Parameters<Entry[Name]>[0],
  ): Promise<OutcomeOf<Name>>;
  close(): Promise<void>;
}

/** One indexes, and the others search. */
const THREADS = 3;

/** After which a thread is let go. */
const IDLE_MS = 30_000;

/** After which a task is given up, and its thread ended. */
const WITHIN_MS = 60_000;

/** Threads start with the first task, and go when idle. */
export function createWordThreads(): WordThreads {
  let pool: Promise<Piscina> | undefined;
  let isClosed = false;

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

  return {
    async run(name, task) {
      if (isClosed) throw new BackEndUnavailable('the service is being stopped');
      pool ??= start().catch((error) => {
        // Whatever was in the way may be gone the next time.
        pool = undefined;
        throw error;
      });
      const signal = AbortSignal.timeout(WITHIN_MS);
      try {
        return await (await pool).run(task, { name, signal });
      } catch (error) {
        if (!isOfPool(error, signal)) throw error;
        throw new BackEndUnavailable(`a thread was ended (${error.message})`, { cause: error });
      }
    },
    async close() {
      isClosed = true;
      await (await pool?.catch(() => undefined))?.destroy();
    },
  };
}

/** Whether it is the thread that failed, not the task. */
function isOfPool(error: unknown, signal: AbortSignal): error is Error {
  return error instanceof Error && (signal.aborted || /worker|thread/i.test(error.message));
}
