import { FieldError, undefinedIfNotFound } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import type { Call, Context } from '../context.ts';
import { type OwnerRef, requireCreatableOwner } from '../owner/document-owner-service.ts';
import { requireQuota } from '../quota/quota-service.ts';
import { findRevisionOfText, type RevisionRow } from '../revision/revision-store.ts';
import type { WriteNote } from '../revision/write-note.ts';
import { isOwnWrite, writerInWords } from '../revision/writer.ts';
import { requireAction, requireDocument, type Seen } from './authorize.ts';
import { requireName, requireVisibility } from './document-input.ts';
import { DocumentMoved } from './document-moved.ts';
import type { DocumentRef } from './document-ref.ts';
import {
  createDocument,
  getDocument,
  requireNewVisibility,
  type WholeDocument,
} from './document-service.ts';
import { type DocumentRow, isNameTaken } from './document-store.ts';
import { type IfMatch, requireMatch } from './entity-tag.ts';
import { loadBase, type MergedDocument, updateDocument, updateFromBase } from './merge-service.ts';
import { NameTaken, offeringFreeName } from './name-taken.ts';
import { editDocument } from './retried-edit-service.ts';

export interface Published {
  content: string;
  visibility?: Visibility;
}

export interface PublishOptions {
  /** Whether to replace an existing document. Without a name there is none. */
  mayReplace: boolean;
  ifMatch: IfMatch;
  /** The revision that the writer started from. Later changes by others are merged. */
  baseRevision: number | undefined;
  message: string | undefined;
  /** Only for an existing document; see {@link WriteNote}. */
  alongside?: WriteNote['alongside'];
}

/**
 * What publishing did. An existing document can get the text, only another visibility, or no
 * change.
 */
export type PublishOutcome = 'created' | 'new text' | 'new visibility' | 'unchanged';

interface Publication {
  outcome: PublishOutcome;
  seen: MergedDocument;
  /** The renamed document to which the name redirected until now. */
  formerDocument?: DocumentRef | undefined;
}

/**
 * Creates a document. If the owner has one of this name, replaces its content. A text that another
 * credential wrote is only replaced with `baseRevision` or `ifMatch`, so that no one's unread work
 * is overwritten.
 *
 * @throws TextOfOthers for such a text; with a condition, DocumentMoved if the document was renamed
 *   and PRECONDITION_FAILED if no document has the name; errors of {@link createDocument}, {@link
 *   updateDocument} and {@link updateFromBase}
 */
export async function publishDocument(
  call: Call,
  document: { kind: Kind; owner: OwnerRef; name: string | undefined },
  input: Published,
  options: PublishOptions,
): Promise<Publication> {
  const { kind, owner, name } = document;
  const { existing, formerDocument } = await findTarget(call, document, options);
  if (existing) {
    const ref = refOf(existing.document);
    const seen = await replaceText(call, ref, input, options);
    return { outcome: await outcomeOf(call, existing.document, seen.document), seen };
  }
  const fields = name === undefined ? input : { ...input, name };
  const { message } = options;
  const created = await createDocument(call, kind, owner, fields, { message });
  return { outcome: 'created', seen: { ...created, merged: false, wordLines: [] }, formerDocument };
}

/**
 * Checks everything about a publication that doesn't depend on its text, for a text that arrives
 * later.
 *
 * @returns the document whose text it would replace, if any
 * @throws what {@link publishDocument} throws
 */
export async function preparePublication(
  call: Call,
  document: { kind: Kind; owner: OwnerRef; name: string | undefined },
  visibility: Visibility | undefined,
  options: PublishOptions,
): Promise<DocumentRow | undefined> {
  const { existing } = await findTarget(call, document, options);
  if (existing) return requireReplaceable(call, existing.document, visibility, options);
  const { kind, owner, name } = document;
  const { read } = call.sql;
  const { id: ownerId, type } = await requireCreatableOwner(read, call.actor, owner);
  const given = name === undefined ? '' : requireName(name);
  const there = { ownerId, ownerType: type, kind, name: given, visibility: visibility ?? 'public' };
  requireVisibility(type, there.visibility);
  await requireNewVisibility(call, read, there);
  await requireQuota(call, read, ownerId, { documents: 1, bytes: 1 }, 1);
  if (name === undefined) return undefined;
  const wanted = { ownerId, kind, name: given, exceptId: '' };
  return offeringFreeName(read, async () => {
    const who = ownerId === call.actor.id ? 'you' : owner.namespace;
    if (await isNameTaken(read, wanted)) throw new NameTaken({ ...wanted, owner: who });
    return undefined;
  });
}

async function requireReplaceable(
  call: Call,
  row: DocumentRow,
  visibility: Visibility | undefined,
  { ifMatch, baseRevision }: PublishOptions,
): Promise<DocumentRow> {
  const current = await getDocument(call, refOf(row));
  const { document } = current;
  requireAction(current, refOf(row), 'editContent');
  if (visibility !== undefined) {
    requireAction(current, refOf(row), 'changeVisibility');
    requireVisibility(document.ownerType, visibility);
  }
  requireMatch(ifMatch, document);
  if (baseRevision !== undefined) await loadBase(call, current, baseRevision);
  else if (ifMatch === undefined) await requireOwnText(call, current);
  return document;
}

const refOf = ({ kind, ownerNamespace: owner, name }: DocumentRow) => ({ kind, owner, name });

/**
 * Finds what a publication replaces.
 *
 * @throws DocumentMoved, PRECONDITION_FAILED as {@link publishDocument}
 */
async function findTarget(
  call: Call,
  { kind, owner, name }: { kind: Kind; owner: OwnerRef; name: string | undefined },
  { ifMatch, mayReplace, baseRevision }: PublishOptions,
): Promise<{ existing?: Seen<DocumentRow>; formerDocument?: DocumentRef | undefined }> {
  const isConditional = ifMatch !== undefined || baseRevision !== undefined;
  let formerDocument: DocumentRef | undefined;
  if (name !== undefined && mayReplace) {
    const ref = { kind, owner: owner.namespace, name };
    const found = requireDocument(call.sql.read, call.actor, ref, 'read');
    const existing = await undefinedIfNotFound(found).catch((error) => {
      // With a condition, the writer has read that document. Without one, the name is free.
      if (!(error instanceof DocumentMoved) || isConditional) throw error;
      formerDocument = error.to;
    });
    if (existing) return { existing };
  }
  if (isConditional) {
    const field = ifMatch ? 'If-Match' : 'baseRevision';
    throw new FieldError(
      'PRECONDITION_FAILED',
      field,
      'no document has this name, so there is nothing to replace.',
    );
  }
  return { formerDocument };
}

async function outcomeOf(
  context: Context,
  before: DocumentRow,
  after: DocumentRow,
): Promise<PublishOutcome> {
  if (after.version === before.version) return 'unchanged';
  if (after.visibility === before.visibility) return 'new text';
  const newest = await findRevisionOfText(context.sql.read, after.id, after.version);
  return (newest?.version ?? 0) > before.version ? 'new text' : 'new visibility';
}

/**
 * Replaces the text of an existing document.
 *
 * @throws TextOfOthers, and what {@link updateDocument} and {@link updateFromBase} throw
 */
export async function replaceText(
  call: Call,
  ref: DocumentRef,
  input: Published,
  { ifMatch, baseRevision, message, alongside }: PublishOptions,
): Promise<MergedDocument> {
  if (baseRevision !== undefined) {
    return updateFromBase(call, ref, input, { baseRevision, message, alongside }, ifMatch);
  }
  const note = { message, alongside };
  if (ifMatch) return updateDocument(call, ref, input, ifMatch, note);
  const write = async (current: WholeDocument) => {
    await requireOwnText(call, current);
    return { input, note };
  };
  return { ...(await editDocument(call, ref, write, undefined)), merged: false, wordLines: [] };
}

/** A write would replace a text that another credential wrote. */
export class TextOfOthers extends FieldError {
  constructor(revision: RevisionRow | undefined) {
    const who = revision ? writerInWords(revision) : 'someone';
    const when = revision ? ` wrote revision ${revision.version} at ${revision.at}` : ' wrote it';
    const how = revision?.merged ? ', merging changes by others' : '';
    super(
      'PRECONDITION_FAILED',
      'baseRevision',
      `is required, because someone else wrote this text too: ${who}${when}${how}. Nothing was ` +
        'written.',
    );
  }
}

/** @throws TextOfOthers unless this credential wrote the whole current text */
async function requireOwnText(
  call: Call,
  { document: { id, version } }: WholeDocument,
): Promise<void> {
  const newest = await findRevisionOfText(call.sql.read, id, version);
  if (!newest || newest.merged || !isOwnWrite(newest, call.actor)) throw new TextOfOthers(newest);
}
