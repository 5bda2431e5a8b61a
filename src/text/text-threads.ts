import type { Piscina } from 'piscina';
import { BackEndUnavailable } from '../errors.ts';
import { createFairQueue } from '../limits/fair-queue.ts';
import { threadPool } from '../runtime/thread-pool.ts';
import { compare, diff, edit, merge } from './text-thread.ts';

const HERE = { compare, diff, edit, merge };
type Entry = typeof HERE;

/**
 * Merges, compares and edits texts without holding up the event loop. `key` says whose work it is, such
 * as an account's id: keys take turns. All throw RATE_LIMITED when too much of this key waits, and
 * BackEndUnavailable when too much of all does, when a task takes too long, and after `close`.
 */
export interface TextThreads {
  run<Name extends keyof Entry>(
    key: string,
    name: Name,
    args: Parameters<Entry[Name]>[0],
  ): Promise<ReturnType<Entry[Name]>>;
  close(): Promise<void>;
}

/** Up to so many UTF-16 units in all, even hostile texts take less than a thread's start. */
export const SMALL_TEXTS = 5_000;

/** One account has at most one of the threads. */
const LIMITS = { running: 2, runningPerKey: 1, waiting: 256, waitingPerKey: 32 };
const IDLE_MS = 30_000;
const WITHIN_MS = 30_000;

/** Threads start with the first large text, and go when idle. */
export function createTextThreads(): TextThreads {
  const queue = createFairQueue(LIMITS);
  let pool: Promise<Piscina> | undefined;
  let isClosed = false;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const module = new URL('./text-thread.js', import.meta.url);
    const started = new Piscina(threadPool(module, { threads: LIMITS.running, idleMs: IDLE_MS }));
    // A thread that cannot start leaves its task waiting for ever. The next has a new pool.
    started.on('error', () => {
      pool = undefined;
      void started.destroy();
    });
    return started;
  }

  async function onThread(name: keyof Entry, args: readonly unknown[]) {
    if (isClosed) throw new BackEndUnavailable('the service is being stopped');
    pool ??= start();
    const signal = AbortSignal.timeout(WITHIN_MS);
    try {
      return await (await pool).run(args, { name, signal });
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      throw new BackEndUnavailable(`texts: ${name} failed (${cause})`, { cause: error });
    }
  }

  return {
    async run(key, name, args) {
      const work = HERE[name] as (args: unknown) => unknown;
      if (sizeOf(args) <= SMALL_TEXTS) return work(args) as ReturnType<Entry[typeof name]>;
      return queue.run(key, () => onThread(name, args));
    },
    async close() {
      isClosed = true;
      await (await pool?.catch(() => undefined))?.destroy();
    },
  };
}

/** How many UTF-16 units all texts in the arguments have. An edit costs its whole text once more. */
function sizeOf([first, ...others]: readonly unknown[]): number {
  const text = String(first).length;
  return others.reduce<number>((sum, arg) => {
    if (typeof arg === 'string') return sum + arg.length;
    return Array.isArray(arg) ? sum + arg.length * text + JSON.stringify(arg).length : sum;
  }, text);
}
