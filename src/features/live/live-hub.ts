import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { type EventRow, listDocumentEvents } from '../../core/event/event-store.ts';
import { findFeedState } from '../../core/event/feed-store.ts';
import { findLive } from '../../core/live/live-store.ts';
import { findRevisionOfText } from '../../core/revision/revision-store.ts';

/** The most events that one notice can name. More than that are the same news for a reader. */
const MAX_EVENTS = 50;

/** What has happened, as far as readers are told. */
export type LiveEvent = Pick<EventRow, 'type' | 'author' | 'via' | 'viaName' | 'version'> & {
  /** Its place in the feed, if it has one yet. */
  position?: number | null;
};

/** Someone who has a document open. */
export interface LiveReader {
  documentId: string;
  /**
   * Tells the reader what happened; nothing did if there are no events. Checks first whether the reader
   * still has access.
   */
  tell(events: readonly LiveEvent[]): Promise<void>;
  /** Ends the reader's connection, because the process stops. */
  stop(): void;
}

/** The readers of one document. */
interface Followed {
  readers: Set<LiveReader>;
  /** Aborts when the last has left. */
  left: AbortController;
  /** The feed's position after which they are told of events. */
  position: Promise<number>;
  /** The last revision of a sitting that readers were told of, before the sitting's event. */
  saved: number;
}

/** The readers of documents in this process. */
export interface LiveHub {
  /**
   * @returns a function that removes the reader, and what resolves once every later event is told; who
   *   then reads what there is has missed nothing
   */
  add(reader: LiveReader): { remove(): void; started: Promise<unknown> };
  /** Tells readers of a document that a sitting has a new revision; its event comes at the end. */
  saved(documentId: string): void;
  /** Checks the access of a document's readers, because it may have ended without an event. */
  check(documentId: string): void;
  /** Lists the documents that someone has open. */
  documentIds(): { readonly size: number; has(documentId: string): boolean };
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

  function begin(documentId: string): Followed {
    const left = new AbortController();
    const wait = () => context.feedWaiters.next([`document:${documentId}`], left.signal);
    // Waits before it reads the position, so that it misses nothing.
    const first = wait();
    const position = findFeedState(context.sql.read).then((feed) => feed.position);
    const following = { readers: new Set<LiveReader>(), left, position, saved: 0 };
    followed.set(documentId, following);
    void follow(documentId, following, first, wait);
    return following;
  }

  async function follow(
    documentId: string,
    following: Followed,
    first: Promise<boolean>,
    wait: () => Promise<boolean>,
  ): Promise<void> {
    const { readers } = following;
    let next = first;
    try {
      let position = await following.position;
      while (await next) {
        next = wait();
        const stretch = { after: position, limit: MAX_EVENTS };
        const events = await listDocumentEvents(context.sql.read, [documentId], stretch);
        position = events.at(-1)?.position ?? position;
        const news = events.filter(
          ({ type, version }) => type !== 'revision.created' || (version ?? 0) > following.saved,
        );
        if (news.length > 0) await tellAll(readers, news);
      }
    } catch (fault) {
      onFailure(fault);
    } finally {
      if (followed.get(documentId)?.readers === readers) followed.delete(documentId);
      for (const reader of [...readers]) reader.stop();
    }
  }

  async function tellSaved(documentId: string): Promise<void> {
    const following = followed.get(documentId);
    const live = following && (await findLive(context.sql.read, documentId));
    if (!live || live.textVersion <= following.saved) return;
    const { textVersion: version } = live;
    const written = await findRevisionOfText(context.sql.read, documentId, version);
    if (!written || version <= following.saved) return;
    // Only now, because the event is not told of what has been.
    following.saved = version;
    const { author, via, viaName } = written;
    await tellAll(following.readers, [
      { type: 'revision.created', author, via, viaName, version: written.version },
    ]);
  }

  async function tellAll(
    all: ReadonlySet<LiveReader>,
    events: readonly LiveEvent[],
  ): Promise<void> {
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
      const following = followed.get(documentId) ?? begin(documentId);
      const { readers, left, position } = following;
      readers.add(reader);
      return {
        started: position,
        remove() {
          readers.delete(reader);
          if (readers.size > 0) return;
          left.abort();
          if (followed.get(documentId)?.readers === readers) followed.delete(documentId);
        },
      };
    },
    saved: (documentId) => void tellSaved(documentId).catch(onFailure),
    check(documentId) {
      const following = followed.get(documentId);
      if (following) void tellAll(following.readers, []).catch(onFailure);
    },
    documentIds: () => followed,
  };
}
