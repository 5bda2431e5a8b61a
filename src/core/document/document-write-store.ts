import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { batchQueries } from '../../storage/sql/batch-queries.ts';
import { prepared, preparedInsert } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { insertEvent, type NewEvent } from '../event/event-store.ts';
import { insertPending } from '../outbox/search-pending-store.ts';
import { holdAddress, inheritProtection } from '../review/protection-store.ts';
import { insertRevision, type NewRevision } from '../revision/revision-store.ts';
import { insertSuperseded } from '../revision/revision-text-store.ts';
import { insertCollaborator, type NewCollaborator } from './collaborator-store.ts';
import { deleteAlias, insertAlias } from './document-alias-store.ts';
import { touchLabels } from './label-store.ts';

/** Content that is in the blob store, or that will be stored with its row. */
export interface StoredContent {
  /** `null` if the blob store has it. */
  text: string | null;
  storagePath: string | null;
  sizeBytes: number;
  /** The title, or a brief's first heading; `null` if none was found. */
  title: string | null;
}

export type DocumentBefore = { id: string; ownerId: string; kind: Kind; visibility: Visibility };

export type NewDocument = Row<'stored_document'>;

const insertedDocument = preparedInsert<'stored_document', NewDocument>(
  'stored_document',
  (insertion) =>
    insertion
      .onConflict((conflict) =>
        conflict.columns(['ownerId', 'kind', 'name']).where('deletedAt', 'is', null).doNothing(),
      )
      .returning('id'),
);

/**
 * Stores a new document. If the owner has one of this kind and name, returns `false`; then the
 * transaction must not be committed.
 */
export async function insertDocument(db: Writer, document: NewDocument): Promise<boolean> {
  return (await insertedDocument(db, document)).length > 0;
}

/**
 * Stores a new document with everything that belongs to it: its first revision, the
 * collaborator who created it, its event, and its entry for the search index. If the name
 * redirected to another document, the redirect ends. Returns `false` if the name is taken; then
 * roll back.
 */
export async function storeNewDocument(
  db: Writer,
  document: NewDocument,
  { revision, event }: { revision: NewRevision; event: NewEvent },
  collaborator?: NewCollaborator,
): Promise<boolean> {
  const stored = insertDocument(db, document);
  const others = batchQueries([
    stored,
    collaborator && insertCollaborator(db, collaborator),
    insertRevision(db, revision),
    insertEvent(db, event),
    insertPending(db, document.id),
    deleteAlias(db, document),
    inheritProtection(db, { ...document, documentId: document.id }),
  ]);
  await Promise.allSettled([stored, others]);
  // If the name is taken, the others fail, because they refer to a document that isn't there.
  if (!(await stored)) return false;
  await others;
  return true;
}

export interface DocumentChange {
  name?: string;
  visibility?: Visibility;
  /** The new content, or where it is stored. */
  content?: StoredContent;
}

type UpdateParameters = { id: string; actorId: string | null; now: string } & StoredContent &
  Required<Omit<DocumentChange, 'content'>>;

/** One query per set of fields. */
const updates = new Map<string, ReturnType<typeof preparedUpdate>>();

function preparedUpdate(fields: readonly string[]) {
  return prepared<UpdateParameters, unknown>((db, parameter) =>
    db
      .updateTable('stored_document')
      .set((expression) => ({
        version: expression('version', '+', 1),
        updatedBy: parameter('actorId'),
        updatedAt: parameter('now'),
        ...(fields.includes('name') && { name: parameter('name') }),
        ...(fields.includes('visibility') && { visibility: parameter('visibility') }),
        ...(fields.includes('content') && {
          content: parameter('text'),
          storagePath: parameter('storagePath'),
          sizeBytes: parameter('sizeBytes'),
          title: parameter('title'),
        }),
      }))
      .where('id', '=', parameter('id')),
  );
}

function updateOf(change: DocumentChange) {
  const fields = Object.keys(change);
  const key = fields.join(' ');
  const update = updates.get(key) ?? preparedUpdate(fields);
  updates.set(key, update);
  return update as (db: Writer, parameters: Partial<UpdateParameters>) => Promise<unknown>;
}

/**
 * Changes a document and increments its version. The name must be free.
 *
 * @param before the current document
 */
export async function updateDocument(
  db: Writer,
  before: DocumentBefore,
  change: DocumentChange,
  by: { actorId: string | null; now: string },
): Promise<void> {
  const { content, ...values } = change;
  const update = updateOf(change)(db, { id: before.id, ...by, ...values, ...content });
  await batchQueries([update, touchLabels(db, before.id)]);
}

/**
 * Stores a document's change with the text it replaces, the name it gives up, its revision, its
 * event, if it has one, and its entry for the search index.
 */
export async function storeChange(
  db: Writer,
  before: DocumentBefore & { name: string },
  change: DocumentChange,
  by: { actorId: string | null; now: string },
  { revision, event }: { revision: NewRevision; event?: NewEvent },
): Promise<void> {
  const { name, visibility } = change;
  await batchQueries([
    (name !== undefined || visibility !== undefined) && holdAddress(db, before.id),
    name !== undefined && deleteAlias(db, { ...before, name }),
    name !== undefined && insertAlias(db, { ...before, documentId: before.id }),
    name !== undefined && inheritProtection(db, { ...before, documentId: before.id, name }),
    change.content && insertSuperseded(db, before.id),
    updateDocument(db, before, change, by),
    insertRevision(db, revision),
    event && insertEvent(db, event),
    insertPending(db, before.id),
  ]);
}
