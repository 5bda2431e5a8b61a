import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Role } from '../owner/organization-access.ts';
import { type LinkMakers, mayMakeLinks } from '../owner/policy.ts';
import type { Permission } from './access-rules.ts';

/** A secret link to a document. */
export type LinkRow = RowOf<typeof links>;

/**
 * Selects links with their creators. A link whose creator's account is gone is never selected, and
 * doesn't work.
 */
function links(db: Reader) {
  return db
    .selectFrom('document_link')
    .innerJoin('owner as creator', 'creator.id', 'document_link.createdBy')
    .select([
      'document_link.id',
      'document_link.documentId',
      'document_link.access',
      'document_link.note',
      'creator.id as createdBy',
      'creator.namespace as createdByUsername',
      'document_link.createdAt',
      'document_link.expiresAt',
      'document_link.sealedSecret',
      'document_link.passwordHash',
    ]);
}

/** A link with what its maker has there, and what its document's organization allows. */
type Governed = LinkRow & {
  linkMakers: LinkMakers | null;
  ownerId: string;
  makerRole: Role | null;
  makerPermission: Permission | null;
};

/**
 * Selects links that work while they haven't expired: not those of disabled accounts. Those that an
 * organization doesn't allow are to be left out with {@link isAllowed}.
 */
function workingLinks(db: Reader) {
  return links(db)
    .innerJoin('account', 'account.id', 'document_link.createdBy')
    .where('account.disabledAt', 'is', null)
    .innerJoin('stored_document as linked', 'linked.id', 'document_link.documentId')
    .leftJoin('organization_policy as policy', 'policy.organizationId', 'linked.ownerId')
    .leftJoin('membership as making', (join) =>
      join
        .onRef('making.organizationId', '=', 'linked.ownerId')
        .onRef('making.accountId', '=', 'document_link.createdBy'),
    )
    .leftJoin('collaborator as sharing', (join) =>
      join
        .onRef('sharing.documentId', '=', 'document_link.documentId')
        .onRef('sharing.accountId', '=', 'document_link.createdBy'),
    )
    .select(['policy.linkMakers', 'linked.ownerId'])
    .select(['making.role as makerRole', 'sharing.permission as makerPermission']);
}

/**
 * Tells whether its maker can share the document, and the organization allows the link. Who loses the right
 * to share loses the link, too, except members without a required second factor, whose links wait.
 */
function isAllowed(link: Governed): boolean {
  const { linkMakers, ownerId, makerRole, makerPermission, createdBy } = link;
  const canShare = ownerId === createdBy || makerRole === 'admin' || makerPermission === 'admin';
  return canShare && (linkMakers === null || mayMakeLinks(linkMakers, makerRole));
}

/** Returns the link without what its document's organization allows, if that allows it. */
function allowed(row: Governed | undefined): LinkRow | undefined {
  if (!row || !isAllowed(row)) return undefined;
  const {
    linkMakers: _makers,
    ownerId: _owner,
    makerRole: _role,
    makerPermission: _,
    ...link
  } = row;
  return link;
}

const linkByHash = lookup<{ secretHash: string }, Governed>((db, parameter) =>
  workingLinks(db).where('document_link.secretHash', '=', parameter('secretHash')),
);

const linkById = lookup<{ id: string }, Governed>((db, parameter) =>
  workingLinks(db).where('document_link.id', '=', parameter('id')),
);

/**
 * Finds a link by the hash of its secret, unless its creator's account is disabled or its organization doesn't
 * allow it. The link may
 * have expired.
 */
export async function findLinkByHash(db: Reader, secretHash: string): Promise<LinkRow | undefined> {
  const [row] = await linkByHash(db, { secretHash });
  return allowed(row);
}

/**
 * Finds a link by its id, unless its creator's account is disabled or its organization doesn't
 * allow it. The link may have expired.
 */
export async function findLink(db: Reader, id: string): Promise<LinkRow | undefined> {
  const [row] = await linkById(db, { id });
  return allowed(row);
}

/** Lists a document's links that haven't expired at `now`, newest first. */
export async function listLinksOf(
  db: Reader,
  { documentId, now }: { documentId: string; now: string },
  page: PageRequest,
): Promise<Page<LinkRow>> {
  const rows = links(db).where('document_link.documentId', '=', documentId).where(isOpenAt(now));
  return paginate(rows, 'document_link.id', page);
}

const linksOfDocuments = prepared<{ ids: string; now: string }, Governed>((db, parameter) => {
  const { isAmong, idsIn } = capabilitiesOf(db);
  const expiresAt = sql.ref('document_link.expiresAt');
  return workingLinks(db)
    .where(isAmong(sql.ref('document_link.documentId'), idsIn(parameter('ids'))))
    .where(sql<boolean>`(${expiresAt} is null or ${expiresAt} > ${parameter('now')})`)
    .orderBy('document_link.id', 'desc');
});

/** Lists the links of documents that work at `now`, newest first. */
export async function listWorkingLinks(
  db: Reader,
  documentIds: readonly string[],
  now: string,
): Promise<readonly LinkRow[]> {
  const rows = await linksOfDocuments(db, { ids: JSON.stringify(documentIds), now });
  return rows.flatMap((row) => allowed(row) ?? []);
}

/** Counts a document's links that haven't expired at `now`: all, and those that allow commenting. */
export async function countLinksOf(
  db: Reader,
  documentId: string,
  now: string,
): Promise<{ all: number; comment: number }> {
  const rows = await db
    .selectFrom('document_link')
    .where('document_link.documentId', '=', documentId)
    .where(isOpenAt(now))
    .groupBy('access')
    .select(({ fn }) => ['access', fn.countAll<number>().as('count')])
    .execute();
  const all = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const comment = Number(rows.find(({ access }) => access === 'comment')?.count ?? 0);
  return { all, comment };
}

function isOpenAt(now: string) {
  const expiresAt = sql.ref('document_link.expiresAt');
  return sql<boolean>`(${expiresAt} is null or ${expiresAt} > ${now})`;
}

export async function insertLink(db: Writer, link: Row<'document_link'>): Promise<void> {
  await db.insertInto('document_link').values(link).execute();
}

/** Deletes a link of a document; `false` if it has none with this id. */
export async function deleteLink(db: Writer, documentId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('documentId', '=', documentId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Deletes all links of a document. @returns how many */
export async function deleteLinksOf(db: Writer, documentId: string): Promise<number> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('documentId', '=', documentId)
    .returning('id')
    .execute();
  return deleted.length;
}

/** Deletes the links that expired by `now`. @returns how many */
export async function deleteExpiredLinks(db: Writer, now: string): Promise<number> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('expiresAt', '<=', now)
    .returning('id')
    .execute();
  return deleted.length;
}
