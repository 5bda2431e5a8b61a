import type { Context } from '../../context.ts';
import { BackEndUnavailable } from '../../errors.ts';
import type { LastOwner } from './choose-next.ts';
import { indexPending } from './search-index-service.ts';
import type { SizeRange } from './search-pending-store.ts';

/** Documents above this have a lane of their own, so that others never wait for one of them. */
const LARGE_BYTES = 64 * 1024;

/** What is indexed side by side: which documents, and how many are claimed at a time. */
const LANES: readonly { sizes: SizeRange; batch: number }[] = [
  { sizes: { above: -1, upTo: LARGE_BYTES }, batch: 64 },
  { sizes: { above: LARGE_BYTES, upTo: Number.POSITIVE_INFINITY }, batch: 1 },
];

/** How often it looks for what other processes have left. */
const EVERY_MS = 1_000;

/** What it waits after a write of this process, for others to come with it. */
const GATHER_MS = 50;

/** How much longer it rests than it works while there is more to do: requests come first. */
const REST_PER_WORK = { whileOthersWrite: 4, otherwise: 0.5 };

/** The longest such rest. */
const MAX_REST_MS = 1_000;

/** What it waits while a back end is away. */
const WHILE_AWAY_MS = 10_000;

/** Indexes for searches what this process and others write. */
export interface Indexer {
  /** Resolves when it has finished what it was doing. */
  stop(): Promise<void>;
}

/** What the indexer reports. */
export interface IndexerEvents {
  /** Something failed; it goes on after a while. */
  onFailure(error: unknown): void;
  /** Documents took too long: only the beginning of their text is found. */
  onCut(documentIds: string[]): void;
}

/** Starts to index. */
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

  /** Goes through the waiting documents, again as long as there are any. */
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
        // One document that cannot be indexed keeps its claim for a while, and others go on.
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
