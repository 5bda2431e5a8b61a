export const VERDICTS = ['approved', 'changes_requested'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a document's reviews come to. */
export const REVIEW_STATES = [
  'none',
  'requested',
  'approved',
  'outdated',
  'changes_requested',
] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** The latest verdict of one person. */
export interface Judgement {
  accountId: string | null;
  version: number;
  verdict: Verdict;
  /** Whether it was given in the web app. */
  isByPerson: boolean;
}

export interface TextWrite {
  version: number;
  /** Who made the suggestions that it accepted; empty if it did anything else. */
  suggestedBy: readonly (string | null)[];
}

/**
 * Whether a verdict still holds for the current text: nothing was written since, except what accepts
 * suggestions of its giver.
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

/** Sums up the latest verdict of each person, and whether someone is still asked. */
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
 * Whether a protected document may become public: a person approved the current text in the web app, as an
 * admin or because they were asked, and nobody asks for changes of it.
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
