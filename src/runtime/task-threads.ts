import type { Piscina } from 'piscina';
import { BackEndUnavailable, TookTooLong } from '../errors.ts';
import { threadPool } from './thread-pool.ts';

/** After this long without work a thread is let go. */
const IDLE_MS = 30_000;

/** What a module of tasks exports: functions of one argument. */
type Tasks = Record<string, (task: never) => unknown>;

/** Threads that run the functions of one module, by name. */
export interface TaskThreads<Entry extends Tasks> {
  /**
   * Runs a task on the next free thread. A thread that takes longer than its limit is ended; the next
   * task gets a new one.
   *
   * @throws TookTooLong; BackEndUnavailable when no thread can be started
   */
  run<Name extends keyof Entry & string>(
    name: Name,
    task: Parameters<Entry[Name]>[0],
  ): Promise<Awaited<ReturnType<Entry[Name]>>>;
  close(): Promise<void>;
}

/**
 * Threads start with the first task and go when idle.
 *
 * @param module the tasks
 * @param options.withinMs after which a task is given up and its thread ended
 */
export function createTaskThreads<Entry extends Tasks>(
  module: URL,
  { threads, withinMs }: { threads: number; withinMs: Record<keyof Entry & string, number> },
): TaskThreads<Entry> {
  let pool: Promise<Piscina> | undefined;
  let isClosed = false;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const started = new Piscina(threadPool(module, { threads, idleMs: IDLE_MS }));
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
        // The next task tries again.
        pool = undefined;
        throw error;
      });
      const signal = AbortSignal.timeout(withinMs[name]);
      try {
        return await (await pool).run(task, { name, signal });
      } catch (error) {
        if (signal.aborted) throw new TookTooLong(`${name}: took more than ${withinMs[name]} ms`);
        if (!isOfPool(error)) throw error;
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
function isOfPool(error: unknown): error is Error {
  return error instanceof Error && /worker|thread/i.test(error.message);
}
