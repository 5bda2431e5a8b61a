import type { Piscina } from 'piscina';
import { BackEndUnavailable, TookTooLong } from '../errors.ts';
import type { Begun, Call } from './measured-thread.ts';

/**
 * How long a task may be under way on the clock, in ms, so that nobody waits for ever. It takes that
 * long only on a machine that has far too much to do, or whose disk hangs.
 */
const ON_THE_CLOCK_MS = 120_000;

/** How soon to look again whether a task has begun, or has used up its time. */
const LOOK_AGAIN_MS = 20;

/**
 * Returns the options of every thread pool (piscina): threads start with the first task and end
 * when idle. {@link runMeasured} runs tasks on them.
 *
 * @param size the maximum number of threads, and how long an idle one lives
 */
export function threadPool({ threads, idleMs }: { threads: number; idleMs: number }) {
  return {
    filename: new URL('./measured-thread.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    // With 'sync', idle threads block and delay their own garbage collection.
    atomics: 'disabled',
    recordTiming: false,
    // Keep secrets in the environment away from threads.
    env: {},
  } as const;
}

/**
 * Calls a function on the next free thread, and ends the thread if the call uses too much processor
 * time. Waiting doesn't count, neither for a thread nor for a processor that has other work: so
 * whether a call is within its limit depends on the call, not on the load.
 *
 * @param workMs the limit, in milliseconds of processor time
 * @param closing ends the call
 * @throws TookTooLong if the limit is exceeded; BackEndUnavailable if the machine is so busy that the
 *   call isn't done within two minutes; the error of `closing`; any error of the function
 */
export async function runMeasured<Result>(
  pool: Piscina,
  call: Call,
  { workMs, closing }: { workMs: number; closing?: AbortSignal },
): Promise<Result> {
  const begun: Begun = {
    thread: new Int32Array(new SharedArrayBuffer(4)),
    used: new Float64Array(new SharedArrayBuffer(8)),
  };
  const ended = new AbortController();
  const until = performance.now() + ON_THE_CLOCK_MS;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const left = workMs - (await usedMs(pool, begun));
    if (left <= 0) ended.abort(new TookTooLong(`${call.name} took more than ${workMs} ms`));
    else if (performance.now() > until) {
      ended.abort(new BackEndUnavailable(`${call.name} got no time on a busy machine`));
    } else if (!isOver) timer = setTimeout(look, Math.max(LOOK_AGAIN_MS, left));
  };
  let isOver = false;
  // No thread uses more processor time than passes on the clock.
  timer = setTimeout(look, workMs);
  const signal = closing ? AbortSignal.any([ended.signal, closing]) : ended.signal;
  try {
    return await pool.run({ ...call, begun }, { name: 'run', signal });
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Returns how much processor time a task has used so far, in ms. */
async function usedMs(pool: Piscina, begun: Begun): Promise<number> {
  const id = Atomics.load(begun.thread, 0);
  const thread = pool.threads.find(({ threadId }) => threadId === id);
  // The usage of a thread that has just ended can't be read.
  const usage = await thread?.cpuUsage().catch(() => undefined);
  return usage ? (usage.user + usage.system - (begun.used[0] ?? 0)) / 1_000 : 0;
}
