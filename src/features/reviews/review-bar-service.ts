import { findHiddenText } from '../../base/markdown/hidden-text.ts';
import type { Call } from '../../core/context.ts';
import { allow, isInsider } from '../../core/document/access-rules.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { ReviewState, Verdict } from '../../core/review/review.ts';
import { canReview } from '../../core/review/review-access.ts';
import { canSee } from '../../core/review/review-authorize.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { sightOf } from '../../core/review/sight.ts';
import { loadReviews } from './review-service.ts';

/** What the bar above a document says about its reviews, and what the reader can decide there. */
export interface ReviewBarView {
  state: ReviewState;
  /** Whether someone was asked, or has answered, also about an earlier text. */
  isShown: boolean;
  /** The revision on the screen, which a decision is about. */
  revision: number;
  /** The reader's latest verdict. */
  own: { verdict: Verdict; version: number; isFresh: boolean } | undefined;
  /** Who asked the reader, if the reader hasn't answered; `by` is `null` if the account is gone. */
  asked: { by: string | null; note: string | null } | undefined;
  /** Who approved this text, requested changes to it, and hasn't answered yet: usernames. */
  approvedBy: readonly string[];
  changesBy: readonly string[];
  waitingFor: readonly string[];
  /** Who approved an earlier text, and requested changes to one: usernames. */
  approvedBefore: readonly string[];
  changesBefore: readonly string[];
  rights: { decide: boolean; ask: boolean };
  /** Whether the text has words that the reading view doesn't show, so that it isn't approved there. */
  hidesWords: boolean;
}

/**
 * Describes the reviews of a document to someone who reads it.
 *
 * @param document with the reader's standing
 * @param loadText returns the shown Markdown; `undefined` for pages
 * @returns `undefined` if the reader can't see reviews
 */
export async function findReviewBar(
  call: Call,
  document: DocumentRow,
  loadText?: () => Promise<string>,
): Promise<ReviewBarView | undefined> {
  const { actor } = call;
  const { read } = call.sql;
  const { comments, opening } = await findReviewSettings(read, document.id);
  if (!isInsider(document) && !canSee(document, comments)) return undefined;
  const sight = sightOf(document, opening);
  const { state, requests, reviews } = await loadReviews(read, { document, sight });
  const own = reviews.find(({ accountId }) => accountId === actor.id);
  const request = requests.find(({ accountId }) => accountId === actor.id);
  const mayDecide = canReview(document, comments, 'comment');
  const others = reviews.filter(({ accountId }) => accountId !== actor.id);
  const isShown = reviews.length > 0 || requests.length > 0;
  const by = (verdict: Verdict) =>
    others
      .filter((each) => each.isFresh && each.verdict === verdict)
      .map(({ author }) => author ?? 'a deleted account');
  const before = (verdict: Verdict) =>
    others.flatMap((each) =>
      !each.isFresh && each.verdict === verdict && each.author !== null ? [each.author] : [],
    );
  return {
    state,
    isShown,
    revision: document.version,
    own,
    asked:
      request && !request.isAnswered ? { by: request.requestedBy, note: request.note } : undefined,
    approvedBy: by('approved'),
    changesBy: by('changes_requested'),
    waitingFor: requests
      .filter(({ isAnswered, accountId }) => !isAnswered && accountId !== actor.id)
      .map(({ username }) => username),
    approvedBefore: before('approved'),
    changesBefore: before('changes_requested'),
    rights: { decide: mayDecide, ask: allow(actor, 'editContent', document) },
    hidesWords:
      isShown && mayDecide && loadText !== undefined && (await hidesWords(call, await loadText())),
  };
}

async function hidesWords(call: Call, text: string): Promise<boolean> {
  const { frontMatter, lines, characters } = await findHiddenText(
    call.markdown,
    call.actor.id,
    text,
  );
  return frontMatter !== undefined || lines?.length !== 0 || characters.length > 0;
}
