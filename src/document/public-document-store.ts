import { sql } from 'kysely';
import type { Page, PageRequest } from '../page.ts';
import { paginate } from '../storage/sql/paginate.ts';
import { prepared } from '../storage/sql/prepared.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import type { DocumentRef } from './document-ref.ts';
import type { Kind } from './kind.ts';

/** What the web host shows of a public document besides its content. */
export interface PublicDocumentRow {
  id: string;
  name: string;
  version: number;
  sizeBytes: number;
  updatedAt: string;
  /** A username; `null` when the account is gone. */
  updatedBy: string | null;
  ownerNamespace: string;
}

/** A public brief with its Markdown. */
export type PublicBriefRow = PublicDocumentRow & { content: string };

type Lookup = { kind: Kind; owner: string; name: string };

const withContent = prepared<Lookup, PublicBriefRow>((db, parameter) =>
  publicDocuments(db)
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', parameter('kind'))
    .where('document.name', '=', parameter('name'))
    .select('document.content')
    .$narrowType<{ content: string }>(),
);

const withRendition = prepared<
  Lookup & { revision: string },
  PublicDocumentRow & { html: Uint8Array | null }
>((db, parameter) =>
  publicDocuments(db)
    .leftJoin('rendition', (join) =>
      join
        .onRef('rendition.document_id', '=', 'document.id')
        .onRef('rendition.version', '=', 'document.version')
        .on('rendition.revision', '=', parameter('revision')),
    )
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', parameter('kind'))
    .where('document.name', '=', parameter('name'))
    .select('rendition.html'),
);

/**
 * A public document with its content. One that is not public is found by nothing here, at the same
 * cost as one that does not exist.
 */
export async function findPublicDocument(
  db: Reader,
  ref: DocumentRef,
): Promise<PublicBriefRow | undefined> {
  const [row] = await withContent(db, { ...ref });
  return row;
}

const publicPage = prepared<{ owner: string; name: string }, PublicPageRow>((db, parameter) =>
  publicDocuments(db)
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', 'page')
    .where('document.name', '=', parameter('name'))
    .select(['document.title', 'document.storage_path as storagePath'])
    .$narrowType<{ storagePath: string }>(),
);

/** A public page: what it calls itself, and where its HTML is. */
export type PublicPageRow = PublicDocumentRow & { title: string | null; storagePath: string };

/** A public page. One that is not public is found by nothing here. */
export async function findPublicPage(
  db: Reader,
  { owner, name }: DocumentRef,
): Promise<PublicPageRow | undefined> {
  const [row] = await publicPage(db, { owner, name });
  return row;
}

/** A public document with the page that `revision` of the code made of it, where there is one. */
export async function findPublicRendition(
  db: Reader,
  ref: DocumentRef,
  revision: string,
): Promise<(PublicDocumentRow & { html: Uint8Array | null }) | undefined> {
  const [row] = await withRendition(db, { ...ref, revision });
  return row;
}

/** Keeps a document's page, unless the document has changed since. */
export async function upsertRendition(
  db: Writer,
  rendition: { documentId: string; version: number; revision: string; html: Uint8Array },
): Promise<void> {
  const { documentId, version, revision, html } = rendition;
  await db
    .insertInto('rendition')
    .columns(['document_id', 'version', 'revision', 'html'])
    .expression(
      db
        .selectFrom('document')
        .select([
          'id',
          'version',
          sql<string>`${revision}`.as('revision'),
          sql<Uint8Array>`${html}`.as('html'),
        ])
        .where('id', '=', documentId)
        .where('version', '=', version),
    )
    .onConflict((conflict) =>
      conflict.column('document_id').doUpdateSet((update) => ({
        version: update.ref('excluded.version'),
        revision: update.ref('excluded.revision'),
        html: update.ref('excluded.html'),
      })),
    )
    .execute();
}

/** One entry of a profile. */
export interface ProfileDocumentRow {
  kind: Kind;
  name: string;
  updatedAt: string;
}

/** One page of an owner's public documents of every kind, newest first. */
export async function listPublicDocuments(
  db: Reader,
  ownerId: string,
  page: PageRequest,
): Promise<Page<ProfileDocumentRow>> {
  const rows = db
    .selectFrom('document')
    .where('document.owner_id', '=', ownerId)
    .where('document.visibility', '=', 'public')
    .select(['document.kind', 'document.name', 'document.updated_at as updatedAt']);
  return paginate(rows, 'document.id', page);
}

function publicDocuments(db: Reader) {
  return db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .leftJoin('owner as updater', 'updater.id', 'document.updated_by')
    .where('document.visibility', '=', 'public')
    .select([
      'document.id',
      'document.name',
      'document.version',
      'document.size_bytes as sizeBytes',
      'document.updated_at as updatedAt',
      'updater.namespace as updatedBy',
      'owner.namespace as ownerNamespace',
    ]);
}
