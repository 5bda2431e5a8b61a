import { createFairQueue } from '../../base/limits/fair-queue.ts';
import { createTaskThreads } from '../../base/threads/task-threads.ts';
import type { Card } from '../../surfaces/web/card.ts';

/** Draws the images of links in a worker thread, and caches the most recently used ones. */
export interface Cards {
  /**
   * Returns a card as PNG.
   *
   * @param key the owner; owners take turns
   * @throws RATE_LIMITED if too many cards of the key are queued; BackEndUnavailable if too many of
   *   all are, or one takes too long
   */
  draw(key: string, card: Card): Promise<Uint8Array>;
  close(): Promise<void>;
}

type Entry = typeof import('./card-thread.ts');

/** The most cards to cache, about 30 KB each. */
const REMEMBERED = 200;

const LIMITS = { running: 1, waiting: 64, waitingPerKey: 16 };

/** Starts a thread with the first card and ends it when idle. */
export function createCards(): Cards {
  const queue = createFairQueue(LIMITS);
  const threads = createTaskThreads<Entry>(new URL('./card-thread.js', import.meta.url), {
    threads: LIMITS.running,
    withinMs: { draw: 10_000 },
  });
  /** Drawings by content, the last used one last. Concurrent requests share a drawing. */
  const drawn = new Map<string, Promise<Uint8Array>>();

  function draw(key: string, card: Card): Promise<Uint8Array> {
    const drawing = queue.run(key, () => threads.run('draw', card));
    drawing.catch(() => drawn.delete(contentOf(card)));
    return drawing;
  }

  return {
    draw(key, card) {
      const content = contentOf(card);
      const png = drawn.get(content) ?? draw(key, card);
      drawn.delete(content);
      drawn.set(content, png);
      const [oldest] = drawn.keys();
      if (drawn.size > REMEMBERED && oldest !== undefined) drawn.delete(oldest);
      return png;
    },
    close: threads.close,
  };
}

function contentOf({ title, byline }: Card): string {
  return JSON.stringify([title, byline]);
}
