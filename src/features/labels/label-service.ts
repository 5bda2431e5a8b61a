import { FieldError } from '../../base/errors.ts';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { parseLabel, parseLabels } from '../../base/schema/label.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { listLabelsOf, listLabelsOfAll, replaceLabels } from '../../core/document/label-store.ts';
import { type OwnerRef, requireOwnerRole } from '../../core/owner/document-owner-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { type CountedLabel, listOwnerLabels as listLabelsOfOwner } from './label-list-store.ts';

/** Returns a document's labels, sorted. @throws NOT_FOUND */
export async function getLabels(call: Call, ref: DocumentRef): Promise<string[]> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  return listLabelsOf(call.sql.read, document.id);
}

/**
 * Returns the labels of documents, sorted, by the documents' ids.
 *
 * @param documents must be readable by the actor: everyone signed in who can read a document can
 *   see its labels (decision 005)
 */
export async function labelsOfDocuments(
  { sql }: Context,
  documents: readonly { id: string }[],
): Promise<ReadonlyMap<string, string[]>> {
  if (documents.length === 0) return new Map();
  const ids = documents.map(({ id }) => id);
  const byDocument = Map.groupBy(await listLabelsOfAll(sql.read, ids), (row) => row.documentId);
  return new Map([...byDocument].map(([id, rows]) => [id, rows.map(({ label }) => label)]));
}

/**
 * Replaces a document's labels. Doesn't change the document, so it writes no revision.
 *
 * @returns the labels, sorted
 * @throws NOT_FOUND, FORBIDDEN; BAD_REQUEST for a label
 */
export async function setLabels(
  call: Call,
  ref: DocumentRef,
  texts: readonly string[],
): Promise<string[]> {
  return changeOwned(call, ref.owner, async (tx) => {
    const { document } = await requireDocument(tx, call.actor, ref, 'label');
    const labels = parseLabels(texts);
    if ('problem' in labels) throw new FieldError('BAD_REQUEST', 'labels', `${labels.problem}.`);
    await replaceLabels(tx, { documentId: document.id, ownerId: document.ownerId }, labels);
    return labels.map(({ label }) => label);
  });
}

/**
 * Lists the labels of an owner's documents that the actor can see, sorted, with the number of
 * documents.
 *
 * @throws NOT_FOUND if there is no such owner
 */
export async function listOwnerLabels(
  call: Call,
  owner: OwnerRef,
  page: PageRequest,
): Promise<Page<CountedLabel>> {
  const labels = await listAllLabels(call, owner);
  const offset = offsetOf(page);
  return { items: labels.slice(offset, offset + page.size), total: labels.length };
}

/**
 * Lists all labels of an owner's documents that the actor can see.
 *
 * @throws NOT_FOUND if there is no such owner
 */
export async function listAllLabels(call: Call, owner: OwnerRef): Promise<CountedLabel[]> {
  const { read } = call.sql;
  return listLabelsOfOwner(read, await requireOwnerRole(read, call.actor, owner));
}

/** How many labels are suggested. */
const SUGGESTED = 30;

/**
 * Returns suggestions for a document's labels: its own, and the owner's most frequent ones. Only
 * for someone who can label the document, and only from documents that they can see.
 *
 * @param chosen the document's labels
 */
export async function listSuggestions(
  { sql }: Context,
  document: DocumentRow,
  chosen: readonly string[],
): Promise<{ label: string; isChosen: boolean }[]> {
  const { ownerId, actorId, role } = document;
  const list = {
    ownerId,
    actorId,
    role: ownerId === actorId ? 'admin' : (role ?? 'none'),
  } as const;
  const keys = new Set(chosen.map((label) => label.toLowerCase()));
  const others = (await listLabelsOfOwner(sql.read, list))
    .filter(({ label }) => !keys.has(label.toLowerCase()))
    .sort((a, b) => b.documents - a.documents)
    .slice(0, SUGGESTED)
    .map(({ label }) => ({ label, isChosen: false }));
  return [...chosen.map((label) => ({ label, isChosen: true })), ...others].sort((a, b) =>
    a.label.toLowerCase() < b.label.toLowerCase() ? -1 : 1,
  );
}

/** Returns the key of a label to filter by. @throws BAD_REQUEST */
export function requireLabelKey(text: string): string {
  const label = parseLabel(text);
  if ('problem' in label) throw new FieldError('BAD_REQUEST', 'label', `${label.problem}.`);
  return label.key;
}
