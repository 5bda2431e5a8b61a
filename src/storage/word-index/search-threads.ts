import { TookTooLong } from '../../base/errors.ts';
import { createFairQueue } from '../../base/limits/fair-queue.ts';
import type { Excerpt, Marked } from '../../base/search/excerpt.ts';
import type { SearchQuery } from '../../base/search/search-query.ts';
import type { Excerptible } from '../../base/search/search-text.ts';
import { createTaskThreads } from '../../base/threads/task-threads.ts';
import type * as entry from './search-thread.ts';
import type { Divided, IndexableDocument, PhraseTexts } from './search-thread.ts';

/** Indexes texts and creates excerpts on threads, off the event loop. */
export interface SearchThreads {
  /**
   * Splits documents into words for the index.
   *
   * @throws TookTooLong if all documents together take too long; BackEndUnavailable
   */
  divide(documents: readonly IndexableDocument[]): Promise<Divided>;
  /**
   * Creates excerpts of texts that show what a query wants. Keys take turns (see
   * `fair-queue.ts`).
   *
   * @param key such as an account's id
   * @param load loads items with their texts. It is called when it is the key's turn, so that
   *   waiting searches have no texts in memory
   * @returns the items with their excerpts: a text's start if no word is found in time, or nothing
   *   if even that takes too long
   * @throws RATE_LIMITED if too many searches of this key are waiting; BackEndUnavailable; any error
   *   of `load`
   */
  excerpts<Item>(
    key: string,
    query: Marked,
    load: () => Promise<readonly [Item, Excerptible][]>,
  ): Promise<[Item, Excerpt][]>;
  /**
   * Keeps the items whose texts have the phrases of a query. Waits and loads as `excerpts` does.
   *
   * @returns the items, without those for which there was no time
   * @throws as `excerpts` does
   */
  withPhrases<Item>(
    key: string,
    query: SearchQuery,
    load: () => Promise<readonly (PhraseTexts & { item: Item })[]>,
  ): Promise<Item[]>;
  close(): Promise<void>;
}

/** Two for the indexer (`features/search/indexer.ts`) and two for searches. */
const THREADS = 4;

/** Limits of excerpt tasks. One account can use one of the two threads. */
const EXCERPTS = { running: 2, runningPerKey: 1, waiting: 256, waitingPerKey: 32 };

/** A safety net: tasks limit their own time (`search-thread.ts`). */
const WITHIN_MS = { divide: 10_000, excerpts: 5_000, phrases: 5_000 };

export function createSearchThreads(): SearchThreads {
  const module = new URL('./search-thread.js', import.meta.url);
  const threads = createTaskThreads<typeof entry>(module, {
    threads: THREADS,
    withinMs: WITHIN_MS,
  });
  const searches = createFairQueue(EXCERPTS);

  async function excerptsOf(query: Marked, texts: readonly Excerptible[]) {
    if (texts.length === 0) return [];
    try {
      return await threads.run('excerpts', { query, texts });
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
      return texts.map(() => ({ text: '', matches: [] }));
    }
  }

  async function phrasesIn(query: SearchQuery, documents: readonly PhraseTexts[]) {
    try {
      return await threads.run('phrases', { query, documents });
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
      return documents.map(() => false);
    }
  }

  return {
    divide: (documents) => threads.run('divide', documents),
    excerpts: (key, query, load) =>
      searches.run(key, async () => {
        const found = await load();
        const texts = found.map(([, text]) => text);
        const made = await excerptsOf(query, texts);
        return found.map(([item], index) => [item, made[index] as Excerpt]);
      }),
    withPhrases: (key, query, load) =>
      searches.run(key, async () => {
        const found = await load();
        if (found.length === 0) return [];
        const documents = found.map(({ names, text }) => ({ names, text }));
        const having = await phrasesIn(query, documents);
        return found.filter((_, index) => having[index]).map(({ item }) => item);
      }),
    close: () => threads.close(),
  };
}
