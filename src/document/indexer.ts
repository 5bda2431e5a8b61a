import type { Context } from '../context.ts';
import { indexPending } from './search-index-service.ts';

/** How many documents are claimed at a time. */
const BATCH = 64;

/** How often it looks for what other processes have left. */
const EVERY_MS = 1_000;

/** What it waits after a write of this process, for others to come with it. */
const GATHER_MS = 50;

/** How much longer it rests than it works while there is more to do: others come first. */
const REST_PER_WORK = { whileOthersWrite: 4, otherwise: 0.5 };

/** What it waits after a failure, as when a back end is away. */
const AFTER_FAILURE_MS = 10_000;

/** Indexes for searches whatever this process and others write. */
export interface Indexer {
  /** Resolves when it has ended what it was at. */
  stop(): Promise<void>;
}

/** Starts to index. @param onFailure told what went wrong; it goes on after a while */
export function startIndexer(context: Context, onFailure: (error: unknown) => void): Indexer {
  let stopped = false;
  let woken = false;
  let interrupt = () => {};
  let resting: 'till-woken' | 'till-stopped' | undefined;

  context.wakeIndexer = () => {
    woken = true;
    if (resting === 'till-woken') interrupt();
  };

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

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      try {
        while (!stopped) {
          const start = performance.now();
          if ((await indexPending(context, BATCH)) === 0) break;
          const worked = performance.now() - start;
          const restPerWork = REST_PER_WORK[woken ? 'whileOthersWrite' : 'otherwise'];
          woken = false;
          await rest(worked * restPerWork, 'till-stopped');
        }
        await rest(EVERY_MS, 'till-woken');
        if (woken) await rest(GATHER_MS, 'till-stopped');
      } catch (error) {
        onFailure(error);
        await rest(AFTER_FAILURE_MS, 'till-stopped');
      }
    }
  }

  const running = run();
  return {
    async stop() {
      stopped = true;
      interrupt();
      await running;
    },
  };
}
