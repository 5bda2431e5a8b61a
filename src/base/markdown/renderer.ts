import { createHash } from 'node:crypto';
import { BackEndUnavailable, ServiceError } from '../errors.ts';
import { createFairQueue, type FairQueue } from '../limits/fair-queue.ts';
import type { Kind } from '../schema/kind.ts';
import type { Range } from '../text/port.ts';
import type { QuoteSearch } from '../text/quote-search.ts';
import type { Given, Replacement } from '../text/replacement.ts';
import { findWarnings, type Warning, type Written } from '../warnings/warnings.ts';
import { createLateRenderings } from './late-renderings.ts';
import type { BriefQuote, RenderedRange } from './quotes.ts';
import type { Reference } from './reference.ts';
import type { RenderedMarkdown, RenderOptions } from './render.ts';
import { createRenderThreads, type RenderOutcome, type Task } from './render-threads.ts';
import type { SourceLine } from './unseen-lines.ts';

/** Texts up to this length are read for warnings without a thread: it takes 2 ms. UTF-16 units. */
const MAX_READ_AT_ONCE = 8_192;

/**
 * References of texts up to this length are found without a thread: waking one takes longer, and of
 * the costliest texts each takes less than 10 ms. UTF-16 units.
 */
const MAX_PARSED_AT_ONCE = 4_096;

const REMEMBERED = 512;

/** Remembers sources that were too costly, so that viewing a hostile one again costs nothing. */
function createRefusals(lastingMs: number) {
  const until = new Map<string, number>();
  return {
    has(task: Task): boolean {
      const key = digest(task);
      const end = until.get(key);
      if (end === undefined) return false;
      if (end > performance.now()) return true;
      until.delete(key);
      return false;
    },
    add(task: Task): void {
      until.set(digest(task), performance.now() + lastingMs);
      const [oldest] = until.keys();
      if (until.size > REMEMBERED && oldest !== undefined) until.delete(oldest);
    },
  };
}

function digest({ name, source }: Task): string {
  return `${name} ${createHash('sha256').update(source).digest('base64')}`;
}

/** Characters that may be markup, part of a link, or the heading's closing sequence. */
const PLAIN = /^\s*#{1,6}[ \t]+([^\\`*_[\]<>&!$~^#%@/|\p{Cc}]{1,200})(?:\r?\n|$)/u;

/**
 * Returns the heading that a Markdown text begins with, if it is plain text: then it is what
 * `firstHeading` returns. Most texts begin like this, and parsing takes a worker thread.
 */
function plainHeading(source: string): string | undefined {
  // Four spaces before a heading make it code.
  if (/^(?:[ \t]*\r?\n)*(?: {4}| {0,3}\t)/.test(source)) return undefined;
  const text = PLAIN.exec(source)?.[1]?.replace(/\s+/g, ' ').trim();
  return text || undefined;
}

/** How much of a brief to search for its title, in UTF-16 code units. */
const TITLE_WITHIN = 16 * 1024;

/** Returns the first lines of a text, where its title is looked for. */
function beginningOf(source: string): string {
  if (source.length <= TITLE_WITHIN) return source;
  const end = source.lastIndexOf('\n', TITLE_WITHIN);
  return source.slice(0, end > 0 ? end : TITLE_WITHIN).toWellFormed();
}

/** Matches text that can contain a heading of either form, or front matter. */
const CAN_HAVE_TITLE = /#|^[ \t>]*(?:=+|-+)[ \t]*\r?$/m;

/** Tells whether a text may have a heading or front matter; `false` saves parsing it. */
function canHaveTitle(source: string): boolean {
  return CAN_HAVE_TITLE.test(source);
}

/** How much text of rendered comments to cache, Markdown and HTML, in UTF-16 code units. */
const CACHED_LENGTH = 2_000_000;

/** Caches rendered comments, because every reader of a document gets all of them. */
function createCommentCache() {
  const htmlOf = new Map<string, string>();
  let length = 0;
  const forget = (key: string) => {
    length -= key.length + (htmlOf.get(key) ?? '').length;
    htmlOf.delete(key);
  };
  const keyOf = (base: string, body: string) => `${base}\n${body}`;
  return {
    get(base: string, body: string): string | undefined {
      const key = keyOf(base, body);
      const html = htmlOf.get(key);
      if (html === undefined) return undefined;
      // Moves the comment to the end; the least recently used comes first.
      htmlOf.delete(key);
      htmlOf.set(key, html);
      return html;
    },
    add(base: string, body: string, html: string): void {
      const key = keyOf(base, body);
      if (htmlOf.has(key)) return;
      htmlOf.set(key, html);
      length += key.length + html.length;
      for (const oldest of htmlOf.keys()) {
        if (length <= CACHED_LENGTH) return;
        forget(oldest);
      }
    },
  };
}

export interface MarkdownRendererOptions {
  /**
   * Threads that render. As many again find headings, titles, quotes, blocks and ranges. Of each
   * group, one key uses at most all but one, and at least one. Default 2.
   */
  threads?: number;
  /** Limit of one task, in ms of its thread's processor time. Default 5,000. */
  workMs?: number;
  /** How long to let a reader wait for what is shown, in ms. Default 8,000. */
  patienceMs?: number;
  /** Longest queue of each group of threads. Default 256. */
  maxQueue?: number;
  /** Most queued sources of one key, in each group. Default 64. */
  maxQueuePerKey?: number;
  /** Idle time after which a thread ends, in ms. Default 30,000. */
  idleMs?: number;
  /** Heap of one thread, in MiB. Default 256, twice what ordinary documents of 900 KB need. */
  memoryMb?: number;
  /** How long a source that was too costly is refused without trying, in ms. Default 600,000. */
  refusalMs?: number;
  /** Called on failures other than limits: bugs in the renderer. */
  onFault?: (error: unknown) => void;
}

/** `key` identifies the user, such as an account's id: keys take turns (see `fair-queue.ts`). */
export interface MarkdownRenderer {
  /**
   * Renders a source. Without a result, show the plain text. `busy` after `patienceMs`, but the work
   * goes on: who asks again within a minute has the result. Never rejects.
   */
  renderOutcome(
    key: string,
    source: string,
    options?: RenderOptions,
  ): Promise<RenderOutcome<RenderedMarkdown>>;
  /** Like `renderOutcome`, but adds `data-line`, the source line, to blocks. */
  previewOutcome(
    key: string,
    source: string,
    options?: RenderOptions,
  ): Promise<RenderOutcome<RenderedMarkdown>>;
  /** Renders comments. Show those without a result as plain text. Never rejects. */
  renderComments(
    key: string,
    bodies: readonly string[],
    options?: RenderOptions,
  ): Promise<(string | undefined)[]>;
  /**
   * Finds the first heading; undefined if there is none or finding it costs too much.
   *
   * @throws RATE_LIMITED if too many sources of this key wait; BackEndUnavailable if too many of
   *   all keys wait, after `close`, and after a bug
   */
  firstHeading(key: string, source: string): Promise<string | undefined>;
  /**
   * Finds the title of a brief for lists: the first heading near its beginning, or the front
   * matter's title; `undefined` if there is none or the renderer is too busy. Never rejects.
   */
  briefTitle(key: string, source: string): Promise<string | undefined>;
  /** Finds an HTML document's title. Undefined and throws like {@link firstHeading}. */
  htmlTitle(key: string, html: string): Promise<string | undefined>;
  /** Finds a quote in a brief; `none` if that costs too much. Throws like {@link firstHeading}. */
  findQuote(key: string, source: string, quote: BriefQuote): Promise<QuoteSearch>;
  /**
   * Fits a replacement into a brief (`fitInBrief`). Returns it as it is if that costs too much.
   * Throws like {@link firstHeading}.
   */
  fitReplacement(key: string, source: string, given: Given): Promise<Replacement | undefined>;
  /** Returns the source of the block with a `data-line`. Throws like {@link firstHeading}. */
  blockAt(key: string, source: string, line: number): Promise<Range | undefined>;
  /**
   * Returns where passages of the source are shown; `undefined` for those that aren't, and for all
   * if that costs too much. Throws like {@link firstHeading}.
   */
  renderedRanges(
    key: string,
    source: string,
    ranges: readonly Range[],
  ): Promise<(RenderedRange | undefined)[]>;
  /**
   * Returns the lines that a brief's readers don't see; `undefined` if that costs too much. Throws
   * like {@link firstHeading}.
   */
  unseenLines(key: string, source: string): Promise<SourceLine[] | undefined>;
  /** Finds what a text's writer should know; nothing if that costs too much now. Never rejects. */
  warningsAbout(key: string, text: string, written: Written): Promise<Warning[]>;
  /**
   * Finds the references of a text (`referencesIn`); `undefined` if that costs too much.
   * Throws like {@link firstHeading}.
   */
  references(
    key: string,
    text: string,
    kind: Kind,
    own?: readonly string[],
  ): Promise<Reference[] | undefined>;
  /**
   * Rewrites references of a text (`rewriteReferences`).
   *
   * @param addresses for each of {@link references} its new address, or `undefined` to leave it
   * @returns `undefined` if that costs too much. Throws like {@link firstHeading}
   */
  rewriteReferences(
    key: string,
    text: string,
    kind: Kind,
    addresses: readonly (string | undefined)[],
    own?: readonly string[],
  ): Promise<string | undefined>;
  /** Ends all threads. Running, queued and later calls act as if the renderer were busy. */
  close(): Promise<void>;
}

/**
 * Renders Markdown on worker threads, off the event loop and within limits. Only work counts, not
 * waiting, so a busy machine makes nothing too costly.
 */
export function createMarkdownRenderer(options: MarkdownRendererOptions = {}): MarkdownRenderer {
  const threads = options.threads ?? 2;
  // Not the pool's own queue, because it knows no keys. Finding has its own share of the threads, so
  // that writes don't wait for readers.
  const limits = {
    running: threads,
    runningPerKey: Math.max(1, threads - 1),
    waiting: options.maxQueue ?? 256,
    waitingPerKey: options.maxQueuePerKey ?? 64,
  };
  const toShow = createFairQueue(limits);
  const toFind = createFairQueue(limits);
  const refusals = createRefusals(options.refusalMs ?? 600_000);
  const comments = createCommentCache();
  const late = createLateRenderings(options.patienceMs ?? 8_000);
  const pool = createRenderThreads({
    threads: 2 * threads,
    workMs: options.workMs ?? 5_000,
    idleMs: options.idleMs ?? 30_000,
    memoryMb: options.memoryMb ?? 256,
    onFault: options.onFault,
  });

  /** @throws the queue's errors if it is full */
  async function run<Result>(
    queue: FairQueue,
    key: string,
    task: Task,
  ): Promise<RenderOutcome<Result>> {
    if (refusals.has(task)) return { kind: 'too-costly' };
    const outcome = await queue.run(key, () => pool.run<Result>(task));
    if (outcome.kind === 'too-costly') refusals.add(task);
    return outcome;
  }

  async function show<Result>(
    name: 'render' | 'preview' | 'comments',
    key: string,
    source: string,
    options: RenderOptions = {},
  ): Promise<RenderOutcome<Result>> {
    const task = { name, source, more: options };
    try {
      const id = `${key} ${digest(task)} ${JSON.stringify(options)}`;
      return await late(id, () => run<Result>(toShow, key, task));
    } catch (error) {
      const isFull = error instanceof BackEndUnavailable || error instanceof ServiceError;
      if (isFull) return { kind: 'busy' };
      throw error;
    }
  }

  /** Throws instead of returning nothing: the result is stored, so it must not depend on load. */
  async function find<Result>(key: string, task: Task): Promise<Result | undefined> {
    const outcome = await run<Result>(toFind, key, task);
    if (outcome.kind === 'rendered') return outcome.result;
    if (outcome.kind === 'too-costly') return undefined;
    throw new BackEndUnavailable(`Looking for a ${task.name}: ${outcome.kind}.`);
  }

  async function findText(name: 'heading' | 'title', key: string, source: string) {
    return (await find<{ text: string | undefined }>(key, { name, source }))?.text;
  }

  return {
    renderOutcome: (key, source, options) => show('render', key, source, options),
    previewOutcome: (key, source, options) => show('preview', key, source, options),
    async renderComments(key, bodies, options = {}) {
      const { base = '', formers = [] } = options;
      const place = [base, ...formers.map(({ from, to }) => `${from} ${to}`)].join(' ');
      const found = new Map(bodies.map((body) => [body, comments.get(place, body)]));
      const missing = [...found.keys()].filter((body) => found.get(body) === undefined);
      if (missing.length > 0) {
        const outcome = await show<(string | null)[]>(
          'comments',
          key,
          JSON.stringify(missing),
          options,
        );
        const rendered = outcome.kind === 'rendered' ? outcome.result : [];
        for (const [index, body] of missing.entries()) {
          const html = rendered[index] ?? undefined;
          found.set(body, html);
          if (html !== undefined) comments.add(place, body, html);
        }
      }
      return bodies.map((body) => found.get(body));
    },
    firstHeading: (key, source) => findText('heading', key, source),
    async briefTitle(key, source) {
      const beginning = beginningOf(source);
      if (!canHaveTitle(beginning)) return undefined;
      const plain = plainHeading(beginning);
      if (plain !== undefined) return plain;
      // A write must not fail because of its title. Without one, lists show the name.
      return findText('heading', key, beginning).catch((error) => {
        if (error instanceof BackEndUnavailable || error instanceof ServiceError) return undefined;
        throw error;
      });
    },
    htmlTitle: (key, html) => findText('title', key, html),
    async findQuote(key, source, quote) {
      const found = await find<QuoteSearch>(key, { name: 'quote', source, more: quote });
      return found ?? { problem: 'none', count: 0 };
    },
    async fitReplacement(key, source, given) {
      const task = { name: 'fitted', source, more: given };
      const found = await find<{ fitted?: Replacement }>(key, task);
      return found ? found.fitted : given;
    },
    async blockAt(key, source, line) {
      const found = await find<{ range?: Range }>(key, { name: 'block', source, more: line });
      return found?.range;
    },
    async renderedRanges(key, source, ranges) {
      const task = { name: 'ranges', source, more: ranges };
      const found = await find<(RenderedRange | undefined)[]>(key, task);
      return found ?? ranges.map(() => undefined);
    },
    async warningsAbout(key, text, written) {
      if (text.length <= MAX_READ_AT_ONCE) return findWarnings(text, written);
      try {
        return (
          (await find<Warning[]>(key, { name: 'warnings', source: text, more: written })) ?? []
        );
      } catch (error) {
        if (error instanceof BackEndUnavailable || error instanceof ServiceError) return [];
        throw error;
      }
    },
    unseenLines: (key, source) => find<SourceLine[]>(key, { name: 'unseen', source }),
    async references(key, text, kind, own) {
      if (!/[[<]/.test(text)) return [];
      if (text.length <= MAX_PARSED_AT_ONCE) {
        // The parser takes a while to load.
        const { referencesIn } = await import('./references.ts');
        return referencesIn(text, kind, own);
      }
      return find<Reference[]>(key, { name: 'references', source: text, more: { kind, own } });
    },
    rewriteReferences: (key, text, kind, addresses, own) =>
      find<string>(key, { name: 'rewritten', source: text, more: { kind, addresses, own } }),
    close: () => pool.close(),
  };
}
