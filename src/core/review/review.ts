import type { Means } from '../../base/schema/means.ts';

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

/** A person's verdict. */
export interface Judgement {
  accountId: string | null;
  version: number;
  verdict: Verdict;
  /** Whether it was given in the web app. */
  isByPerson: boolean;
}

/** A write of a new text. */
export interface TextWrite {
  version: number;
  /**
   * The accounts that changed the text: the authors of the suggestions that it accepted, otherwise
   * its writer; and those who wrote it together with them. `null` for deleted accounts.
   */
  writers: readonly (string | null)[];
  /** The account whose approvals it leaves valid: see {@link seenByAccepting}. */
  seenBy: string | null;
  /** The version whose text it restores; `null` if it doesn't. */
  restoredFrom: number | null;
}

/**
 * Tells whether a verdict still holds for a text: since then, writes have only accepted suggestions
 * that the reviewer wrote and placed in the web app.
 *
 * @param writes the writes up to that text
 */
export function isFresh(
  { version, accountId }: Pick<Judgement, 'version' | 'accountId'>,
  writes: readonly TextWrite[],
): boolean {
  return writes
    .filter((write) => write.version > version)
    .every(({ seenBy }) => seenBy !== null && seenBy === accountId);
}

/** A suggestion, as far as it matters who has seen its words. */
interface Suggested {
  accountId: string | null;
  /** Who wrote its words, if somebody else, `accountId`, moved it. */
  wordsBy: string | null;
  /** The account that wrote and placed it in the web app; `null` if anything else was involved. */
  seenBy: string | null;
}

type Acting = { id: string; via: { means: Means } };

/** Returns who has seen a new suggestion in the web app: its author, if they wrote it there. */
export function seenByMaking({ id, via }: Acting): string | null {
  return via.means === 'web' ? id : null;
}

/**
 * Returns who a moved suggestion belongs to. It becomes the mover's, with the words of its writer, and only who wrote it in the
 * web app and moves it there has seen it as it is.
 */
export function afterMoving(suggested: Suggested, mover: Acting): Suggested {
  const { accountId, wordsBy, seenBy } = suggested;
  const writer = wordsBy ?? accountId;
  return {
    accountId: mover.id,
    wordsBy: writer === mover.id ? null : writer,
    seenBy: seenBy === seenByMaking(mover) ? seenBy : null,
  };
}

/** Returns the accounts that wrote a suggestion: its author, and whose words it has if it was moved. */
export function writersOf({
  accountId,
  wordsBy,
}: Pick<Suggested, 'accountId' | 'wordsBy'>): (string | null)[] {
  return wordsBy === null ? [accountId] : [accountId, wordsBy];
}

/**
 * Returns the account whose approvals remain valid after accepting suggestions: their common
 * author, if they were written, placed and accepted in the web app, and the author knows all that has
 * been written around them since.
 *
 * @param since the writes since the first of them was placed
 */
export function seenByAccepting(
  suggestions: readonly Pick<Suggested, 'seenBy'>[],
  { via }: Acting,
  since: readonly Pick<TextWrite, 'seenBy'>[],
): string | null {
  const [first] = suggestions;
  if (!first || via.means !== 'web') return null;
  const isTheirs = [...suggestions, ...since].every(({ seenBy }) => seenBy === first.seenBy);
  return isTheirs ? first.seenBy : null;
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

/** Everyone's verdicts up to a text, oldest first, all writes up to it, and whose approvals count. */
export interface Approvals {
  judgements: readonly Judgement[];
  writes: readonly TextWrite[];
  mayApprove: ReadonlySet<string>;
}

/**
 * Tells whether a text is approved: someone whose approval counts approved it in the web app, and
 * no one requests changes.
 *
 * @param twoPeople whether nothing may be left of {@link unapprovedParts} either
 */
export function isApproved(approvals: Approvals, twoPeople: boolean): boolean {
  const { judgements, writes } = approvals;
  const latest = latestOf(judgements);
  // A verdict given with a token doesn't replace one that was given in the web app.
  const standing = [...latest, ...latestOf(judgements.filter(({ isByPerson }) => isByPerson))];
  const fresh = standing.filter((judgement) => isFresh(judgement, writes));
  if (fresh.some(({ verdict }) => verdict === 'changes_requested')) return false;
  if (!fresh.some((judgement) => isCounted(judgement, approvals))) return false;
  return !twoPeople || unapprovedParts(approvals).length === 0;
}

function isCounted({ accountId, isByPerson }: Judgement, { mayApprove }: Approvals): boolean {
  return isByPerson && accountId !== null && mayApprove.has(accountId);
}

/** What one account wrote, moved or deleted in a write. */
export interface Part {
  version: number;
  /** `null` for deleted accounts. */
  writer: string | null;
}

/**
 * Lists the parts of a text that nobody else has approved: of each write, what each of its writers
 * changed needs an approval of that text or a later one by somebody else, and of a deleted account
 * by two people. A restored text has the parts of the text that it restores, with the approvals that
 * they had got by then, and is a change of whoever restored it.
 *
 * @returns in the order of the writes, but restored ones later
 */
export function unapprovedParts(approvals: Approvals): Part[] {
  const { judgements, writes } = approvals;
  const textAt = (version: number) => writes.findLast((write) => write.version <= version);
  const standing = judgements.filter(
    (judgement, index) =>
      judgement.verdict === 'approved' &&
      isCounted(judgement, approvals) &&
      !isTakenBack(judgements, index),
  );
  const approvedAt = Map.groupBy(standing, ({ version }) => textAt(version));
  const restored = writes.flatMap(({ restoredFrom }) => restoredFrom ?? []);
  const kept = new Map(restored.map((version) => [textAt(version), [] as WaitingPart[]]));
  let waiting: WaitingPart[] = [];
  for (const write of writes) {
    const { version, writers, restoredFrom } = write;
    if (restoredFrom !== null) waiting = [...(kept.get(textAt(restoredFrom)) ?? waiting)];
    for (const writer of new Set(writers)) waiting.push({ version, writer, approver: null });
    for (const { accountId } of approvedAt.get(write) ?? []) {
      waiting = waiting.flatMap((part) => afterApproval(part, accountId));
    }
    if (kept.has(write)) kept.set(write, [...waiting]);
  }
  return waiting.map(({ version, writer }) => ({ version, writer }));
}

type WaitingPart = Part & {
  /** Who has approved the part of a deleted account. */
  approver: string | null;
};

/** Returns a part if it still needs an approval. */
function afterApproval(part: WaitingPart, approver: string | null): WaitingPart[] {
  if (part.writer !== null) return part.writer === approver ? [part] : [];
  return part.approver === null || part.approver === approver ? [{ ...part, approver }] : [];
}

/** Tells whether whoever gave a verdict requested changes later, by any means. */
function isTakenBack(judgements: readonly Judgement[], index: number): boolean {
  const { accountId } = judgements[index] as Judgement;
  return judgements
    .slice(index + 1)
    .some((later) => later.accountId === accountId && later.verdict === 'changes_requested');
}

/** Returns each account's latest verdict. */
function latestOf(judgements: readonly Judgement[]): Judgement[] {
  return [...new Map(judgements.map((judgement) => [judgement.accountId, judgement])).values()];
}
