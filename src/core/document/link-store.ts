import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Role } from '../owner/organization-access.ts';
import { type LinkMakers, mayMakeLinks } from '../owner/policy.ts';
import type { LinkAccess, Permission } from './access-rules.ts';

/** A secret link to a document. */
export interface LinkRow {
  id: string;
  documentId: string;
  access: LinkAccess;
  note: string;
  /** The creator's id. */
  createdBy: string;
  createdByUsername: string;
  createdAt: string;
  expiresAt: string | null;
  /** The sealed secret; `null` for a link that was made before secrets were kept. */
  sealedSecret: string | null;
  /** The hash of the password that the link asks for; `null` if it asks for none. */
  passwordHash: string | null;
}

/**
 * Selects links with their creators. A link whose creator's account is gone is never selected, and
 * doesn't work.
 */
function links(db: Reader) {
  return db
    .selectFrom('document_link')
    .innerJoin('owner as creator', 'creator.id', 'document_link.created_by')
    .select([
      'document_link.id',
      'document_link.document_id as documentId',
      'document_link.access',
      'document_link.note',
      'creator.id as createdBy',
      'creator.namespace as createdByUsername',
      'document_link.created_at as createdAt',
      'document_link.expires_at as expiresAt',
      'document_link.sealed_secret as sealedSecret',
      'document_link.password_hash as passwordHash',
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
    .innerJoin('account', 'account.id', 'document_link.created_by')
    .where('account.disabled_at', 'is', null)
    .innerJoin('stored_document as linked', 'linked.id', 'document_link.document_id')
    .leftJoin('organization_policy as policy', 'policy.organization_id', 'linked.owner_id')
    .leftJoin('membership as making', (join) =>
      join
        .onRef('making.organization_id', '=', 'linked.owner_id')
        .onRef('making.account_id', '=', 'document_link.created_by'),
    )
    .leftJoin('collaborator as sharing', (join) =>
      join
        .onRef('sharing.document_id', '=', 'document_link.document_id')
        .onRef('sharing.account_id', '=', 'document_link.created_by'),
    )
    .select(['policy.link_makers as linkMakers', 'linked.owner_id as ownerId'])
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
  workingLinks(db).where('document_link.secret_hash', '=', parameter('secretHash')),
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
  const rows = links(db).where('document_link.document_id', '=', documentId).where(isOpenAt(now));
  return paginate(rows, 'document_link.id', page);
}

const linksOfDocuments = prepared<{ ids: string; now: string }, Governed>((db, parameter) => {
  const { isAmong, idsIn } = capabilitiesOf(db);
  const expiresAt = sql.ref('document_link.expires_at');
  return workingLinks(db)
    .where(isAmong(sql.ref('document_link.document_id'), idsIn(parameter('ids'))))
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
    .where('document_link.document_id', '=', documentId)
    .where(isOpenAt(now))
    .groupBy('access')
    .select(({ fn }) => ['access', fn.countAll<number>().as('count')])
    .execute();
  const all = rows.reduce((sum, { count }) => sum + Number(count), 0);
  const comment = Number(rows.find(({ access }) => access === 'comment')?.count ?? 0);
  return { all, comment };
}

function isOpenAt(now: string) {
  const expiresAt = sql.ref('document_link.expires_at');
  return sql<boolean>`(${expiresAt} is null or ${expiresAt} > ${now})`;
}

export async function insertLink(
  db: Writer,
  link: Omit<LinkRow, 'createdByUsername'> & { secretHash: string },
): Promise<void> {
  await db
    .insertInto('document_link')
    .values({
      id: link.id,
      document_id: link.documentId,
      secret_hash: link.secretHash,
      access: link.access,
      note: link.note,
      created_by: link.createdBy,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
      sealed_secret: link.sealedSecret,
      password_hash: link.passwordHash,
    })
    .execute();
}

/** Deletes a link of a document; `false` if it has none with this id. */
export async function deleteLink(db: Writer, documentId: string, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('document_id', '=', documentId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Deletes all links of a document. @returns how many */
export async function deleteLinksOf(db: Writer, documentId: string): Promise<number> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('document_id', '=', documentId)
    .returning('id')
    .execute();
  return deleted.length;
}

/** Deletes the links that expired by `now`. @returns how many */
export async function deleteExpiredLinks(db: Writer, now: string): Promise<number> {
  const deleted = await db
    .deleteFrom('document_link')
    .where('expires_at', '<=', now)
    .returning('id')
    .execute();
  return deleted.length;
}
