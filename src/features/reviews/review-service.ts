import { FieldError, ServiceError } from '../../base/errors.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { allow, isInsider } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { eventOf } from '../../core/event/new-event.ts';
import { findAccountIds } from '../../core/identity/account-store.ts';
import { requireVerifiedToComment } from '../../core/identity/sign-up-rules.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireFit } from '../../core/quota/quota-service.ts';
import { rulingOn } from '../../core/review/protection.ts';
import {
  findApprovers,
  listUnapproved,
  situationOf,
  type Unapproved,
} from '../../core/review/protection-service.ts';
import { findProtection, isProtected, listManagers } from '../../core/review/protection-store.ts';
import { isFresh, type ReviewState, reviewState, type Verdict } from '../../core/review/review.ts';
import {
  findCommentReader,
  InvitationPending,
  type Reviewed,
  requireReview,
} from '../../core/review/review-authorize.ts';
import {
  deleteRequest,
  insertReview,
  listLatestReviews,
  listRequests,
  listTextWrites,
  type RequestRow,
  type ReviewRow,
  upsertRequest,
} from '../../core/review/review-store.ts';
import { requireShown } from '../../core/review/shown-service.ts';
import { isTextInSight } from '../../core/review/sight.ts';
import { requireSize } from '../../core/review/text-size.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { isExpired } from '../invitations/invitation-state.ts';
import { findInvitationOf } from '../invitations/invitation-store.ts';

/** A document's reviews, and their state. */
export interface Reviews {
  state: ReviewState;
  /** The document's current version. */
  revision: number;
  isProtected: boolean;
  /** Whether the protection needs approvals by people who didn't write the words. */
  twoPeople: boolean;
  requests: (RequestRow & {
    isAnswered: boolean;
    /** Whether an approval counts for the protection, if there is one. */
    counts: boolean;
  })[];
  /** Each person's latest review. */
  reviews: (ReviewRow & { isFresh: boolean })[];
}

/** All that decides whether a document is approved. */
export interface WholeReviews extends Reviews {
  /** What needs somebody else's approval before it can become public; only insiders see it. */
  unapproved: Unapproved[];
}

/** Returns a document's reviews. @throws NOT_FOUND; FORBIDDEN for readers who can't see comments */
export async function getReviews(call: Call, ref: DocumentRef): Promise<WholeReviews> {
  const { read } = call.sql;
  return loadWhole(read, await requireReview(read, call.actor, ref, 'see'));
}

async function loadWhole(db: Reader, seen: Reviewed): Promise<WholeReviews> {
  const { document } = seen;
  const unapproved = isInsider(document) ? await listUnapproved(db, document) : [];
  return { ...(await loadReviews(db, seen)), unapproved };
}

/**
 * Loads a document's reviews and their state. Leaves out texts and names of tokens that the reader
 * doesn't see.
 */
export async function loadReviews(
  db: Reader,
  { document, sight }: Pick<Reviewed, 'document' | 'sight'>,
): Promise<Reviews> {
  const { id, ownerId, version } = document;
  const requests = (await listRequests(db, id)).map((request) =>
    isTextInSight(sight, request) ? request : { ...request, note: null },
  );
  const latest = (await listLatestReviews(db, id)).map((review) =>
    isTextInSight(sight, review) ? review : { ...review, body: null, viaName: null },
  );
  const reviews = await withFreshness(db, id, latest);
  const { isOwn, isInherited, twoPeople } = await findProtection(db, { documentId: id, ownerId });
  const approvers = isOwn || isInherited ? await findApprovers(db, document) : undefined;
  const asked = requests.map((request) => ({
    ...request,
    counts: approvers?.has(request.accountId) ?? true,
    isAnswered: reviews.some(
      ({ accountId, createdAt }) =>
        accountId === request.accountId && createdAt >= request.createdAt,
    ),
  }));
  const state = reviewState(
    reviews,
    asked.some(({ isAnswered }) => !isAnswered),
  );
  return {
    state,
    revision: version,
    requests: asked,
    reviews,
    isProtected: isOwn || isInherited,
    twoPeople: twoPeople && (isOwn || isInherited),
  };
}

/** Adds to each review whether it still holds for the current text. */
async function withFreshness(
  db: Reader,
  documentId: string,
  reviews: readonly ReviewRow[],
): Promise<(ReviewRow & { isFresh: boolean })[]> {
  if (reviews.length === 0) return [];
  const after = Math.min(...reviews.map(({ version }) => version));
  const writes = await listTextWrites(db, documentId, after);
  return reviews.map((review) => ({
    ...review,
    isFresh: isFresh(review, writes),
  }));
}

export interface ReviewInput {
  verdict: Verdict;
  /** The revision that was shown. */
  revision: number;
  /** Markdown. */
  body?: string | undefined;
}

/**
 * Approves a revision or requests changes.
 *
 * @throws NOT_FOUND; FORBIDDEN for those who can't comment, for approving a protected document outside
 *   the web app, and for strangers who request changes of one; CONFLICT if a newer text was written; BAD_REQUEST
 */
export async function giveReview(
  call: Call,
  ref: DocumentRef,
  { verdict, revision, body }: ReviewInput,
): Promise<WholeReviews> {
  const { actor } = call;
  requireSize('body', body ?? '', REVIEW_LIMITS.bodyBytes);
  const reviews = await changeOwned(call, ref.owner, async (tx) => {
    const seen = await requireReview(tx, actor, ref, 'comment');
    await requireVerifiedToComment(call, tx, actor, seen.document);
    const { document, level } = seen;
    const { id: documentId, ownerId, version } = document;
    await requireShown(tx, document, revision);
    const act = verdict === 'approved' ? 'approve' : 'requestChanges';
    const isGuarded = await isProtected(tx, { documentId, ownerId });
    if (rulingOn(act, situationOf(actor, level, { isProtected: isGuarded })) === 'web') {
      throw new ServiceError(
        'FORBIDDEN',
        'This document is protected: only a person can approve it, in the web app.',
      );
    }
    const isAsked = async () =>
      (await listRequests(tx, documentId)).some(({ accountId }) => accountId === actor.id);
    // Otherwise any account could keep a protected document from being public.
    if (isGuarded && act === 'requestChanges' && !isInsider(document) && !(await isAsked())) {
      throw new ServiceError(
        'FORBIDDEN',
        'This document is protected: only those it is shared with, or who were asked to review it, ' +
          'request changes. Write a comment instead.',
      );
    }
    const at = call.now();
    await insertReview(tx, {
      id: call.newId(),
      documentId,
      accountId: actor.id,
      version,
      verdict,
      body: body?.trim() ? body : null,
      via: actor.via.means,
      viaName: actor.via.name,
      at,
    });
    await requireFit(call, tx, actor.id);
    if (isGuarded || isInsider(document)) {
      const action = verdict === 'approved' ? 'document.approved' : 'document.changes_requested';
      const about = { ...aboutDocument(document), detail: { revision: version } };
      await audit(call, tx, { action, actor, ...about });
    }
    const type = 'review.given';
    await insertEvent(tx, eventOf(call, { documentId, ownerId, type, version, at }));
    return loadWhole(tx, seen);
  });
  call.wakeFeed();
  return reviews;
}

/**
 * Asks someone to review a document, or asks again. Only the approvals of reviewers whom the owner or
 * an admin of the organization asks in the web app count for the protection.
 *
 * @throws NOT_FOUND; BAD_REQUEST for a note that is too long; FORBIDDEN unless the actor can edit
 *   the document; UNPROCESSABLE if there are too many reviewers; errors of {@link requireReviewer}
 */
export async function requestReview(
  call: Call,
  ref: DocumentRef,
  { username, note }: { username: string; note?: string | undefined },
): Promise<void> {
  const { actor } = call;
  requireSize('note', note ?? '', REVIEW_LIMITS.bodyBytes);
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, actor, ref, 'editContent');
    const { id: documentId, ownerId, version } = document;
    const reviewer = await requireReviewer(call, tx, document, username);
    const others = (await listRequests(tx, documentId)).filter(
      ({ accountId }) => accountId !== reviewer,
    );
    if (others.length >= REVIEW_LIMITS.reviewers) {
      throw new FieldError(
        'UNPROCESSABLE',
        'username',
        `${others.length} people have already been asked. Withdraw a request first.`,
      );
    }
    const at = call.now();
    const appoints =
      actor.via.means === 'web' && (await listManagers(tx, ownerId)).includes(actor.id);
    await upsertRequest(tx, {
      documentId,
      accountId: reviewer,
      requestedBy: actor.id,
      version,
      at,
      appointedBy: appoints ? actor.id : null,
      note: note?.trim() ? note : null,
    });
    const about = { documentId, ownerId, version, targetId: reviewer, at };
    await insertEvent(tx, eventOf(call, { ...about, type: 'review.requested' }));
  });
  call.wakeFeed();
}

/**
 * Withdraws a request for a review. @throws NOT_FOUND; FORBIDDEN unless the actor can edit the
 * document
 */
export async function withdrawRequest(
  call: Call,
  ref: DocumentRef,
  username: string,
): Promise<void> {
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'editContent');
    const [id] = await findAccountIds(tx, [username]);
    if (id !== undefined && (await deleteRequest(tx, document.id, id))) return;
    throw new FieldError('NOT_FOUND', 'username', 'this person hasn’t been asked for a review.');
  });
}

/**
 * Returns the id of the person with this name, if they can read the document and its comments.
 *
 * @param document loaded for the actor
 * @throws UNPROCESSABLE if they can't; InvitationPending if they are invited and the actor can see
 *   invitations
 */
async function requireReviewer(
  call: Call,
  db: Reader,
  document: DocumentRow,
  username: string,
): Promise<string> {
  const id = await findCommentReader(db, document, username);
  if (id !== undefined) return id;
  if (canSeeInvitations(call.actor, document) && (await isInvited(call, db, document, username))) {
    throw new InvitationPending(username);
  }
  throw new FieldError(
    'UNPROCESSABLE',
    'username',
    `no user “${username}” can read the document and its comments. Share it with them first.`,
  );
}

/**
 * Tells whether the actor can see the document's invitations. Others must not learn from a refusal
 * whether someone is invited.
 */
function canSeeInvitations(actor: Actor, document: DocumentRow): boolean {
  return allow(actor, 'share', document) && actor.scopes.includes('sharing');
}

async function isInvited(
  context: Context,
  db: Reader,
  document: DocumentRow,
  username: string,
): Promise<boolean> {
  const [userId] = await findAccountIds(db, [username]);
  if (userId === undefined) return false;
  const invitation = await findInvitationOf(db, { documentId: document.id }, { userId });
  return invitation !== undefined && !isExpired(invitation, context.now());
}
