/**
 * What every pool of threads is told (piscina): threads start with the first task, and go when idle.
 *
 * @param module whose functions they run, by name
 * @param size how many there are at once, at most, and after how long one without work is let go
 */
export function threadPool(module: URL, { threads, idleMs }: { threads: number; idleMs: number }) {
  return {
    filename: module.href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: idleMs,
    // A thread that waits asleep, as 'sync' has it, would hold back its own garbage collection.
    atomics: 'disabled',
    recordTiming: false,
    // A thread needs nothing from the environment, where the secrets are.
    env: {},
  } as const;
}
