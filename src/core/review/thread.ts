export const THREAD_KINDS = ['comment', 'replacement', 'proposal'] as const;
export type ThreadKind = (typeof THREAD_KINDS)[number];

export const THREAD_STATES = ['open', 'resolved', 'accepted', 'rejected'] as const;
export type ThreadState = (typeof THREAD_STATES)[number];

/**
 * How certain a position is: a passage's `AnchorState`; `unverified` if only a script shows the
 * passage; `pending` if the position in the current text isn't known yet, which is never stored.
 */
export const PLACE_STATES = ['kept', 'changed', 'moved', 'gone', 'unverified', 'pending'] as const;
export type PlaceState = (typeof PLACE_STATES)[number];

/** The limits of comments and reviews, per document if not said otherwise. */
export const REVIEW_LIMITS = {
  openThreads: 500,
  threads: 5_000,
  commentsPerThread: 200,
  /** A comment, in bytes of UTF-8. */
  bodyBytes: 10 * 1024,
  /** A quote, in UTF-16 code units. */
  quote: 1_000,
  /** An element's path or a heading, in Unicode code points. */
  element: 1_000,
  /** A suggested replacement, in bytes of UTF-8. */
  replacementBytes: 100 * 1024,
  reviewers: 20,
  openProposals: 20,
  /** Closed proposals whose texts stay, so that they can be reopened. */
  closedProposals: 20,
  /** Threads that one request can accept, reject or resolve. */
  together: 100,
} as const;

/**
 * Which part of the limits of threads, proposals and comments somebody can take who can't edit the
 * document, so that there is room for others.
 */
export const SHARE_OF_ONE = 1 / 4;

/** Tells whether the text that a thread suggests is still stored; `true` for comments. */
export function hasItsText(thread: {
  kind: ThreadKind;
  replacement: string | null;
  /** The number of lines that a proposal adds; `null` if its text is gone. */
  added: number | null;
}): boolean {
  if (thread.kind === 'comment') return true;
  return (thread.kind === 'proposal' ? thread.added : thread.replacement) !== null;
}

/** How much of a suggested text the reading view shows, in UTF-16 code units. */
export const MAX_REPLACEMENT_SHOWN = 2_000;
