import { FieldError } from '../../base/errors.ts';
import type { EditNote } from '../../base/text/edits.ts';
import type { Call } from '../../core/context.ts';
import { discardBlobs, withNewBlob } from '../../core/document/blob-lifecycle.ts';
import { requireContentSize, storableText } from '../../core/document/content.ts';
import { requireSameDocument } from '../../core/document/document-input.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { type IfMatch, requireMatch } from '../../core/document/entity-tag.ts';
import { loadBase } from '../../core/document/merge-service.ts';
import { requireVerifiedToComment } from '../../core/identity/sign-up-rules.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireFit } from '../../core/quota/quota-service.ts';
import { deleteClosedProposals, insertProposal } from '../../core/review/proposal-store.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { requireBody } from '../../core/review/text-size.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { storePacked } from '../../core/revision/packed-text.ts';
import { encodeText } from '../../core/revision/text-codec.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { addThread } from '../comments/new-thread-service.ts';
import { requireStillStored } from '../comments/quote-service.ts';
import { mentionsIn } from '../comments/thread-event-service.ts';
import { getThread, type Thread } from '../comments/thread-service.ts';
import { diffOf, type Edits, editBase } from '../revisions/edit-service.ts';

interface Proposed {
  text: string;
  /** The text that the proposed text was based on. */
  base: string;
  baseRevision: number;
}

/**
 * Proposes edits to a document. They are stored until someone accepts or rejects them.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor can comment; BAD_REQUEST; PRECONDITION_FAILED;
 *   CONFLICT; errors of {@link editBase}; CONTENT_TOO_LARGE; UNPROCESSABLE if nothing changes, or there are
 *   too many threads or proposals
 */
export async function proposeEdits(
  call: Call,
  ref: DocumentRef,
  { message, ...edits }: Pick<Edits, 'edits' | 'documentId' | 'baseRevision' | 'message'>,
  ifMatch: IfMatch,
): Promise<{ thread: Thread; notes: EditNote[]; baseRevision: number }> {
  const given = { body: message, documentId: edits.documentId };
  let seen: { notes: EditNote[]; baseRevision: number } = { notes: [], baseRevision: 0 };
  const thread = await propose(call, ref, given, async (current) => {
    requireMatch(ifMatch, current.document);
    const made = await editBase(call, current, edits);
    seen = { notes: made.notes, baseRevision: made.baseRevision };
    return made;
  });
  return { thread, ...seen };
}

/**
 * Proposes a whole text, as {@link proposeEdits} proposes edits.
 *
 * @param given.alongside runs in the transaction
 * @throws errors of {@link proposeEdits}, but of {@link loadBase} instead of {@link editBase}, and
 *   not PRECONDITION_FAILED
 */
export function proposeText(
  call: Call,
  ref: DocumentRef,
  given: {
    content: string;
    baseRevision: number;
    body: string | undefined;
    alongside?: (tx: Writer, threadId: string) => Promise<void>;
  },
): Promise<Thread> {
  const { content, baseRevision, body, alongside } = given;
  return propose(call, ref, { body, alongside }, async (current) => {
    const base = await loadBase(call, current, baseRevision);
    return { text: storableText(ref.kind, content), base, baseRevision };
  });
}

async function propose(
  call: Call,
  ref: DocumentRef,
  {
    body,
    documentId,
    alongside,
  }: {
    body: string | undefined;
    documentId?: string | undefined;
    alongside?: ((tx: Writer, threadId: string) => Promise<void>) | undefined;
  },
  write: (current: WholeDocument) => Promise<Proposed>,
): Promise<Thread> {
  const { actor } = call;
  if (body !== undefined) requireBody(body);
  await requireReview(call.sql.read, actor, ref, 'comment');
  const { text, base, baseRevision: version } = await write(await getDocument(call, ref));
  requireContentSize(ref.kind, text);
  if (text === base) {
    const problem = `this changes nothing in revision ${version}.`;
    throw new FieldError('UNPROCESSABLE', 'edits', problem);
  }
  const { added, removed } = await diffOf(call, base, text);
  const names = await mentionsIn(call, body);
  const bytes = Buffer.from(text);
  const encoded = { bytes: await encodeText(bytes), dictVersion: null };
  const { storedBytes, storagePath, body: stored } = await storePacked(call, encoded);
  const threadId = call.newId();
  const unused = await withNewBlob(call, storagePath, () =>
    changeOwned(call, ref.owner, async (tx) => {
      const { document } = await requireReview(tx, actor, ref, 'comment');
      await requireVerifiedToComment(call, tx, actor, document);
      requireSameDocument(documentId, document);
      await requireStillStored(tx, document.id, version);
      const what = { kind: 'proposal', version, place: null, replacement: null } as const;
      await addThread(call, tx, document, { ...what, id: threadId, body, names });
      await insertProposal(tx, {
        threadId,
        sizeBytes: bytes.length,
        storedBytes,
        storagePath,
        body: stored,
        added,
        removed,
      });
      await requireFit(call, tx, actor.id);
      await alongside?.(tx, threadId);
      return deleteClosedProposals(tx, document.id, REVIEW_LIMITS.closedProposals);
    }),
  );
  await discardBlobs(call, unused);
  call.wakeFeed();
  return getThread(call, ref, threadId);
}
