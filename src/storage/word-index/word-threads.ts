import type { Piscina } from 'piscina';
import { BackEndUnavailable } from '../../errors.ts';
import type * as entry from './word-thread.ts';

type Entry = typeof entry;

type ResultOf<Name extends keyof Entry> = Extract<
  ReturnType<Entry[Name]>,
  { result: unknown }
>['result'];

/** Threads that divide texts into words, so that nobody waits for it on the event loop. */
export interface WordThreads {
  /** @throws BackEndUnavailable */
  run<Name extends keyof Entry>(
    name: Name,
    task: Parameters<Entry[Name]>[0],
  ): Promise<ResultOf<Name>>;
  close(): Promise<void>;
}

/** One indexes, and one searches meanwhile. */
const THREADS = 2;

/** After which a thread is let go. */
const IDLE_MS = 30_000;

/** Threads start with the first task, and go when idle. */
export function createWordThreads(): WordThreads {
  let pool: Promise<Piscina> | undefined;
  return {
    async run(name, task) {
      pool ??= start();
      const outcome = await (await pool).run(task, { name });
      if ('unavailable' in outcome) throw new BackEndUnavailable(outcome.unavailable);
      return outcome.result;
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

async function start(): Promise<Piscina> {
  const { Piscina } = await import('piscina');
  return new Piscina({
    filename: new URL('./word-thread.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: IDLE_MS,
    // A thread that waits asleep, as 'sync' has it, would hold back its own garbage collection.
    atomics: 'disabled',
    recordTiming: false,
    // A thread needs nothing from the environment, where the secrets are.
    env: {},
  });
}
