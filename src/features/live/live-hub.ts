import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { type EventRow, listDocumentEvents } from '../../core/event/event-store.ts';
import { findFeedState } from '../../core/event/feed-store.ts';
import { findLive } from '../../core/live/live-store.ts';
import { typedState } from '../../core/live/typed-service.ts';
import { findRevisionOfText } from '../../core/revision/revision-store.ts';

/** The most events that one notice can name. More than that are the same news for a reader. */
const MAX_EVENTS = 50;

/**
 * How often readers are told that somebody is typing, at most, in ms; and for how many of them, because
 * each then asks for the text.
 */
const TYPED_EVERY_MS = 1_000;
const MS_PER_READER = 5;

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
  /** Tells the reader how far somebody has typed ({@link typedState}). Checks the access, too. */
  tellTyped?(state: string | null): Promise<void>;
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
  /** How far somebody has typed, as they were told; whether there may be more, and is being told. */
  told: string | null;
  isTyped: boolean;
  isTelling: boolean;
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
  /** Tells readers of a document that its list of changes is another: at once, then once a second. */
  typed(documentId: string): void;
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
    const readers = new Set<LiveReader>();
    const typed = { told: null, isTyped: false, isTelling: false };
    const following: Followed = { readers, left, position, saved: 0, ...typed };
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
        if (news.length > 0) await tellAll(readers, (reader) => reader.tell(news));
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
    // A list that has just begun has saved nothing.
    if (!live || live.textNumber === 0 || live.textVersion <= following.saved) return;
    const { textVersion: version } = live;
    const written = await findRevisionOfText(context.sql.read, documentId, version);
    if (!written || version <= following.saved) return;
    // Only now, because the event is not told of what has been.
    following.saved = version;
    const event = { ...written, type: 'revision.created' } as const;
    await tellAll(following.readers, (reader) => reader.tell([event]));
  }

  async function tellTyped(documentId: string, following: Followed): Promise<void> {
    const { readers, left } = following;
    following.isTelling = true;
    try {
      while (following.isTyped && readers.values().some((reader) => reader.tellTyped)) {
        following.isTyped = false;
        const state = typedState(await findLive(context.sql.read, documentId));
        if (state === following.told) return;
        following.told = state;
        await tellAll(readers, async (reader) => reader.tellTyped?.(state));
        const wait = Math.max(TYPED_EVERY_MS, readers.size * MS_PER_READER);
        await pause(wait, undefined, { ref: false, signal: left.signal });
      }
    } catch (fault) {
      if (!left.signal.aborted) onFailure(fault);
    } finally {
      following.isTelling = false;
    }
  }

  async function tellAll(
    all: ReadonlySet<LiveReader>,
    tell: (reader: LiveReader) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      Array.from(all, (reader) =>
        tell(reader).catch((fault: unknown) => {
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
    typed(documentId) {
      const following = followed.get(documentId);
      if (!following) return;
      following.isTyped = true;
      if (!following.isTelling) void tellTyped(documentId, following);
    },
    check(documentId) {
      const following = followed.get(documentId);
      if (following) void tellAll(following.readers, (reader) => reader.tell([])).catch(onFailure);
    },
    documentIds: () => followed,
  };
}
