import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Call } from '../../core/context.ts';
import { requireDocument, type Seen, see } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { listReferrers } from '../../core/document/reference-store.ts';

/** The most documents that are listed. */
const MAX_LISTED = 100;

/**
 * Lists the documents that link to one by its name or a former one, of those that the actor can
 * read, last changed first; at most 100 of the 500 newest. A change shows once it is indexed, about
 * a second later.
 */
export async function listBacklinks(call: Call, documentId: string): Promise<Seen<LibraryRow>[]> {
  return (await readable(call, documentId)).slice(0, MAX_LISTED);
}

async function readable(call: Call, documentId: string): Promise<Seen<LibraryRow>[]> {
  const rows = await listReferrers(call.sql.read, documentId, call.actor.id);
  return rows.map((row) => see(row)).filter(({ level }) => level !== 'none');
}

/** Lists them for someone who names the document. @throws DocumentMoved, NOT_FOUND */
export async function getBacklinks(
  call: Call,
  ref: DocumentRef,
  { number, size }: PageRequest,
): Promise<Page<Seen<LibraryRow>>> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  const all = await readable(call, document.id);
  return { items: all.slice((number - 1) * size, number * size), total: all.length };
}
