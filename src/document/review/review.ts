export const VERDICTS = ['approved', 'changes_requested'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The states of a document's reviews. */
export const REVIEW_STATES = [
  'none',
  'requested',
  'approved',
  'outdated',
  'changes_requested',
] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** One person's latest verdict. */
export interface Judgement {
  accountId: string | null;
  version: number;
  verdict: Verdict;
  /** Whether it was given in the web app. */
  isByPerson: boolean;
}

export interface TextWrite {
  version: number;
  /** The authors of the suggestions that were accepted at this version; empty if there are none. */
  suggestedBy: readonly (string | null)[];
}

/**
 * Tells whether a verdict still holds for the current text: since then, writes have only accepted
 * suggestions of the reviewer.
 */
export function isFresh({ version, accountId }: Judgement, writes: readonly TextWrite[]): boolean {
  return writes
    .filter((write) => write.version > version)
    .every(
      ({ suggestedBy }) =>
        suggestedBy.length > 0 &&
        accountId !== null &&
        suggestedBy.every((author) => author === accountId),
    );
}

/**
 * Returns the state of a document's reviews.
 *
 * @param verdicts each person's latest verdict
 * @param isAsked whether someone hasn't answered a request yet
 */
export function reviewState(
  verdicts: readonly { verdict: Verdict; isFresh: boolean }[],
  isAsked: boolean,
): ReviewState {
  const fresh = verdicts.filter(({ isFresh }) => isFresh);
  if (fresh.some(({ verdict }) => verdict === 'changes_requested')) return 'changes_requested';
  if (fresh.length > 0) return 'approved';
  if (isAsked) return 'requested';
  return verdicts.some(({ verdict }) => verdict === 'approved') ? 'outdated' : 'none';
}

/**
 * Tells whether a protected document can become public: an admin or requested reviewer approved the
 * current text in the web app, and no one requests changes.
 *
 * @param mayApprove the accounts of admins and requested reviewers
 */
export function allowsPublishing(
  judgements: readonly (Judgement & { isFresh: boolean })[],
  mayApprove: ReadonlySet<string>,
): boolean {
  const fresh = judgements.filter((judgement) => judgement.isFresh);
  if (fresh.some(({ verdict }) => verdict === 'changes_requested')) return false;
  return fresh.some(
    ({ accountId, isByPerson }) => isByPerson && accountId !== null && mayApprove.has(accountId),
  );
}
