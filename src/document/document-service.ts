import { randomInt } from 'node:crypto';
import { requireAccount, requireAccountStill } from '../account/account-service.ts';
import { parseNamespace } from '../account/namespace.ts';
import { changeOwned } from '../account/owner-service.ts';
import type { Actor, Context } from '../context.ts';
import { FieldError, nothingAtAddress, ServiceError } from '../errors.ts';
import { discardBlobs, keepingBlob } from '../file/blob-lifecycle.ts';
import { inOneGo } from '../in-one-go.ts';
import { requireOrganization } from '../organization/organization-service.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import {
  allowsVisibility,
  type DocumentAction,
  type OwnerType,
  type Visibility,
} from './access.ts';
import {
  requireAction,
  requireDocument,
  requireDocumentWithContent,
  type Seen,
  see,
} from './authorize.ts';
import { loadContent, storableText, storeContent } from './content.ts';
import type { DocumentRef } from './document-ref.ts';
import { isTagOfState } from './document-schema.ts';
import {
  type DocumentChange,
  type DocumentRow,
  deleteDocument as deleteDocumentRow,
  insertDocument,
  isNameTaken,
  type StoredContent,
  type StoredDocument,
  updateDocument as updateDocumentRow,
} from './document-store.ts';
import { KINDS, type Kind } from './kind.ts';
import { nameFromHeading, parseName } from './name.ts';
import { NameTaken, offeringFreeName } from './name-taken.ts';
import { deleteRevisions, insertRevision, type NewRevision } from './revision/revision-store.ts';
import { insertSuperseded } from './revision/revision-text-store.ts';
import { insertPending } from './search/search-pending-store.ts';
import { insertCollaborator } from './sharing/collaborator-store.ts';

/** Who is to own a document: a user or an organization, by namespace. */
export interface OwnerRef {
  type: OwnerType;
  namespace: string;
}

/** What a caller gives to make or change a document. */
export interface DocumentInput {
  content?: string;
  name?: string;
  visibility?: Visibility;
}

/** What a writer says of a write, or is known of it. */
export interface WriteNote {
  message?: string | undefined;
  /** The version that the writer started from. */
  baseVersion?: number | undefined;
  /** Whether somebody else's changes since then were merged in. */
  merged?: boolean;
  /** The version whose text is brought back. */
  restoredFrom?: number;
}

/** Entity tags of the states that a write may replace; `*`: whatever state; absent: no condition. */
export type IfMatch = readonly string[] | '*' | undefined;

/** The permission that each field of an update needs (specification, part "Update body"). */
const ACTION_BY_FIELD = {
  content: 'editContent',
  name: 'rename',
  visibility: 'changeVisibility',
} as const satisfies Record<keyof DocumentInput, DocumentAction>;

/** What the actor sees of a document, with its content. */
export type WholeDocument = Seen<DocumentRow> & { text: string };

/** How often a read starts again when the content it was about to read has been replaced. */
const READ_ATTEMPTS = 5;

/** How often an edit is applied to newer text before it is refused. Each time, another write succeeded. */
const EDIT_ATTEMPTS = 100;

/** The document whole. @throws NOT_FOUND when it is missing or the actor may not read it */
export async function getDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<WholeDocument> {
  for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
    const seen = await requireDocumentWithContent(context.sql.read, actor, ref);
    const text = await loadContent(context, seen.document);
    if (text !== undefined) return { ...seen, text };
  }
  throw new Error(`The content of ${ref.kind} ${ref.owner}/${ref.name} cannot be found.`);
}

/**
 * The owner, if the actor may make documents there.
 *
 * @throws NOT_FOUND when there is no such owner, FORBIDDEN when the actor may not create there
 */
export async function requireCreatableOwner(
  db: Reader,
  actor: Actor,
  owner: OwnerRef,
): Promise<OwnerRef & { id: string }> {
  if (owner.type === 'user') {
    // Whoever acts has been looked up already.
    if (parseNamespace(owner.namespace) === actor.username) {
      return { id: actor.id, type: 'user', namespace: actor.username };
    }
    await requireAccount(db, owner.namespace);
    throw new ServiceError('FORBIDDEN', 'Only the user can create documents there.');
  }
  const { id, namespace, role, membersCanCreate } = await requireOrganization(
    db,
    actor,
    owner.namespace,
  );
  if (role === null || (role === 'member' && !membersCanCreate)) {
    const who = role === null ? 'members' : 'admins';
    throw new ServiceError('FORBIDDEN', `Only ${who} of this organization can create documents.`);
  }
  return { id, type: 'organization', namespace };
}

/** @throws what {@link requireCreatableOwner} does, also where another owner has the namespace now */
async function requireStillCreatable(
  db: Reader,
  actor: Actor,
  owner: OwnerRef & { id: string },
): Promise<void> {
  if (owner.type === 'user') return requireAccountStill(db, actor.id);
  const { id } = await requireCreatableOwner(db, actor, owner);
  if (id !== owner.id) throw nothingAtAddress();
}

/**
 * Makes a document. In an organization, whoever makes it becomes its admin collaborator.
 *
 * @throws NOT_FOUND, FORBIDDEN for the owner; UNAUTHORIZED when the actor's account has gone;
 *   BAD_REQUEST for the name or the visibility; CONTENT_TOO_LARGE; UNPROCESSABLE when the name is taken
 */
export async function createDocument(
  context: Context,
  actor: Actor,
  kind: Kind,
  owner: OwnerRef,
  input: DocumentInput & { content: string },
  note: WriteNote = {},
): Promise<WholeDocument> {
  const {
    id: ownerId,
    type,
    namespace,
  } = await requireCreatableOwner(context.sql.read, actor, owner);
  const visibility = input.visibility ?? 'public';
  requireVisibility(type, visibility);
  const givenName = input.name === undefined ? undefined : requireName(input.name);
  const text = storableText(kind, input.content);
  const content = await storeContent(context, actor, kind, text);
  return keepingBlob(context, content?.storagePath, async () => {
    const name = givenName ?? (await generateName(context, actor, content));
    const store = async (tx: Writer) => {
      const id = context.newId();
      const now = context.now();
      await inOneGo([
        // Asked again inside the transaction: the account or the membership may have ended since.
        requireStillCreatable(tx, actor, { ...owner, id: ownerId }),
        insertDocument(tx, {
          id,
          kind,
          ownerId,
          ownerType: type,
          name,
          visibility,
          content,
          createdBy: actor.id,
          createdAt: now,
        }).then((isStored) => {
          if (isStored) return;
          const owner = ownerId === actor.id ? 'you' : namespace;
          throw new NameTaken({ ownerId, owner, kind, name });
        }),
        type === 'organization' &&
          insertCollaborator(tx, {
            id: context.newId(),
            documentId: id,
            accountId: actor.id,
            permission: 'admin',
            addedAt: now,
          }),
        insertRevision(
          tx,
          revisionOf(actor, { documentId: id, version: 1, changed: ALL_FIELDS, at: now }, note),
        ),
        insertPending(tx, id),
      ]);
      // All of it is known, so it need not be read again.
      const document: DocumentRow = {
        ...{ id, kind, name, visibility, version: 1 },
        ...{ sizeBytes: content.sizeBytes, title: content.title, storagePath: content.storagePath },
        ...{ createdBy: actor.id, updatedBy: actor.id, createdAt: now, updatedAt: now },
        ...{ ownerType: type, ownerId, ownerNamespace: namespace, actorId: actor.id },
        // Who owns a document, or is its admin collaborator, need not be anything else to be its admin.
        ...{ permission: type === 'organization' ? 'admin' : null, role: null },
        defaultBriefPermission: null,
      };
      return { ...see(document), text };
    };
    const created = await offeringFreeName(context.sql.read, () =>
      changeOwned(context, owner.namespace, store, { inOneGo: true }),
    );
    context.wakeIndexer();
    return created;
  });
}

/**
 * Changes a document as {@link changeDocument} does, and gives it whole.
 *
 * @throws what that throws
 */
export async function updateDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  input: DocumentInput,
  ifMatch: IfMatch,
  note?: WriteNote,
): Promise<WholeDocument> {
  const after = await changeDocument(context, actor, ref, input, ifMatch, note);
  const text = storable(ref.kind, input).content ?? (await loadContent(context, after.document));
  // Written by somebody else in the meantime: what is there now is what the answer shows.
  if (text === undefined) return getDocument(context, actor, { ...ref, name: after.document.name });
  return { ...after, text };
}

/**
 * Changes the content of a document by a function of it, such as "replace this passage". The caller
 * who names no condition needs none: where somebody else writes in between, the function is applied
 * again to what they wrote, until that is saved or the function refuses.
 *
 * @param edit takes the current text and returns the new one; what it throws is thrown on, and
 *   nothing is written. It may be called several times.
 * @throws NOT_FOUND, FORBIDDEN before `edit` is called; what {@link changeDocument} throws
 */
export async function editDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  edit: (text: string) => Promise<string>,
  ifMatch: IfMatch,
): Promise<WholeDocument> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'editContent');
  return afterOtherEdits(document.id, async () => {
    for (let attempt = 1; ; attempt++) {
      const before = await getDocument(context, actor, ref);
      requireAction(before, ref, 'editContent');
      requireMatch(ifMatch, before.document);
      const content = await edit(before.text);
      try {
        return await updateDocument(context, actor, ref, { content }, [before.etag]);
      } catch (error) {
        const isOutrun = error instanceof ServiceError && error.code === 'PRECONDITION_FAILED';
        if (!isOutrun || attempt === EDIT_ATTEMPTS) throw error;
      }
    }
  });
}

/** The last of the edits that run or wait in this process, by the document's id. */
const lastEdits = new Map<string, Promise<unknown>>();

/**
 * Runs the edits of one document one after the other. Run together, each would be applied again for
 * every one that is faster, and store a page's content each time.
 */
function afterOtherEdits<T>(documentId: string, work: () => Promise<T>): Promise<T> {
  const result = (lastEdits.get(documentId) ?? Promise.resolve()).then(work);
  const settled = result
    .catch(() => {})
    .then(() => {
      if (lastEdits.get(documentId) === settled) lastEdits.delete(documentId);
    });
  lastEdits.set(documentId, settled);
  return result;
}

/**
 * Changes the content, the name or the visibility of a document, all or nothing. What is the same as
 * before is not written: a change of nothing leaves version, `updatedAt` and history as they are.
 * Returns no content of a page, so nothing can fail once the change is committed.
 *
 * @throws NOT_FOUND, FORBIDDEN; PRECONDITION_FAILED when the document is in none of the states
 *   that `ifMatch` names; BAD_REQUEST, CONTENT_TOO_LARGE, UNPROCESSABLE as for creation
 */
export async function changeDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  given: DocumentInput,
  ifMatch: IfMatch,
  note: WriteNote = {},
): Promise<Seen<StoredDocument>> {
  const input = storable(ref.kind, given);
  const samePath = await findSameBlob(context, actor, ref, input);
  const unlessReplaced =
    samePath && (await writeChange(context, actor, ref, input, { ifMatch, note, samePath }));
  if (unlessReplaced) return unlessReplaced;
  const content = await storeNewContent(context, actor, ref, input);
  const write = () => writeChange(context, actor, ref, input, { ifMatch, note, content });
  const after = await keepingBlob(context, content?.storagePath, write);
  return after as Seen<StoredDocument>;
}

/**
 * Writes what differs, in one transaction.
 *
 * @param options.content the new content, stored already
 * @param options.samePath instead: where the blob store has the same content for this document
 * @returns `undefined` when the document has other content than that at `samePath` by now
 */
async function writeChange(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  input: DocumentInput,
  options: {
    ifMatch: IfMatch;
    note: WriteNote;
    content?: StoredContent | undefined;
    samePath?: string;
  },
): Promise<Seen<StoredDocument> | undefined> {
  const { ifMatch, note, content, samePath } = options;
  const write = async (tx: Writer) => {
    const before = await requireEditable(tx, actor, ref, input);
    const { id, ownerId, ownerType, kind, ownerNamespace } = before.document;
    if (input.visibility !== undefined) requireVisibility(ownerType, input.visibility);
    const name = input.name === undefined ? undefined : requireName(input.name);
    requireMatch(ifMatch, before.document);
    if (samePath !== undefined && samePath !== before.document.storagePath) return undefined;
    const isNewContent = content && !(await isSameText(tx, actor, ref, before, content));
    const change: DocumentChange = {
      ...(isNewContent && { content }),
      ...(name !== undefined && name !== before.document.name && { name }),
      ...(input.visibility !== undefined &&
        input.visibility !== before.document.visibility && { visibility: input.visibility }),
    };
    const changed = Object.keys(change);
    if (changed.length === 0) {
      return { change, before, after: await requireDocumentWithContent(tx, actor, ref) };
    }
    if (change.name !== undefined) {
      const wanted = { ownerId, kind, name: change.name, exceptId: id };
      const owner = ownerId === actor.id ? 'you' : ownerNamespace;
      if (await isNameTaken(tx, wanted)) throw new NameTaken({ ...wanted, owner });
    }
    const now = context.now();
    const renamed = { ...ref, name: name ?? ref.name };
    const [, , , , after] = await inOneGo([
      change.content && insertSuperseded(tx, id),
      updateDocumentRow(tx, before.document, change, { actorId: actor.id, now }),
      insertRevision(
        tx,
        revisionOf(
          actor,
          { documentId: id, version: before.document.version + 1, changed, at: now },
          note,
        ),
      ),
      insertPending(tx, id),
      requireDocumentWithContent(tx, actor, renamed),
    ]);
    return { change, before, after };
  };
  const written = await offeringFreeName(context.sql.read, () =>
    changeOwned(context, ref.owner, write),
  );
  if (!written) return undefined;
  const { change, after } = written;
  if (Object.keys(change).length > 0) context.wakeIndexer();
  return after;
}

/**
 * Removes a document with its content, collaborators and invitations.
 *
 * @throws NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED
 */
export async function deleteDocument(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  ifMatch: IfMatch,
): Promise<void> {
  const storagePaths = await changeOwned(
    context,
    ref.owner,
    async (tx) => {
      const { document } = await requireDocument(tx, actor, ref, 'delete');
      requireMatch(ifMatch, document);
      await insertPending(tx, document.id);
      await deleteDocumentRow(tx, document.id);
      const replaced = await deleteRevisions(tx, [document.id]);
      return [document.storagePath, ...replaced];
    },
    { freesSpace: true },
  );
  context.wakeIndexer();
  await discardBlobs(context, storagePaths);
}

const ALL_FIELDS = Object.keys(ACTION_BY_FIELD);

/** The row of a write. */
function revisionOf(
  actor: Actor,
  write: { documentId: string; version: number; changed: readonly string[]; at: string },
  note: WriteNote,
): NewRevision {
  return {
    ...write,
    changed: write.changed.join(' '),
    accountId: actor.id,
    via: actor.via.means,
    viaName: actor.via.name,
    message: note.message ?? null,
    baseVersion: note.baseVersion ?? null,
    merged: note.merged ? 1 : 0,
    restoredFrom: note.restoredFrom ?? null,
  };
}

/**
 * Returns where the blob store has a document's content, if an update brings the same content again.
 * They are compared before the transaction, which must not wait for the blob store; the content at a
 * path never changes.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
async function findSameBlob(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  input: DocumentInput,
): Promise<string | undefined> {
  if (input.content === undefined || KINDS[ref.kind].stored === 'row') return undefined;
  const { document } = await requireEditable(context.sql.read, actor, ref, input);
  const { storagePath, sizeBytes } = document;
  if (storagePath === null || Buffer.byteLength(input.content) !== sizeBytes) return undefined;
  const text = await loadContent(context, { content: null, storagePath });
  return text === input.content ? storagePath : undefined;
}

/** Whether a document's row has the text that an update brings. */
async function isSameText(
  db: Reader,
  actor: Actor,
  ref: DocumentRef,
  before: Seen<DocumentRow>,
  content: StoredContent,
): Promise<boolean> {
  if (content.text === null || content.sizeBytes !== before.document.sizeBytes) return false;
  const { document } = await requireDocumentWithContent(db, actor, ref);
  return document.content === content.text;
}

/** What a caller sent, with its content as it is stored. */
function storable(kind: Kind, input: DocumentInput): DocumentInput {
  if (input.content === undefined) return input;
  return { ...input, content: storableText(kind, input.content) };
}

/** The new content of an update, stored; the right to change it is checked first. */
async function storeNewContent(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  input: DocumentInput,
): Promise<StoredContent | undefined> {
  if (input.content === undefined) return undefined;
  await requireEditable(context.sql.read, actor, ref, input);
  return storeContent(context, actor, ref.kind, input.content);
}

/** The document, if the actor may change every field of `input`. @throws NOT_FOUND, FORBIDDEN */
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

/** @throws PRECONDITION_FAILED when no tag names the state that the document is in */
function requireMatch(ifMatch: IfMatch, document: DocumentRow): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  if (ifMatch.some((tag) => isTagOfState(tag, document))) return;
  throw new FieldError(
    'PRECONDITION_FAILED',
    'If-Match',
    'the document has changed since you read it. Read it again, then decide.',
  );
}

function requireName(text: string): string {
  const parsed = parseName(text);
  if ('name' in parsed) return parsed.name;
  throw new FieldError('BAD_REQUEST', 'name', `${parsed.problem}.`);
}

/** A name for a new document: from what it calls itself, else a random one. */
async function generateName(
  context: Context,
  actor: Actor,
  { text, title }: StoredContent,
): Promise<string> {
  const heading = text === null ? title : await context.markdown.firstHeading(actor.id, text);
  const name = heading ? nameFromHeading(heading) : undefined;
  const suffix = randomInt(36 ** 6).toString(36);
  return name ?? `untitled-${suffix.padStart(6, '0')}`;
}

/** Only organizations have an inside. @throws BAD_REQUEST */
export function requireVisibility(ownerType: OwnerType, visibility: Visibility): void {
  if (allowsVisibility(ownerType, visibility)) return;
  throw new FieldError(
    'BAD_REQUEST',
    'visibility',
    'only documents of an organization can be internal.',
  );
}
