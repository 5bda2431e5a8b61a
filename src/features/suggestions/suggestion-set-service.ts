import { FieldError } from '../../base/errors.ts';
import { anchorAt } from '../../base/text/anchor.ts';
import { type ChangedPassage, changedPassages } from '../../base/text/passages.ts';
import type { Call } from '../../core/context.ts';
import { requireContentSize, storableText } from '../../core/document/content.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { type IfMatch, requireMatch } from '../../core/document/entity-tag.ts';
import { loadBase, mergeInto } from '../../core/document/merge-service.ts';
import { requireVerifiedToComment } from '../../core/identity/sign-up-rules.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { carryThreads } from '../../core/review/anchor-service.ts';
import { canReview } from '../../core/review/review-access.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { requireBody } from '../../core/review/text-size.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { listSet } from '../../core/review/thread-store.ts';
import { addThread } from '../comments/new-thread-service.ts';
import { requireStillStored } from '../comments/quote-service.ts';
import { mentionsIn } from '../comments/thread-event-service.ts';
import { requireThread, type Thread, withComments } from '../comments/thread-service.ts';
import { proposeText } from '../proposals/proposal-service.ts';

/**
 * Suggests a text as one set: each passage that it changes becomes a suggestion that is accepted or
 * rejected by itself. A text that can't be told by passages, such as the first of an empty document,
 * becomes a proposal.
 *
 * @param given.ifMatch the state whose text it was written from; if that isn't known, `baseRevision`
 * @returns the first suggestion, and how many there are
 * @throws NOT_FOUND; FORBIDDEN unless the actor can comment; PRECONDITION_FAILED; CONFLICT if others
 *   changed the same lines since; UNPROCESSABLE if nothing changes, the base is gone, or there are
 *   too many threads; CONTENT_TOO_LARGE
 */
export async function suggestText(
  call: Call,
  ref: DocumentRef,
  given: {
    content: string;
    baseRevision: number | undefined;
    ifMatch: IfMatch;
    body: string | undefined;
  },
): Promise<{ threadId: string; count: number }> {
  const { body } = given;
  if (body !== undefined) requireBody(body);
  await requireReview(call.sql.read, call.actor, ref, 'comment');
  const current = await getDocument(call, ref);
  const { version } = current.document;
  requireMatch(given.ifMatch, current.document);
  const { baseRevision = version } = given;
  const yours = storableText(ref.kind, given.content);
  const base = await loadBase(call, current, baseRevision);
  // The lines of others that a conflict shows are those of the current text, which the actor can read.
  const { text } = await mergeInto(call, { base, current, yours }, { baseRevision });
  requireContentSize(ref.kind, text);
  if (text === current.text) {
    throw new FieldError('UNPROCESSABLE', 'content', 'this changes nothing in the current text.');
  }
  const passages = await passagesOf(call, current.text, text);
  if (!passages) {
    const whole = { content: text, baseRevision: version, body };
    return { threadId: (await proposeText(call, ref, whole)).id, count: 1 };
  }
  const ids = passages.map(() => call.newId());
  const [setId = ''] = ids;
  const names = await mentionsIn(call, body);
  await changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireReview(tx, call.actor, ref, 'comment');
    await requireVerifiedToComment(call, tx, call.actor, document);
    await requireStillStored(tx, document.id, version);
    for (const [index, passage] of passages.entries()) {
      await addThread(call, tx, document, {
        id: ids[index] as string,
        body: index === 0 ? body : undefined,
        names,
        kind: 'replacement',
        version,
        place: { anchor: anchorAt(current.text, passage), element: null, isUnverified: false },
        replacement: passage.replacement,
        setId,
      });
    }
  });
  call.wakeFeed();
  return { threadId: setId, count: passages.length };
}

/** Returns the passages to suggest; `undefined` if the change is told better as a whole. */
async function passagesOf(
  call: Call,
  before: string,
  after: string,
): Promise<ChangedPassage[] | undefined> {
  const found = await call.texts.run(call.actor.id, 'changes', [before, after]);
  const passages = changedPassages(before, found, REVIEW_LIMITS.quote);
  const isSmall = ({ replacement }: ChangedPassage) =>
    Buffer.byteLength(replacement) <= REVIEW_LIMITS.replacementBytes;
  const isTellable =
    passages && passages.length <= REVIEW_LIMITS.together && passages.every(isSmall);
  return isTellable ? passages : undefined;
}

/** Suggestions that were made together, and what the reader can do with each. */
export interface SuggestionSet {
  document: DocumentRow;
  /** In the order of the text. */
  threads: (Thread & { rights: { accept: boolean; close: boolean } })[];
}

/**
 * Loads the set that a suggestion belongs to, with the places in the current text.
 *
 * @returns `undefined` for a suggestion by itself
 * @throws NOT_FOUND; FORBIDDEN if the actor can't see comments
 */
export async function readSet(
  call: Call,
  ref: DocumentRef,
  threadId: string,
): Promise<SuggestionSet | undefined> {
  const { read } = call.sql;
  const seen = await requireReview(read, call.actor, ref, 'see');
  const { document, comments, sight } = seen;
  const { setId } = await requireThread(read, seen, threadId);
  if (setId === null) return undefined;
  const rows = await listSet(read, document.id, sight, setId);
  const placed = await carryThreads(call, document, rows);
  const threads = await withComments(read, placed, sight);
  const [mayAccept, mayClose] = [
    canReview(document, comments, 'accept'),
    canReview(document, comments, 'close'),
  ];
  return {
    document,
    threads: threads.map((thread) => {
      const isOpen = thread.state === 'open';
      const accept = isOpen && thread.atState === 'kept' && mayAccept;
      const close = isOpen && (thread.accountId === call.actor.id || mayClose);
      return { ...thread, rights: { accept, close } };
    }),
  };
}
