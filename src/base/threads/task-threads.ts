import type { Piscina } from 'piscina';
import { BackEndUnavailable, TookTooLong } from '../errors.ts';
import { threadPool } from './thread-pool.ts';

/** How long an idle thread lives. */
const IDLE_MS = 30_000;

/** The exports of a task module: functions of one argument. */
type Tasks = Record<string, (task: never) => unknown>;

/** Threads that run the functions of a module. */
export interface TaskThreads<Entry extends Tasks> {
  /**
   * Runs a task on the next free thread. Ends a thread that exceeds its time limit.
   *
   * @throws TookTooLong; BackEndUnavailable if no thread can be started
   */
  run<Name extends keyof Entry & string>(
    name: Name,
    task: Parameters<Entry[Name]>[0],
  ): Promise<Awaited<ReturnType<Entry[Name]>>>;
  close(): Promise<void>;
}

/**
 * Creates threads, which start with the first task and end when idle.
 *
 * @param module the task module
 * @param options.withinMs the time limit of each task, including its wait for a thread
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
    // If a thread cannot start, its task would wait for ever. The next task gets a new pool.
    started.on('error', () => {
      pool = undefined;
      void started.destroy();
    });
    return started;
  }

  return {
    async run(name, task) {
      if (isClosed) throw new BackEndUnavailable('the service is stopping');
      pool ??= start().catch((error) => {
        // Retry with the next task.
        pool = undefined;
        throw error;
      });
      const signal = AbortSignal.timeout(withinMs[name]);
      try {
        return await (await pool).run(task, { name, signal });
      } catch (error) {
        if (signal.aborted) throw new TookTooLong(`${name} took more than ${withinMs[name]} ms`);
        if (!isThreadFailure(error)) throw error;
        throw new BackEndUnavailable(`a thread was ended (${error.message})`, { cause: error });
      }
    },
    async close() {
      isClosed = true;
      await (await pool?.catch(() => undefined))?.destroy();
    },
  };
}

/** Tells whether the thread failed, not the task. */
function isThreadFailure(error: unknown): error is Error {
  return error instanceof Error && /worker|thread/i.test(error.message);
}
