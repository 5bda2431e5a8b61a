import type { LastOwner } from '../../base/search/choose-next.ts';
import {
  type BackgroundLoop,
  type LoopState,
  startLoop,
} from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import type { SizeRange } from '../../core/outbox/search-pending-store.ts';
import { indexPending } from './search-index-service.ts';

/** Larger documents have their own lane, so that others never wait for one. */
const LARGE_BYTES = 64 * 1024;

/** Sizes of documents that are indexed in parallel, and how many are claimed at a time. */
const LANES: readonly { sizes: SizeRange; batch: number }[] = [
  { sizes: { above: -1, upTo: LARGE_BYTES }, batch: 512 },
  { sizes: { above: LARGE_BYTES, upTo: Number.POSITIVE_INFINITY }, batch: 1 },
];

/** How often the indexer looks for documents that other processes left. */
const EVERY_MS = 1_000;

/**
 * How long the indexer waits after a write of this process, to batch it with others: a portion costs
 * almost as much for one document as for a hundred. What was just written is found within 2 s.
 */
const GATHER_MS = 700;

/** Rest after a step, as a multiple of the step's duration, because requests come first. */
const REST_PER_WORK = { whileOthersWrite: 4, otherwise: 0.5 };

/** The longest such rest. */
const MAX_REST_MS = 1_000;

/** How long the indexer waits while a back end is down. */
const WHILE_AWAY_MS = 10_000;

export interface IndexerEvents {
  /** Called on failures; the indexer retries after a while. */
  onFailure(error: unknown): void;
  /**
   * Called with documents that took too long: only the beginning of their text can be found, or
   * only their name.
   */
  onCut(documentIds: string[]): void;
}

/** Indexes documents for search in the background. */
export function startIndexer(context: Context, events: IndexerEvents): BackgroundLoop {
  const lanes = LANES.map((lane) => startLane(context, lane, events));
  const wake = () => {
    for (const lane of lanes) lane.wake();
  };
  context.wakeIndexer = wake;
  return {
    wake,
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

function startLane(
  context: Context,
  { sizes, batch }: (typeof LANES)[number],
  { onFailure, onCut }: IndexerEvents,
): BackgroundLoop {
  let after = '';
  let lastOwner: LastOwner;

  /** Indexes some of the waiting documents. One that can't be indexed stays claimed for a while. */
  async function step({ isWoken }: LoopState): Promise<number | undefined> {
    const start = performance.now();
    const from = after;
    const found = await indexPending(context, batch, { sizes, after, lastOwner });
    if (found.cut.length > 0) onCut(found.cut);
    ({ after, lastOwner } = found);
    if (found.done === 0 && from === '' && after === '') return undefined;
    const worked = performance.now() - start;
    const restPerWork = REST_PER_WORK[isWoken() ? 'whileOthersWrite' : 'otherwise'];
    return Math.min(worked * restPerWork, MAX_REST_MS);
  }

  const times = { everyMs: EVERY_MS, gatherMs: () => GATHER_MS, whileAwayMs: WHILE_AWAY_MS };
  return startLoop({ step, ...times, onFailure });
}
