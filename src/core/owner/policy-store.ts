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
    .where('organization_id', 'in', ownerIds)
    .selectAll()
    .execute();
  return new Map(
    rows.map((row) => [
      row.organization_id,
      {
        linkMakers: row.link_makers,
        outsideInviters: row.outside_inviters,
        publicDocuments: row.public_documents === 1,
        tokenHolders: row.token_holders,
        appUsers: row.app_users,
        programDays: row.program_days,
      },
    ]),
  );
}

export async function upsertPolicies(
  db: Writer,
  organizationId: string,
  policies: Policies,
): Promise<void> {
  const values = {
    link_makers: policies.linkMakers,
    outside_inviters: policies.outsideInviters,
    public_documents: policies.publicDocuments ? 1 : 0,
    token_holders: policies.tokenHolders,
    app_users: policies.appUsers,
    program_days: policies.programDays,
  } as const;
  await db
    .insertInto('organization_policy')
    .values({ organization_id: organizationId, ...values })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(values))
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
    .innerJoin('document', 'document.id', 'document_link.document_id')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.account_id', '=', 'document_link.created_by')
        .onRef('membership.organization_id', '=', 'document.owner_id'),
    )
    .where('document.owner_id', '=', organizationId)
    .where(({ or, eb }) =>
      or([eb('document_link.expires_at', 'is', null), eb('document_link.expires_at', '>', now)]),
    )
    .groupBy('membership.role')
    .select(({ fn }) => ['membership.role', fn.countAll<number>().as('links')])
    .execute();
  return rows.map(({ role, links }) => ({ role, links: Number(links) }));
}

/** Counts an organization's public documents. */
export async function countPublicDocuments(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('document')
    .where('owner_id', '=', organizationId)
    .where('visibility', '=', 'public')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whose collaborations: those with one document, or with all of an organization. */
type Scope = { organizationId: string; documentId?: string };

function documentsIn(db: Reader, { organizationId, documentId }: Scope): Expression<string> {
  let documents = db.selectFrom('stored_document').where('owner_id', '=', organizationId);
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
    .where('organization_id', '=', scope.organizationId)
    .select('account_id');
  return db
    .selectFrom('collaborator')
    .where('document_id', 'in', documentsIn(db, scope))
    .where('account_id', 'not in', members);
}

/** Counts the collaborations of people who aren't members. */
export async function countOutsiders(db: Reader, scope: Scope): Promise<number> {
  const { count } = await outsiders(db, scope)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const COLUMNS = ['id', 'document_id', 'account_id', 'permission', 'added_at'] as const;

/** Takes the access of collaborators who aren't members, until it is given back. @returns how many */
export async function stopOutsiders(db: Writer, scope: Scope): Promise<number> {
  const all = outsiders(db, scope);
  await db
    .insertInto('stopped_collaborator')
    .columns(COLUMNS)
    .expression(all.select(COLUMNS))
    .onConflict((conflict) => conflict.columns(['document_id', 'account_id']).doNothing())
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
    .where('document_id', 'in', documentsIn(db, scope));
  if (accountId !== undefined) stopped = stopped.where('account_id', '=', accountId);
  await db
    .insertInto('collaborator')
    .columns(COLUMNS)
    .expression(stopped.select(COLUMNS))
    .onConflict((conflict) => conflict.columns(['document_id', 'account_id']).doNothing())
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom('stopped_collaborator')
    .where('id', 'in', stopped.select('id'))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Counts the collaborations that are stopped. */
export async function countStopped(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('stopped_collaborator')
    .where('document_id', 'in', documentsIn(db, { organizationId }))
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
