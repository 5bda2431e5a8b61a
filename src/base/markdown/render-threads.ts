import type { Piscina } from 'piscina';
import { threadPool } from '../threads/thread-pool.ts';

/**
 * Result of a rendering. `too-costly` is the source's fault and may be stored under
 * `RENDERER_REVISION`. `busy` (queue full, or closed) and `failed` (our bug) must not be stored.
 */
export type RenderOutcome<Result> =
  | { kind: 'rendered'; result: Result }
  | { kind: 'too-costly' | 'busy' | 'failed' };

/** Work on a source. Its cost depends only on the source, not on its other arguments. */
export interface Task {
  name: string;
  source: string;
  more?: unknown;
}

const START_LIMIT_MS = 30_000;

/**
 * Creates worker threads that run tasks within limits of time and memory. They start with the first
 * task and end when idle. A thread that exceeds its deadline or memory is ended; the next task gets
 * a new one.
 */
export function createRenderThreads(options: {
  threads: number;
  deadlineMs: number;
  idleMs: number;
  memoryMb: number;
  onFault: ((error: unknown) => void) | undefined;
}) {
  const closing = new AbortController();
  let pool: Promise<Piscina> | undefined;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const module = new URL('./worker.js', import.meta.url);
    const started = new Piscina({
      ...threadPool(module, options),
      resourceLimits: {
        maxOldGenerationSizeMb: options.memoryMb,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 4,
      },
    });
    started.on('error', (error) => options.onFault?.(error));
    return started;
  }

  const untilClosed = (limit: AbortSignal) => AbortSignal.any([limit, closing.signal]);

  return {
    async run<Result>({ name, source, more }: Task): Promise<RenderOutcome<Result>> {
      if (closing.signal.aborted) return { kind: 'busy' };
      let deadline: AbortSignal | undefined;
      try {
        pool ??= start().catch((error) => {
          // Later calls start a new pool.
          pool = undefined;
          throw error;
        });
        const started = await pool;
        // A new thread starts slowly on a busy machine, which must not count against the source.
        const ready = untilClosed(AbortSignal.timeout(START_LIMIT_MS));
        await started.run('', { name: 'ready', signal: ready });
        deadline = AbortSignal.timeout(options.deadlineMs);
        const input = more === undefined ? source : [source, more];
        const signal = untilClosed(deadline);
        const result: Result | undefined = await started.run(input, { name, signal });
        if (result !== undefined) return { kind: 'rendered', result };
      } catch (error) {
        if (closing.signal.aborted) return { kind: 'busy' };
        if (!deadline?.aborted && !isOutOfMemory(error)) {
          options.onFault?.(error);
          return { kind: 'failed' };
        }
      }
      return { kind: 'too-costly' };
    },
    /** Ends all threads. Running and later tasks result in `busy`. */
    async close(): Promise<void> {
      closing.abort();
      await (await pool)?.destroy();
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
