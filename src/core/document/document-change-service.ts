import { KINDS } from '../../base/schema/kind.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { aboutDocument, audit } from '../audit/audit.ts';
import type { Actor, Call, Context } from '../context.ts';
import { revisionEvent } from '../event/new-event.ts';
import { requireVerified } from '../identity/sign-up-rules.ts';
import { type Following, followWrite, prepareFollowing } from '../live/typed-service.ts';
import { changeOwned } from '../owner/owner-service.ts';
import { requirePublishable } from '../owner/policy-service.ts';
import { charge } from '../quota/quota-service.ts';
import { openToPublic } from '../review/opening-service.ts';
import { requireApproval, requireArrival, requireRenamable } from '../review/protection-service.ts';
import { requireShown } from '../review/shown-service.ts';
import { revisionOf, type WriteNote } from '../revision/write-note.ts';
import type { DocumentAction } from './access-rules.ts';
import {
  requireAction,
  requireDocument,
  requireDocumentWithContent,
  type Seen,
  see,
} from './authorize.ts';
import { withNewBlob } from './blob-lifecycle.ts';
import { loadContent, rowContent, storableText, storeContent } from './content.ts';
import {
  type DocumentInput,
  requireName,
  requireSameDocument,
  requireVisibility,
} from './document-input.ts';
import type { DocumentRef } from './document-ref.ts';
import { getDocument, type WholeDocument } from './document-service.ts';
import { type DocumentRow, isNameTaken, type StoredDocument } from './document-store.ts';
import { type DocumentChange, type StoredContent, storeChange } from './document-write-store.ts';
import { type IfMatch, requireMatch } from './entity-tag.ts';
import { NameTaken, offeringFreeName } from './name-taken.ts';

/** The action that each field of an update needs (specification, part "Update body"). */
const ACTION_BY_FIELD = {
  content: 'editContent',
  name: 'rename',
  visibility: 'changeVisibility',
} as const satisfies Record<keyof DocumentInput, DocumentAction>;

/**
 * Changes a document like {@link changeDocument} and returns it with its content.
 *
 * @throws errors of {@link changeDocument}
 */
export async function writeDocument(
  call: Call,
  ref: DocumentRef,
  given: DocumentInput,
  ifMatch: IfMatch,
  note?: WriteNote,
): Promise<WholeDocument> {
  const input = storable(ref, given);
  const after = await changeDocument(call, ref, input, ifMatch, note);
  const text = input.content ?? (await loadContent(call, after.document));
  // Someone else has replaced the content since, so return theirs.
  if (text === undefined) return getDocument(call, { ...ref, name: after.document.name });
  return { ...after, text };
}

/**
 * Changes a document's content, name or visibility, all or nothing. Unchanged values aren't
 * written: if nothing changes, version, `updatedAt` and history stay.
 *
 * @returns the document with the content that its row has; nothing can fail once the change is
 *   committed
 * @throws NOT_FOUND, FORBIDDEN; PRECONDITION_FAILED if no tag of `ifMatch` names the document's
 *   state; CONFLICT if it isn't the document of `note.documentId`; BAD_REQUEST, CONTENT_TOO_LARGE
 *   as for creation; UNPROCESSABLE if the name is taken or the change needs an approval
 */
export async function changeDocument(
  call: Call,
  ref: DocumentRef,
  given: DocumentInput,
  ifMatch: IfMatch,
  note: WriteNote = {},
): Promise<Seen<StoredDocument>> {
  const input = storable(ref, given);
  let following: Following | undefined;
  const write = (prepared?: Prepared) =>
    writeChange(call, ref, input, { ifMatch, note, prepared, following });
  if (input.content === undefined) return write();
  // Before the transaction, which must wait for no thread and no blob store.
  const { document } = await requireEditable(call.sql.read, call.actor, ref, input);
  following = await prepareFollowing(call, document.id, input.content);
  if (KINDS[ref.kind].stored === 'row') {
    return write({ title: await call.markdown.briefTitle(call.actor.id, input.content) });
  }
  if (await hasSameBlob(call, document, input.content)) {
    try {
      return await write({ samePath: document.storagePath });
    } catch (error) {
      if (!(error instanceof ReplacedMeanwhile)) throw error;
    }
  }
  const content = await storeContent(call, ref.kind, input.content);
  return withNewBlob(call, content.storagePath, () => write({ content }));
}

class ReplacedMeanwhile extends Error {}

/**
 * Writes the differences in one transaction.
 *
 * @throws errors of {@link changeDocument}; ReplacedMeanwhile if the content is no longer at
 *   `samePath`
 */
async function writeChange(
  call: Call,
  ref: DocumentRef,
  input: DocumentInput,
  {
    ifMatch,
    note,
    prepared,
    following,
  }: {
    ifMatch: IfMatch;
    note: WriteNote;
    prepared: Prepared | undefined;
    following: Following | undefined;
  },
): Promise<Seen<StoredDocument>> {
  const { actor } = call;
  const write = async (tx: Writer) => {
    const { document, level } = await requireEditable(tx, actor, ref, input);
    requireSameDocument(note.documentId, document);
    const { id, ownerId, ownerType, kind, ownerNamespace } = document;
    if (input.visibility !== undefined) requireVisibility(ownerType, input.visibility);
    const name = input.name === undefined ? undefined : requireName(input.name);
    requireMatch(ifMatch, document);
    await requireShown(tx, document, note.shown);
    if (prepared && 'samePath' in prepared && prepared.samePath !== document.storagePath) {
      throw new ReplacedMeanwhile();
    }
    const content = newContent(ref, input, prepared);
    const before = await withContent(tx, actor, ref, document, content);
    const isNewContent = content && (content.text === null || content.text !== before.content);
    const change: DocumentChange = {
      ...(isNewContent && { content }),
      ...(name !== undefined && name !== document.name && { name }),
      ...(input.visibility !== undefined &&
        input.visibility !== document.visibility && { visibility: input.visibility }),
    };
    const changed = Object.keys(change);
    if (changed.length === 0) {
      await note.alongside?.(tx, before);
      return { isChanged: false, after: before };
    }
    const becomes = change.visibility ?? document.visibility;
    if (change.visibility === 'public') {
      await requireVerified(call, tx, actor, 'make a document public');
    }
    if (change.visibility) await requirePublishable(tx, ownerId, change.visibility);
    const isNewText = change.content !== undefined;
    const letsWordsIn = await requireApproval(tx, actor, document, {
      level,
      isNewText,
      accepted: note.accepts?.authors,
      becomes,
    });
    if (change.name !== undefined) {
      const to = { ownerId, kind, name: change.name, visibility: becomes };
      await requireArrival(tx, actor, document, to, { isNewText });
      await requireRenamable(tx, actor, document, { level, becomes });
      const wanted = { ownerId, kind, name: change.name, exceptId: id };
      const owner = ownerId === actor.id ? 'you' : ownerNamespace;
      if (await isNameTaken(tx, wanted)) throw new NameTaken({ ...wanted, owner });
    }
    const now = call.now();
    const revision = { documentId: id, version: document.version + 1, changed, at: now };
    const by = { actorId: actor.id, now };
    await followWrite(tx, actor, document, { ...revision, isNewText, following });
    await storeChange(tx, document, change, by, {
      revision: revisionOf(actor, revision, note),
      event: revisionEvent(call, { ...revision, ownerId }),
    });
    // After the row is locked, as what packs its old texts locks it first, too.
    if (change.content) await charge(call, tx, ownerId, bytesOf(change.content));
    if (change.visibility === 'public') await openToPublic(tx, id, now);
    const after = afterChange(change, before, actor, now);
    if (change.name !== undefined) {
      const about = { ...aboutDocument(document), detail: { name: change.name } };
      await audit(call, tx, { action: 'document.renamed', actor, ...about });
    }
    if (change.visibility !== undefined) {
      const about = { ...aboutDocument(after), detail: { visibility: change.visibility } };
      await audit(call, tx, { action: 'document.visibility_changed', actor, ...about });
    }
    if (letsWordsIn) {
      const about = { ...aboutDocument(after), detail: { revision: after.version } };
      await audit(call, tx, { action: 'document.words_accepted', actor, ...about });
    }
    await note.alongside?.(tx, after);
    return { isChanged: true, after };
  };
  const { isChanged, after } = await offeringFreeName(call.sql.read, () =>
    changeOwned(call, ref.owner, write),
  );
  if (isChanged) call.documentChanged();
  else if (note.alongside) call.wakeFeed();
  return see(after);
}

/** Returns what new content adds to what is stored: itself, as the old content stays as history. */
function bytesOf({ sizeBytes }: StoredContent): { bytes: number } {
  return { bytes: sizeBytes };
}

function storable({ kind }: DocumentRef, input: DocumentInput): DocumentInput {
  if (input.content === undefined) return { ...input };
  return { ...input, content: storableText(kind, input.content) };
}

/**
 * Returns the document if the actor can change every field of `input`. @throws NOT_FOUND, FORBIDDEN
 */
async function requireEditable(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  input: DocumentInput,
): Promise<Seen<DocumentRow>> {
  const seen = await requireDocument(db, actor, ref, 'read');
  for (const field of Object.keys(input) as (keyof DocumentInput)[]) {
    requireAction(seen, ref, ACTION_BY_FIELD[field]);
  }
  return seen;
}

/**
 * What was prepared before the transaction: new content in the blob store, content equal to the
 * blob at `samePath`, or the title of content that its row stores.
 */
type Prepared =
  | { content: StoredContent }
  | { samePath: string | null }
  | { title: string | undefined };

/** Returns the content that an update writes; `undefined` if the content stays the same. */
function newContent(
  { kind }: DocumentRef,
  { content }: DocumentInput,
  prepared: Prepared | undefined,
): StoredContent | undefined {
  if (prepared && 'content' in prepared) return prepared.content;
  if (content === undefined || !prepared || 'samePath' in prepared) return undefined;
  return rowContent(kind, content, prepared.title);
}

/**
 * Adds the content that the row stores. Skips reading it if new content of another length replaces
 * it.
 */
async function withContent(
  tx: Reader,
  actor: Actor,
  ref: DocumentRef,
  document: DocumentRow,
  content: StoredContent | undefined,
): Promise<StoredDocument> {
  const isReplaced = content && content.sizeBytes !== document.sizeBytes;
  if (isReplaced || document.storagePath !== null) return { ...document, content: null };
  return (await requireDocumentWithContent(tx, actor, ref)).document;
}

/** Tells whether the document's blob has this content. The content at a path never changes. */
async function hasSameBlob(
  context: Context,
  { storagePath, sizeBytes }: DocumentRow,
  content: string,
): Promise<boolean> {
  if (Buffer.byteLength(content) !== sizeBytes) return false;
  return (await loadContent(context, { content: null, storagePath })) === content;
}

/** Returns the document as {@link storeChange} leaves it, which saves reading it again. */
function afterChange(
  { content, ...change }: DocumentChange,
  before: StoredDocument,
  actor: Actor,
  now: string,
): StoredDocument {
  const { text, ...stored } = content ?? { text: before.content };
  return {
    ...before,
    ...change,
    ...stored,
    content: text,
    version: before.version + 1,
    updatedBy: actor.id,
    updatedAt: now,
  };
}
