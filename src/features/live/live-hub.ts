import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { type EventRow, listDocumentEvents } from '../../core/event/event-store.ts';
import { findFeedState } from '../../core/event/feed-store.ts';

/** The most events that one notice can name. More than that are the same news for a reader. */
const MAX_EVENTS = 50;

/** Someone who has a document open. */
export interface LiveReader {
  documentId: string;
  /** Tells the reader what happened. Checks first whether the reader still has access. */
  tell(events: readonly EventRow[]): Promise<void>;
  /** Ends the reader's connection, because the process stops. */
  stop(): void;
}

/** The readers of one document; `left` aborts when the last has left. */
interface Followed {
  readers: Set<LiveReader>;
  left: AbortController;
}

/** The readers of documents in this process. */
export interface LiveHub {
  /** @returns a function that removes the reader */
  add(reader: LiveReader): () => void;
}

/**
 * Creates the hub, which tells readers of each event of their document. One query per event and
 * document finds what happened, however many read it.
 *
 * @param onFailure called with faults, after which the next event is told as usual
 */
export function createLiveHub(context: Context, onFailure: (fault: unknown) => void): LiveHub {
  const followed = new Map<string, Followed>();
  context.feedWaiters.stopping.addEventListener('abort', () => {
    for (const { readers } of [...followed.values()]) {
      for (const reader of [...readers]) reader.stop();
    }
  });

  async function follow(documentId: string, { readers, left }: Followed): Promise<void> {
    const wait = () => context.feedWaiters.next([`document:${documentId}`], left.signal);
    let next = wait();
    try {
      let { position } = await findFeedState(context.sql.read);
      while (await next) {
        // Waits again before it reads, so that it misses nothing.
        next = wait();
        const stretch = { after: position, limit: MAX_EVENTS };
        const events = await listDocumentEvents(context.sql.read, [documentId], stretch);
        position = events.at(-1)?.position ?? position;
        if (events.length > 0) await tellAll(readers, events);
      }
    } catch (fault) {
      onFailure(fault);
    } finally {
      if (followed.get(documentId)?.readers === readers) followed.delete(documentId);
      for (const reader of [...readers]) reader.stop();
    }
  }

  async function tellAll(all: ReadonlySet<LiveReader>, events: readonly EventRow[]): Promise<void> {
    await Promise.all(
      Array.from(all, (reader) =>
        reader.tell(events).catch((fault: unknown) => {
          if (!(fault instanceof ServiceError)) onFailure(fault);
          reader.stop();
        }),
      ),
    );
  }

  return {
    add(reader) {
      const { documentId } = reader;
      const known = followed.get(documentId);
      const { readers, left } = known ?? { readers: new Set(), left: new AbortController() };
      readers.add(reader);
      if (!known) {
        followed.set(documentId, { readers, left });
        void follow(documentId, { readers, left });
      }
      return () => {
        readers.delete(reader);
        if (readers.size > 0) return;
        left.abort();
        if (followed.get(documentId)?.readers === readers) followed.delete(documentId);
      };
    },
  };
}
