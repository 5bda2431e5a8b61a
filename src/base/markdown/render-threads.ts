import type { Piscina } from 'piscina';
import { BackEndUnavailable, TookTooLong } from '../errors.ts';
import { runMeasured, threadPool } from '../threads/thread-pool.ts';

/**
 * Result of a rendering. `too-costly` is the source's fault and may be stored under
 * `RENDERER_REVISION`. `busy` (queue full, machine too busy, or closed) and `failed` (our bug) must not be
 * stored.
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

/**
 * Creates worker threads that run tasks within limits of processor time and memory. They start with
 * the first task and end when idle. A thread that exceeds a limit is ended; the next task gets a new
 * one.
 *
 * @param options.workMs the limit of one task, in milliseconds of processor time
 */
export function createRenderThreads(options: {
  threads: number;
  workMs: number;
  idleMs: number;
  memoryMb: number;
  onFault: ((error: unknown) => void) | undefined;
}) {
  const closing = new AbortController();
  const module = new URL('./worker.js', import.meta.url).href;
  let pool: Promise<Piscina> | undefined;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const started = new Piscina({
      ...threadPool(options),
      resourceLimits: {
        maxOldGenerationSizeMb: options.memoryMb,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 4,
      },
    });
    started.on('error', (error) => options.onFault?.(error));
    started.on('message', (error) => options.onFault?.(error));
    return started;
  }

  return {
    async run<Result>({ name, source, more }: Task): Promise<RenderOutcome<Result>> {
      if (closing.signal.aborted) return { kind: 'busy' };
      try {
        pool ??= start().catch((error) => {
          // Later calls start a new pool.
          pool = undefined;
          throw error;
        });
        const call = { module, name, input: more === undefined ? source : [source, more] };
        const limits = { workMs: options.workMs, closing: closing.signal };
        const result = await runMeasured<Result | undefined>(await pool, call, limits);
        return result === undefined ? { kind: 'too-costly' } : { kind: 'rendered', result };
      } catch (error) {
        if (closing.signal.aborted) return { kind: 'busy' };
        if (error instanceof TookTooLong || isOutOfMemory(error)) return { kind: 'too-costly' };
        if (error instanceof BackEndUnavailable) return { kind: 'busy' };
        options.onFault?.(error);
        return { kind: 'failed' };
      }
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
