import { createFairQueue } from '../limits/fair-queue.ts';
import { createTaskThreads } from '../threads/task-threads.ts';
import * as functions from './text-thread.ts';

const HERE = { ...functions };

type Entry = typeof HERE;

/**
 * Merges, compares and edits texts, carries anchors through them and finds quotes of pages. Runs on
 * worker threads, so that large texts don't block the event loop. `key` identifies the user, such
 * as an account's id; keys take turns. Throws RATE_LIMITED if too much work of this key is queued.
 * Throws BackEndUnavailable if too much work of all keys is queued, if a task takes too long, and
 * after `close`.
 */
export interface TextThreads {
  run<Name extends keyof Entry>(
    key: string,
    name: Name,
    args: Parameters<Entry[Name]>[0],
  ): Promise<ReturnType<Entry[Name]>>;
  close(): Promise<void>;
}

/**
 * Texts up to this total, in UTF-16 code units, are handled on this thread: that is faster than
 * starting another.
 */
export const SMALL_TEXTS = 5_000;

/** One account can use at most one of the threads. */
const LIMITS = { running: 2, runningPerKey: 1, waiting: 256, waitingPerKey: 32 };
const WITHIN_MS = Object.fromEntries(Object.keys(HERE).map((name) => [name, 30_000])) as Record<
  keyof Entry,
  number
>;

/** Starts threads with the first large text and ends them when idle. */
export function createTextThreads(): TextThreads {
  const queue = createFairQueue(LIMITS);
  const threads = createTaskThreads<Entry>(new URL('./text-thread.js', import.meta.url), {
    threads: LIMITS.running,
    withinMs: WITHIN_MS,
  });
  return {
    async run(key, name, args) {
      const work = HERE[name] as (args: unknown) => ReturnType<Entry[typeof name]>;
      if (sizeOf(args) <= SMALL_TEXTS) return work(args);
      return queue.run(key, () => threads.run(name, args));
    },
    close: threads.close,
  };
}

/**
 * Adds up the lengths of all texts in the arguments. Each item of a list (an edit, an anchor)
 * counts the first text again, because an edit may copy it.
 */
function sizeOf([first, ...others]: readonly unknown[]): number {
  const texts = Array.isArray(first) ? first : [first];
  const text = texts.reduce<number>((sum, each) => sum + String(each).length, 0);
  return others.reduce<number>((sum, arg) => {
    if (typeof arg === 'string') return sum + arg.length;
    return Array.isArray(arg) ? sum + arg.length * text + JSON.stringify(arg).length : sum;
  }, text);
}
