import { createHash } from 'node:crypto';
import type { Piscina } from 'piscina';
import { BackEndUnavailable } from '../errors.ts';
import { threadPool } from '../thread-pool.ts';
import { createTurns } from '../turns.ts';
import type { RenderedMarkdown } from './render.ts';

export { RENDERER_REVISION } from './revision.ts';

export interface MarkdownRendererOptions {
  /** Most that are rendered at once, each on a thread; one more looks for headings and titles. Default 2. */
  threads?: number;
  /** Longest a rendering may run, ms, not counting the start of its thread. Default 5,000. */
  deadlineMs?: number;
  /** Most sources that wait for a thread; above that the answer is `busy`. Default 64. */
  maxQueue?: number;
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

export interface MarkdownRenderer {
  /** Where there is no result, show the plain text. Never rejects. */
  renderOutcome(source: string): Promise<RenderOutcome<RenderedMarkdown>>;
  /** As `renderOutcome`; blocks carry `data-line`, the line of the source that they begin in. */
  previewOutcome(source: string): Promise<RenderOutcome<RenderedMarkdown>>;
  /**
   * Undefined without a heading, and where finding it is too costly.
   *
   * @throws BackEndUnavailable where nobody has looked: queue full, closed, or a fault of ours
   */
  firstHeading(source: string): Promise<string | undefined>;
  /** What an HTML document calls itself; undefined and throws as {@link firstHeading}. */
  htmlTitle(html: string): Promise<string | undefined>;
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
  // The pool's own queue would let the deadline run while a source waits. What is looked for is part of a
  // write, which should not have to wait for those who read.
  const waiting = options.maxQueue ?? 64;
  const toShow = createTurns({ atOnce: threads, waiting });
  const toFind = createTurns({ atOnce: 1, waiting });
  const refusals = createRefusals(options.refusalMs ?? 600_000);
  const closing = new AbortController();
  let pool: Promise<Piscina> | undefined;

  async function start(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const module = new URL('./worker.js', import.meta.url);
    const started = new Piscina({
      ...threadPool(module, { threads: threads + 1, idleMs: options.idleMs ?? 30_000 }),
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

  async function run<Result>(
    name: string,
    source: string,
    inTurn = toShow,
  ): Promise<RenderOutcome<Result>> {
    const key = digest(name, source);
    if (refusals.has(key)) return { kind: 'too-costly' };
    try {
      const outcome = await inTurn(() => runNow<Result>(name, source));
      if (outcome.kind === 'too-costly') refusals.add(key);
      return outcome;
    } catch (error) {
      // Too many wait already.
      if (error instanceof BackEndUnavailable) return { kind: 'busy' };
      throw error;
    }
  }

  async function runNow<Result>(name: string, source: string): Promise<RenderOutcome<Result>> {
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

  /** What is found is stored with a document, so that it must not depend on how busy we are. */
  async function find(name: 'heading' | 'title', source: string): Promise<string | undefined> {
    const outcome = await run<{ text: string | undefined }>(name, source, toFind);
    if (outcome.kind === 'rendered') return outcome.result.text;
    if (outcome.kind === 'too-costly') return undefined;
    throw new BackEndUnavailable(`Looking for a ${name}: ${outcome.kind}.`);
  }

  return {
    renderOutcome: (source) => run<RenderedMarkdown>('render', source),
    previewOutcome: (source) => run<RenderedMarkdown>('preview', source),
    firstHeading: (source) => find('heading', source),
    htmlTitle: (html) => find('title', html),
    async close() {
      closing.abort();
      await (await pool)?.destroy();
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function digest(name: string, source: string): string {
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
