import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor, Context } from '../context.ts';
import { requireDocumentWithContent } from './authorize.ts';
import { loadContent, rowContent } from './content.ts';
import type { DocumentInput } from './document-input.ts';
import type { DocumentRef } from './document-ref.ts';
import type { DocumentRow, StoredDocument } from './document-store.ts';
import type { DocumentChange, StoredContent } from './document-write-store.ts';

/**
 * What was prepared before the transaction: new content in the blob store, content equal to the
 * blob at `samePath`, or the title of content that its row stores.
 */
export type Prepared =
  | { content: StoredContent }
  | { samePath: string | null }
  | { title: string | undefined };

/** Returns the content that an update writes; `undefined` if the content stays the same. */
export function newContent(
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
export async function withContent(
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
export async function hasSameBlob(
  context: Context,
  { storagePath, sizeBytes }: DocumentRow,
  content: string,
): Promise<boolean> {
  if (Buffer.byteLength(content) !== sizeBytes) return false;
  return (await loadContent(context, { content: null, storagePath })) === content;
}

/** Returns the document as {@link storeChange} leaves it, which saves reading it again. */
export function afterChange(
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
