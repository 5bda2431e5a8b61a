import { isInsider, type Standing } from '../document/access-rules.ts';

/** When a document was last opened to more readers who see its threads. */
export interface Opening {
  /** ISO 8601. */
  at: string;
  /** The version that created the text of that time. */
  version: number;
}

/** Which of a document's threads, comments and reviews someone sees. */
export interface Sight {
  /** Someone always sees what they wrote themselves. */
  accountId: string;
  /** They see nothing from before; `null` if they see everything. */
  opening: Opening | null;
}

/** The sight of the service itself, which counts, carries and erases all threads. */
export const EVERYTHING: Sight = { accountId: '', opening: null };

/**
 * Returns what someone sees. Insiders see everything. What others see begins when the document was
 * opened to them, because no one wrote earlier texts for them.
 *
 * @param opening the document's, or `null` if everything is shown to readers
 */
export function sightOf(standing: Standing, opening: Opening | null): Sight {
  return { accountId: standing.actorId, opening: isInsider(standing) ? null : opening };
}

/** Who wrote something, and when. */
interface Written {
  accountId: string | null;
  createdAt: string;
}

/** A thread, as far as it matters who sees it. */
export type ThreadOrigin = Written & {
  /** The version that it quotes. */
  madeVersion: number;
};

/** Tells whether someone sees the text of a comment, a review or a request for one. */
export function isTextInSight({ accountId, opening }: Sight, written: Written): boolean {
  if (opening === null || written.accountId === accountId) return true;
  return written.createdAt >= opening.at;
}

/**
 * Tells whether someone sees a thread. Insiders can quote older texts later, so its time alone isn't
 * enough. In SQL, `threads` in `thread-store.ts` decides the same.
 */
export function isThreadInSight(sight: Sight, thread: ThreadOrigin): boolean {
  const { accountId, opening } = sight;
  if (!isTextInSight(sight, thread)) return false;
  if (opening === null || thread.accountId === accountId) return true;
  return thread.madeVersion >= opening.version;
}

/** What decides whether people who aren't insiders see threads. */
export interface Openness {
  isPublic: boolean;
  /** Whether every signed-in reader sees them. */
  forReaders: boolean;
  /** Whether there is a secret link, and whether there is one that allows commenting. */
  links: { any: boolean; comment: boolean };
}

/** Tells whether anyone who isn't an insider sees threads. */
export function isOpenToReaders({ isPublic, forReaders, links }: Openness): boolean {
  return links.comment || (forReaders && (isPublic || links.any));
}
