/**
 * Returns the options of every thread pool (piscina): threads start with the first task and end
 * when idle.
 *
 * @param module whose functions they run, by name
 * @param size the maximum number of threads, and how long an idle one lives
 */
export function threadPool(module: URL, { threads, idleMs }: { threads: number; idleMs: number }) {
  return {
    filename: module.href,
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
