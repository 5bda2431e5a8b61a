import type { Context } from '../../context.ts';
import { BackEndUnavailable } from '../../errors.ts';
import type { LastOwner } from './choose-next.ts';
import { indexPending } from './search-index-service.ts';
import type { SizeRange } from './search-pending-store.ts';

/** Larger documents have a lane of their own, so that others never wait for one. */
const LARGE_BYTES = 64 * 1024;

/** Sizes of documents that are indexed in parallel, and how many are claimed at a time. */
const LANES: readonly { sizes: SizeRange; batch: number }[] = [
  { sizes: { above: -1, upTo: LARGE_BYTES }, batch: 64 },
  { sizes: { above: LARGE_BYTES, upTo: Number.POSITIVE_INFINITY }, batch: 1 },
];

/** How often the indexer looks for documents that other processes left. */
const EVERY_MS = 1_000;

/** How long the indexer waits after a write of this process, to batch it with others. */
const GATHER_MS = 50;

/** How much longer the indexer rests than it works, because requests come first. */
const REST_PER_WORK = { whileOthersWrite: 4, otherwise: 0.5 };

/** The longest such rest. */
const MAX_REST_MS = 1_000;

/** How long the indexer waits while a back end is down. */
const WHILE_AWAY_MS = 10_000;

export interface Indexer {
  /** Resolves after the current step. */
  stop(): Promise<void>;
}

export interface IndexerEvents {
  /** Called on failures; the indexer retries after a while. */
  onFailure(error: unknown): void;
  /** Called with documents that took too long: only the beginning of their text can be found. */
  onCut(documentIds: string[]): void;
}

export function startIndexer(context: Context, events: IndexerEvents): Indexer {
  const lanes = LANES.map((lane) => startLane(context, lane, events));
  context.wakeIndexer = () => {
    for (const lane of lanes) lane.wake();
  };
  return {
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

function startLane(
  context: Context,
  { sizes, batch }: (typeof LANES)[number],
  { onFailure, onCut }: IndexerEvents,
) {
  let stopped = false;
  let woken = false;
  let interrupt = () => {};
  let lastOwner: LastOwner;
  let resting: 'till-woken' | 'till-stopped' | undefined;

  async function rest(ms: number, till: 'till-woken' | 'till-stopped'): Promise<void> {
    if (stopped || (woken && till === 'till-woken')) return;
    resting = till;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    resting = undefined;
  }

  async function indexAll(): Promise<void> {
    let after = '';
    while (!stopped) {
      const start = performance.now();
      const from = after;
      const step = await indexPending(context, batch, { sizes, after, lastOwner });
      if (step.cut.length > 0) onCut(step.cut);
      ({ after, lastOwner } = step);
      if (step.done === 0 && from === '' && after === '') return;
      const worked = performance.now() - start;
      const restPerWork = REST_PER_WORK[woken ? 'whileOthersWrite' : 'otherwise'];
      woken = false;
      await rest(Math.min(worked * restPerWork, MAX_REST_MS), 'till-stopped');
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      try {
        await indexAll();
        await rest(EVERY_MS, 'till-woken');
        if (woken) await rest(GATHER_MS, 'till-stopped');
      } catch (error) {
        onFailure(error);
        // A document that can't be indexed stays claimed for a while, and others go on.
        const isAway = error instanceof BackEndUnavailable;
        await rest(isAway ? WHILE_AWAY_MS : EVERY_MS, 'till-stopped');
      }
    }
  }

  const running = run();
  return {
    wake() {
      woken = true;
      if (resting === 'till-woken') interrupt();
    },
    async stop() {
      stopped = true;
      interrupt();
      await running;
    },
  };
}
