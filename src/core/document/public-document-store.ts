import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { preparedList } from './document-list-store.ts';
import type { DocumentRef } from './document-ref.ts';

/** A public document as the web host shows it, without its content. */
export type PublicDocumentRow = RowOf<typeof publicDocument>;

export type PublicBriefRow = PublicDocumentRow & { content: string };

/** A public document with its stored rendition, if there is one. */
export type PublicRenditionRow = PublicDocumentRow & { html: Uint8Array | string | null };

type Lookup = { kind: Kind; owner: string; name: string };

const withContent = lookup<Lookup, PublicBriefRow>((db, parameter) =>
  publicDocument(db, parameter).select('document.content').$narrowType<{ content: string }>(),
);

const withRendition = lookup<Lookup & { revision: string }, PublicRenditionRow>((db, parameter) =>
  publicDocument(db, parameter)
    .leftJoin('rendition', (join) =>
      join
        .onRef('rendition.documentId', '=', 'document.id')
        .onRef('rendition.version', '=', 'document.version')
        .on('rendition.revision', '=', parameter('revision')),
    )
    .select(capabilitiesOf(db).textBytes(sql.ref('rendition.html')).as('html')),
);

const withoutContent = lookup<Lookup, PublicDocumentRow>(publicDocument);

/** Finds a public document without its content. The version identifies the content. */
export async function findPublicDocumentState(
  db: Reader,
  ref: DocumentRef,
): Promise<PublicDocumentRow | undefined> {
  const [row] = await withoutContent(db, { ...ref });
  return row;
}

/**
 * Finds a public document with its content. One that isn't public costs the same as one that
 * doesn't exist.
 */
export async function findPublicDocument(
  db: Reader,
  ref: DocumentRef,
): Promise<PublicBriefRow | undefined> {
  const [row] = await withContent(db, { ...ref });
  return row;
}

const publicPage = lookup<Lookup, PublicPageRow>((db, parameter) =>
  publicDocument(db, parameter)
    .select('document.storagePath')
    .$narrowType<{ storagePath: string }>(),
);

/** A public page with the key of its HTML. */
export type PublicPageRow = PublicDocumentRow & { storagePath: string };

export async function findPublicPage(
  db: Reader,
  { owner, name }: DocumentRef,
): Promise<PublicPageRow | undefined> {
  const [row] = await publicPage(db, { kind: 'page', owner, name });
  return row;
}

/** Finds a public document with its rendition by `revision` of the code, if there is one. */
export async function findPublicRendition(
  db: Reader,
  ref: DocumentRef,
  revision: string,
): Promise<PublicRenditionRow | undefined> {
  const [row] = await withRendition(db, { ...ref, revision });
  return row;
}

/** A document's rendered page and the version it shows. */
type Rendition = Row<'rendition'> & Row<'document', 'updatedBy'>;

/** During an upgrade, processes of two code revisions run side by side. */
const REVISIONS_STORED = 2;

/**
 * Stores a document's rendition, unless the document has changed since or the account it names is
 * gone. Keeps one for each of two code revisions, so that their processes don't overwrite each
 * other's.
 */
export async function upsertRendition(db: Writer, rendition: Rendition): Promise<void> {
  const { documentId, version, updatedBy, revision, createdAt, html } = rendition;
  const current = await db
    .selectFrom('document')
    .leftJoin('owner as updater', 'updater.id', 'document.updatedBy')
    .select(['document.version', 'updater.namespace as updatedBy'])
    .where('document.id', '=', documentId)
    .executeTakeFirst();
  if (current?.version !== version || current.updatedBy !== updatedBy) return;
  await db
    .insertInto('rendition')
    .values({ documentId, revision, version, createdAt, html })
    .onConflict((conflict) =>
      conflict.columns(['documentId', 'revision']).doUpdateSet((update) => ({
        version: update.ref('excluded.version'),
        createdAt: update.ref('excluded.createdAt'),
        html: update.ref('excluded.html'),
      })),
    )
    .execute();
  await db
    .deleteFrom('rendition')
    .where('documentId', '=', documentId)
    .where('revision', 'not in', (query) =>
      query
        .selectFrom('rendition')
        .select('revision')
        .where('documentId', '=', documentId)
        .orderBy('createdAt', 'desc')
        .limit(REVISIONS_STORED),
    )
    .execute();
}

export type ProfileDocumentRow = RowOf<typeof publicPinned>;

/** The list is the same for every reader. */
const NOBODY = '';

const PROFILE_COLUMNS = [
  'document.id',
  'document.kind',
  'document.name',
  'document.title',
  'creator.namespace as createdBy',
  'document.createdAt',
  'document.updatedAt',
] as const;

const publicList = preparedList<ProfileDocumentRow>(
  { kinds: ALL_KINDS, visibilities: ['public'] },
  (db, isOnPage) =>
    db
      .selectFrom('document')
      .leftJoin('owner as creator', 'creator.id', 'document.createdBy')
      .where(isOnPage)
      .select(PROFILE_COLUMNS)
      .orderBy('document.id', 'desc'),
);

/** Lists an owner's public documents of every kind, newest first. */
export async function listPublicDocuments(
  db: Reader,
  ownerId: string,
  page: PageRequest,
): Promise<Page<ProfileDocumentRow>> {
  return publicList(db, { ownerId, actorId: NOBODY }, page);
}

const publicPinned = prepared((db, parameter: Parameter<{ ownerId: string }>) =>
  db
    .selectFrom('pinned_document')
    .innerJoin('document', 'document.id', 'pinned_document.documentId')
    .leftJoin('owner as creator', 'creator.id', 'document.createdBy')
    .where('pinned_document.ownerId', '=', parameter('ownerId'))
    .where('document.visibility', '=', 'public')
    .select(PROFILE_COLUMNS)
    .orderBy('pinned_document.pinnedAt', 'desc')
    .orderBy('document.id', 'desc'),
);

/** Lists an owner's public documents that are pinned to the top, the last pinned first. */
export async function listPublicPinned(
  db: Reader,
  ownerId: string,
): Promise<readonly ProfileDocumentRow[]> {
  return publicPinned(db, { ownerId });
}

/** Queries the public document with an owner and name. */
function publicDocument(db: Reader, parameter: Parameter<Lookup>) {
  return db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .leftJoin('owner as updater', 'updater.id', 'document.updatedBy')
    .where('document.visibility', '=', 'public')
    .where('owner.namespace', '=', parameter('owner'))
    .where('document.kind', '=', parameter('kind'))
    .where('document.name', '=', parameter('name'))
    .select([
      'document.id',
      'document.name',
      'document.title',
      'document.version',
      'document.sizeBytes',
      'document.updatedAt',
      // A username; `null` if the account is gone.
      'updater.namespace as updatedBy',
      'owner.namespace as ownerNamespace',
    ]);
}
