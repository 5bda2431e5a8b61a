import { type Expression, sql } from 'kysely';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { ALLOW_ALL, type Policies } from './policy.ts';

/** Finds what an owner allows: a user everything. */
export async function findPolicies(db: Reader, ownerId: string): Promise<Policies> {
  return (await listPolicies(db, [ownerId])).get(ownerId) ?? ALLOW_ALL;
}

/** Lists what organizations allow, by id, of those that have said so. */
export async function listPolicies(
  db: Reader,
  ownerIds: readonly string[],
): Promise<Map<string, Policies>> {
  if (ownerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('organization_policy')
    .where('organizationId', 'in', ownerIds)
    .selectAll()
    .execute();
  return new Map(
    rows.map(({ organizationId, ...row }) => [
      organizationId,
      { ...row, publicDocuments: row.publicDocuments === 1 },
    ]),
  );
}

export async function upsertPolicies(
  db: Writer,
  organizationId: string,
  policies: Policies,
): Promise<void> {
  const values = {
    linkMakers: policies.linkMakers,
    outsideInviters: policies.outsideInviters,
    publicDocuments: policies.publicDocuments ? 1 : 0,
    tokenHolders: policies.tokenHolders,
    appUsers: policies.appUsers,
    programDays: policies.programDays,
  } as const;
  await db
    .insertInto('organization_policy')
    .values({ organizationId, ...values })
    .onConflict((conflict) => conflict.column('organizationId').doUpdateSet(values))
    .execute();
}

/** Lists the roles of those who made the links to an organization's documents that haven't expired. */
export async function listLinkMakerRoles(
  db: Reader,
  organizationId: string,
  now: string,
): Promise<{ role: 'admin' | 'member' | null; links: number }[]> {
  const rows = await db
    .selectFrom('document_link')
    .innerJoin('document', 'document.id', 'document_link.documentId')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.accountId', '=', 'document_link.createdBy')
        .onRef('membership.organizationId', '=', 'document.ownerId'),
    )
    .where('document.ownerId', '=', organizationId)
    .where(({ or, eb }) =>
      or([eb('document_link.expiresAt', 'is', null), eb('document_link.expiresAt', '>', now)]),
    )
    .groupBy('membership.role')
    .select(({ fn }) => ['membership.role', fn.countAll<number>().as('links')])
    .execute();
  return rows.map(({ role, links }) => ({ role, links: Number(links) }));
}

export async function countPublicDocuments(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('document')
    .where('ownerId', '=', organizationId)
    .where('visibility', '=', 'public')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whose collaborations: those with one document, or with all of an organization. */
type Scope = { organizationId: string; documentId?: string };

function documentsIn(db: Reader, { organizationId, documentId }: Scope): Expression<string> {
  let documents = db.selectFrom('stored_document').where('ownerId', '=', organizationId);
  if (documentId !== undefined) documents = documents.where('id', '=', documentId);
  return documents.select('id').$castTo<string>();
}

/**
 * Members who lack a required second factor are no outsiders: their collaborations are there when they
 * have one.
 */
function outsiders(db: Reader, scope: Scope) {
  const members = db
    .selectFrom('stored_membership')
    .where('organizationId', '=', scope.organizationId)
    .select('accountId');
  return db
    .selectFrom('collaborator')
    .where('documentId', 'in', documentsIn(db, scope))
    .where('accountId', 'not in', members);
}

/** Counts the collaborations of people who aren't members. */
export async function countOutsiders(db: Reader, scope: Scope): Promise<number> {
  const { count } = await outsiders(db, scope)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const COLUMNS = ['id', 'documentId', 'accountId', 'permission', 'addedAt'] as const;

/** Takes the access of collaborators who aren't members, until it is given back. @returns how many */
export async function stopOutsiders(db: Writer, scope: Scope): Promise<number> {
  const all = outsiders(db, scope);
  await db
    .insertInto('stopped_collaborator')
    .columns(COLUMNS)
    .expression(all.select(COLUMNS))
    .onConflict((conflict) => conflict.columns(['documentId', 'accountId']).doNothing())
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom('collaborator')
    .where('id', 'in', all.select('id'))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * Gives collaborators the access back that was taken from them.
 *
 * @param scope.accountId only this one's
 * @returns how many
 */
export async function returnOutsiders(
  db: Writer,
  { accountId, ...scope }: Scope & { accountId?: string },
): Promise<number> {
  let stopped = db
    .selectFrom('stopped_collaborator')
    .where('documentId', 'in', documentsIn(db, scope));
  if (accountId !== undefined) stopped = stopped.where('accountId', '=', accountId);
  await db
    .insertInto('collaborator')
    .columns(COLUMNS)
    .expression(stopped.select(COLUMNS))
    .onConflict((conflict) => conflict.columns(['documentId', 'accountId']).doNothing())
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom('stopped_collaborator')
    .where('id', 'in', stopped.select('id'))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export async function countStopped(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('stopped_collaborator')
    .where('documentId', 'in', documentsIn(db, { organizationId }))
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
