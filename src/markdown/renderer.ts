import { createHash } from 'node:crypto';
import type { Piscina } from 'piscina';
import { BackEndUnavailable, ServiceError } from '../errors.ts';
import { createFairQueue, type FairQueue } from '../limits/fair-queue.ts';
import { threadPool } from '../runtime/thread-pool.ts';
import type { RenderedMarkdown } from './render.ts';

export { RENDERER_REVISION } from './revision.ts';

export interface MarkdownRendererOptions {
  /**
   * Most sources that are rendered at once, and most that are searched for a heading or title, each
   * on a thread. One key has at most all but one of either. Default 2.
   */
  threads?: number;
  /** Longest a rendering may run, ms, not counting the start of its thread. Default 5,000. */
  deadlineMs?: number;
  /** Most sources that wait to be rendered, and most that wait to be searched. Default 256. */
  maxQueue?: number;
  /** Most of either that wait for one key. Default 64. */
  maxQueuePerKey?: number;
  /** Idle time after which a thread is let go, ms. Default 30,000. */
  idleMs?: number;
  /** Heap of one thread, MiB. Default 256, which ordinary documents of 900 KB fit in twice. */
  memoryMb?: number;
  /** How long a source found too costly is remembered and refused at once, ms. Default 600,000. */
  refusalMs?: number;
  /** Told of failures that no limit explains: a fault in the renderer. */
  onFault?: (error: unknown) => void;
}

/**
 * What came of a rendering. `too-costly` is the source's own fault and may be stored under
 * `RENDERER_REVISION`; `busy` passes (queue full, or closed), `failed` is a fault of ours: neither
 * may be stored.
 */
export type RenderOutcome<Result> =
  | { kind: 'rendered'; result: Result }
  | { kind: 'too-costly' | 'busy' | 'failed' };

/** `key` says whose work it is, such as an account's id: keys take turns (see `fair-queue.ts`). */
export interface MarkdownRenderer {
  /** Where there is no result, show the plain text. Never rejects. */
  renderOutcome(key: string, source: string): Promise<RenderOutcome<RenderedMarkdown>>;
  /** As `renderOutcome`; blocks carry `data-line`, the line of the source that they begin in. */
  previewOutcome(key: string, source: string): Promise<RenderOutcome<RenderedMarkdown>>;
  /**
   * Finds the first heading. Undefined without one, and where finding it is too costly.
   *
   * @throws RATE_LIMITED when too many sources of this key are waiting; BackEndUnavailable when too
   *   many of all are, after `close`, and after a fault of ours
   */
  firstHeading(key: string, source: string): Promise<string | undefined>;
  /** Finds what an HTML document calls itself; undefined and throws as {@link firstHeading}. */
  htmlTitle(key: string, html: string): Promise<string | undefined>;
  /** Ends all threads. What still runs or waits is answered `busy`, and so is all that follows. */
  close(): Promise<void>;
}

const REMEMBERED_REFUSALS = 512;
const START_LIMIT_MS = 30_000;

/**
 * Renders Markdown on worker threads, off the event loop and within limits.
 *
 * Threads start with the first source (creating a renderer costs nothing) and go when idle. One
 * that runs past its deadline or out of memory is ended, and the next source gets a new one. A
 * source that waits is not charged for the wait.
 */
export function createMarkdownRenderer(options: MarkdownRendererOptions = {}): MarkdownRenderer {
  const deadlineMs = options.deadlineMs ?? 5_000;
  const threads = options.threads ?? 2;
  // The pool's own queue would let the deadline run while a source waits. Headings and titles are
  // part of writes, which should not wait for readers.
  const limits = {
    running: threads,
    runningPerKey: Math.max(1, threads - 1),
    waiting: options.maxQueue ?? 256,
    waitingPerKey: options.maxQueuePerKey ?? 64,
  };
  const toShow = createFairQueue(limits);
  const toFind = createFairQueue(limits);
  const refusals = createRefusals(options.refusalMs ?? 600_000);
  const closing = new AbortController();
  let pool: Promise<Piscina> | undefined;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const module = new URL('./worker.js', import.meta.url);
    const started = new Piscina({
      ...threadPool(module, { threads: 2 * threads, idleMs: options.idleMs ?? 30_000 }),
      resourceLimits: {
        maxOldGenerationSizeMb: options.memoryMb ?? 256,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 4,
      },
    });
    started.on('error', (error) => options.onFault?.(error));
    return started;
  }

  const within = (ms: number) => AbortSignal.any([AbortSignal.timeout(ms), closing.signal]);

  /** @throws what the queue throws when it is full */
  async function run<Result>(
    queue: FairQueue,
    key: string,
    task: { name: string; source: string },
  ): Promise<RenderOutcome<Result>> {
    const id = digest(task);
    if (refusals.has(id)) return { kind: 'too-costly' };
    const outcome = await queue.run(key, () => runNow<Result>(task));
    if (outcome.kind === 'too-costly') refusals.add(id);
    return outcome;
  }

  async function runNow<Result>(task: {
    name: string;
    source: string;
  }): Promise<RenderOutcome<Result>> {
    const { name, source } = task;
    if (closing.signal.aborted) return { kind: 'busy' };
    let deadline: AbortSignal | undefined;
    try {
      pool ??= start().catch((error) => {
        // Whatever was in the way may be gone the next time.
        pool = undefined;
        throw error;
      });
      const started = await pool;
      // A new thread takes a while, longer on a busy machine: no fault of the source's.
      await started.run('', { name: 'ready', signal: within(START_LIMIT_MS) });
      deadline = AbortSignal.timeout(deadlineMs);
      const signal = AbortSignal.any([deadline, closing.signal]);
      const result: Result | undefined = await started.run(source, { name, signal });
      if (result !== undefined) return { kind: 'rendered', result };
    } catch (error) {
      if (closing.signal.aborted) return { kind: 'busy' };
      if (!deadline?.aborted && !isOutOfMemory(error)) {
        options.onFault?.(error);
        return { kind: 'failed' };
      }
    }
    return { kind: 'too-costly' };
  }

  async function show(
    name: 'render' | 'preview',
    key: string,
    source: string,
  ): Promise<RenderOutcome<RenderedMarkdown>> {
    try {
      return await run(toShow, key, { name, source });
    } catch (error) {
      const isFull = error instanceof BackEndUnavailable || error instanceof ServiceError;
      if (isFull) return { kind: 'busy' };
      throw error;
    }
  }

  /** What is found is stored with a document, so it must not depend on how busy we are. */
  async function find(
    name: 'heading' | 'title',
    key: string,
    source: string,
  ): Promise<string | undefined> {
    const outcome = await run<{ text: string | undefined }>(toFind, key, { name, source });
    if (outcome.kind === 'rendered') return outcome.result.text;
    if (outcome.kind === 'too-costly') return undefined;
    throw new BackEndUnavailable(`Looking for a ${name}: ${outcome.kind}.`);
  }

  return {
    renderOutcome: (key, source) => show('render', key, source),
    previewOutcome: (key, source) => show('preview', key, source),
    firstHeading: (key, source) => find('heading', key, source),
    htmlTitle: (key, html) => find('title', key, html),
    async close() {
      closing.abort();
      await (await pool)?.destroy();
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function digest({ name, source }: { name: string; source: string }): string {
  return `${name} ${createHash('sha256').update(source).digest('base64')}`;
}

/** Sources lately found too costly, so that every view of a hostile one is not seconds of work. */
function createRefusals(lastingMs: number) {
  const until = new Map<string, number>();
  return {
    has(key: string): boolean {
      const end = until.get(key);
      if (end === undefined) return false;
      if (end > performance.now()) return true;
      until.delete(key);
      return false;
    },
    add(key: string): void {
      until.set(key, performance.now() + lastingMs);
      const [oldest] = until.keys();
      if (until.size > REMEMBERED_REFUSALS && oldest !== undefined) until.delete(oldest);
    },
  };
}
