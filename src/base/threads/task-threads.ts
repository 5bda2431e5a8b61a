import type { Piscina } from 'piscina';
import { BackEndUnavailable } from '../errors.ts';
import { runMeasured, threadPool } from './thread-pool.ts';

/** How long an idle thread lives. */
const IDLE_MS = 30_000;

/** The exports of a task module: functions of one argument. */
type Tasks = Record<string, (task: never) => unknown>;

/** Threads that run the functions of a module. */
export interface TaskThreads<Entry extends Tasks> {
  /**
   * Runs a task on the next free thread. Ends a thread that exceeds its limit of processor time.
   *
   * @throws TookTooLong; BackEndUnavailable if no thread can be started, or the machine is too busy
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
 * @param options.withinMs the limit of each task, in milliseconds of processor time
 */
export function createTaskThreads<Entry extends Tasks>(
  module: URL,
  { threads, withinMs }: { threads: number; withinMs: Record<keyof Entry & string, number> },
): TaskThreads<Entry> {
  let pool: Promise<Piscina> | undefined;
  let isClosed = false;
  /** Why the last pool ended. */
  let fault: Error | undefined;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    fault = undefined;
    const started = new Piscina(threadPool({ threads, idleMs: IDLE_MS }));
    // If a thread cannot start, its task would wait for ever. The next task gets a new pool.
    started.on('error', (error) => {
      fault = error;
      pool = undefined;
      void started.destroy();
    });
    return started;
  }

  return {
    async run<Name extends keyof Entry & string>(
      name: Name,
      task: Parameters<Entry[Name]>[0],
    ): Promise<Awaited<ReturnType<Entry[Name]>>> {
      if (isClosed) throw new BackEndUnavailable('the service is stopping');
      pool ??= start().catch((error) => {
        // Retry with the next task.
        pool = undefined;
        throw error;
      });
      const call = { module: module.href, name, input: task };
      try {
        return await runMeasured(await pool, call, { workMs: withinMs[name] });
      } catch (error) {
        if (error instanceof BackEndUnavailable || !isThreadFailure(error)) throw error;
        const cause = fault ?? error;
        throw new BackEndUnavailable(`a thread was ended (${cause.message})`, { cause });
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
