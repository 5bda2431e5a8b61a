import { sql } from 'kysely';
import type { Kind } from '../../base/schema/kind.ts';
import { adjustUsage } from '../../core/quota/usage-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A document that can be handed over, with the stored bytes of it and its old texts. */
export interface OwnedDocument {
  id: string;
  kind: Kind;
  name: string;
  bytes: number;
}

/** Lists what a user owns, oldest first, without what is in the trash or taken down. */
export async function listOwned(db: Reader, ownerId: string): Promise<OwnedDocument[]> {
  const rows = await db
    .selectFrom('document')
    .where('ownerId', '=', ownerId)
    .select(['id', 'kind', 'name'])
    .select((build) =>
      sql<number>`"sizeBytes" + ${build
        .selectFrom('revision_text')
        .whereRef('revision_text.documentId', '=', 'document.id')
        .select(sql`coalesce(sum("storedBytes"), 0)`.as('old'))}`.as('bytes'),
    )
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/** Lets another account answer for the secret links that somebody made to a document. */
export async function updateLinkMaker(
  db: Writer,
  documentId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db
    .updateTable('document_link')
    .set({ createdBy: to })
    .where('documentId', '=', documentId)
    .where('createdBy', '=', from)
    .execute();
}

/** Gives all uploaded files of an account to another one, whatever that may have. */
export async function updateFileOwner(
  db: Writer,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const moved = await db
    .updateTable('file')
    .set({ accountId: to })
    .where('accountId', '=', from)
    .returning('sizeBytes')
    .execute();
  const bytes = moved.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  await adjustUsage(db, from, { bytes: -bytes, fileBytes: -bytes });
  await adjustUsage(db, to, { bytes, fileBytes: bytes });
}
