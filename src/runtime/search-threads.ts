import type { Excerpt } from '../document/search/excerpt.ts';
import type { SearchQuery } from '../document/search/search-query.ts';
import type { Written } from '../document/search/search-text.ts';
import { TookTooLong } from '../errors.ts';
import { createFairQueue } from '../limits/fair-queue.ts';
import type * as entry from './search-thread.ts';
import type { Divided, IndexableDocument } from './search-thread.ts';
import { createTaskThreads } from './task-threads.ts';

/** Reads texts for searches on threads, off the event loop. */
export interface SearchThreads {
  /**
   * Divides documents into terms for the index.
   *
   * @throws TookTooLong when the documents together do; BackEndUnavailable
   */
  divide(documents: readonly IndexableDocument[]): Promise<Divided>;
  /**
   * Finds where the words of a query are in texts. Keys take turns (see `fair-queue.ts`).
   *
   * @param key whose search it is, such as an account's id
   * @returns one excerpt for each text: its beginning where there is no such word or finding it takes
   *   too long, and empty where even that does
   * @throws RATE_LIMITED when too many searches of this key wait; BackEndUnavailable
   */
  excerpts(key: string, query: SearchQuery, texts: readonly Written[]): Promise<Excerpt[]>;
  close(): Promise<void>;
}

/** Two index (`document/search/indexer.ts`), and two search. */
const THREADS = 4;

/** What is read for excerpts at once, and waits for that. One account has half of the threads. */
const EXCERPTS = { running: 2, runningPerKey: 1, waiting: 256, waitingPerKey: 32 };

/** Texts have budgets of their own (`search-thread.ts`), so this is for what nobody foresaw. */
const WITHIN_MS = { divide: 10_000, excerpts: 5_000 };

export function createSearchThreads(): SearchThreads {
  const module = new URL('./search-thread.js', import.meta.url);
  const threads = createTaskThreads<typeof entry>(module, {
    threads: THREADS,
    withinMs: WITHIN_MS,
  });
  const searches = createFairQueue(EXCERPTS);
  return {
    divide: (documents) => threads.run('divide', documents),
    async excerpts(key, query, texts) {
      try {
        return await searches.run(key, () => threads.run('excerpts', { query, texts }));
      } catch (error) {
        if (!(error instanceof TookTooLong)) throw error;
        return texts.map(() => ({ text: '', matches: [] }));
      }
    },
    close: () => threads.close(),
  };
}
