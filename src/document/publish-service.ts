import type { Actor, Context } from '../context.ts';
import { FieldError, undefinedIfNotFound } from '../errors.ts';
import type { Visibility } from './access.ts';
import { requireDocument } from './authorize.ts';
import { editDocument, updateDocument } from './document-change-service.ts';
import type { IfMatch } from './document-input.ts';
import { DocumentMoved } from './document-moved.ts';
import type { OwnerRef } from './document-owner-service.ts';
import type { DocumentRef } from './document-ref.ts';
import { createDocument, type WholeDocument } from './document-service.ts';
import type { DocumentRow } from './document-store.ts';
import type { Kind } from './kind.ts';
import { type MergedDocument, updateFromBase } from './merge-service.ts';
import { findRevisionOfText, type TextRevision } from './revision/revision-store.ts';
import type { WriteNote } from './revision/write-note.ts';
import { writerInWords } from './revision/writer.ts';

interface Published {
  content: string;
  visibility?: Visibility;
}

interface PublishOptions {
  /** Whether to replace a document at all. Without a name there is nothing to replace. */
  mayReplace: boolean;
  ifMatch: IfMatch;
  /** The revision that the writer started from. Later changes by others are merged. */
  baseRevision: number | undefined;
  message: string | undefined;
  /** Only for an existing document; see {@link WriteNote}. */
  alongside?: WriteNote['alongside'];
}

/** What publishing did. An existing document can get its text, another visibility alone, or nothing. */
export type PublishOutcome = 'created' | 'new text' | 'new visibility' | 'unchanged';

interface Publication {
  outcome: PublishOutcome;
  seen: MergedDocument;
  /** The renamed document that the name led to until now. */
  leftBehind?: DocumentRef | undefined;
}

/**
 * Creates a document. If the owner has one of this name, replaces its content. A text that another
 * credential wrote is only replaced with `baseRevision` or `ifMatch`, so that no one's work is
 * overwritten unseen.
 *
 * @throws TextOfOthers for such a text; with a condition, DocumentMoved if the document was renamed
 *   and PRECONDITION_FAILED if there is none; errors of {@link createDocument}, {@link
 *   updateDocument} and {@link updateFromBase}
 */
export async function publishDocument(
  context: Context,
  actor: Actor,
  document: { kind: Kind; owner: OwnerRef; name: string | undefined },
  input: Published,
  options: PublishOptions,
): Promise<Publication> {
  const { kind, owner, name } = document;
  const { ifMatch, mayReplace, baseRevision, message } = options;
  const isConditional = ifMatch !== undefined || baseRevision !== undefined;
  let leftBehind: DocumentRef | undefined;
  if (name !== undefined && mayReplace) {
    const ref = { kind, owner: owner.namespace, name };
    const existing = requireDocument(context.sql.read, actor, ref, 'read');
    const isThere = await undefinedIfNotFound(existing).catch((error) => {
      // With a condition, the writer has read that document. Without one, the name is free.
      if (!(error instanceof DocumentMoved) || isConditional) throw error;
      leftBehind = error.to;
    });
    if (isThere) {
      const seen = await replace(context, actor, ref, input, options);
      return { outcome: await outcomeOf(context, isThere.document, seen.document), seen };
    }
  }
  if (isConditional) {
    const field = ifMatch ? 'If-Match' : 'baseRevision';
    throw new FieldError(
      'PRECONDITION_FAILED',
      field,
      'no document has this name, so there is nothing to replace.',
    );
  }
  const fields = name === undefined ? input : { ...input, name };
  const created = await createDocument(context, actor, kind, owner, fields, { message });
  return { outcome: 'created', seen: { ...created, merged: false }, leftBehind };
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

async function replace(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  input: Published,
  { ifMatch, baseRevision, message, alongside }: PublishOptions,
): Promise<MergedDocument> {
  if (baseRevision !== undefined) {
    return updateFromBase(
      context,
      actor,
      ref,
      input,
      { baseRevision, message, alongside },
      ifMatch,
    );
  }
  const note = { message, alongside };
  if (ifMatch) {
    return { ...(await updateDocument(context, actor, ref, input, ifMatch, note)), merged: false };
  }
  const write = async (current: WholeDocument) => {
    await requireOwnText(context, actor, current);
    return { input, note };
  };
  return { ...(await editDocument(context, actor, ref, write, undefined)), merged: false };
}

/** A write would replace a text that another credential wrote. */
export class TextOfOthers extends FieldError {
  constructor(revision: TextRevision | undefined) {
    const who = revision ? writerInWords(revision) : 'someone';
    const when = revision ? ` wrote revision ${revision.version} at ${revision.at}` : ' wrote it';
    const how = revision?.merged ? ', merging what others had written' : '';
    super(
      'PRECONDITION_FAILED',
      'baseRevision',
      `is required, because the text is not yours alone: ${who}${when}${how}. Nothing was written.`,
    );
  }
}

/** @throws TextOfOthers unless this credential wrote the whole current text */
async function requireOwnText(
  context: Context,
  actor: Actor,
  { document: { id, version } }: WholeDocument,
): Promise<void> {
  const newest = await findRevisionOfText(context.sql.read, id, version);
  const isOwn =
    newest?.accountId === actor.id &&
    newest.via === actor.via.means &&
    newest.viaName === actor.via.name &&
    newest.merged === 0;
  if (!isOwn) throw new TextOfOthers(newest);
}
