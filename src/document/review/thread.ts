export const THREAD_KINDS = ['comment', 'replacement', 'proposal'] as const;
export type ThreadKind = (typeof THREAD_KINDS)[number];

export const THREAD_STATES = ['open', 'resolved', 'accepted', 'rejected'] as const;
export type ThreadState = (typeof THREAD_STATES)[number];

/** How sure a place is: of a passage of the text (`AnchorState`), or `unverified` if only a script shows it. */
export const PLACE_STATES = ['kept', 'changed', 'moved', 'gone', 'unverified'] as const;
export type PlaceState = (typeof PLACE_STATES)[number];

/** Limits of what people can say about one document. */
export const REVIEW_LIMITS = {
  openThreads: 500,
  threads: 5_000,
  commentsPerThread: 200,
  /** Of a comment, in bytes of UTF-8. */
  bodyBytes: 10 * 1024,
  /** Of a quote, in UTF-16 units. */
  quote: 1_000,
  /** Of an element's path, or a heading, in UTF-16 units. */
  element: 1_000,
  /** Of a suggested replacement, in bytes of UTF-8. */
  replacementBytes: 100 * 1024,
  reviewers: 20,
  openProposals: 20,
  /** Closed proposals of a document whose texts stay, so that they can be opened again. */
  closedProposals: 20,
  /** Threads accepted, rejected or resolved by one request. */
  together: 100,
} as const;

/** How much of a suggested text the reading view shows, in characters. */
export const MAX_REPLACEMENT_SHOWN = 2_000;
