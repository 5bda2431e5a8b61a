import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Hidden, narrowed } from '../../storage/sql/narrowed.ts';
import { lookup } from '../../storage/sql/prepared.ts';
import type { Reader, Sql } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import type { Role } from './organization-access.ts';
import type { Policies } from './policy.ts';
import type { Program } from './program-rule.ts';

/** An organization's policies on programs, with somebody's role in it. */
export interface ProgramPolicies
  extends Pick<Policies, 'tokenHolders' | 'appUsers' | 'programDays'> {
  id: string;
  namespace: string;
  /** `null` for a collaborator or someone invited. */
  role: Role | null;
}

/** The condition of the index `organization_policy_of_programs`. */
const RESTRICTS_PROGRAMS = sql<boolean>`
  (token_holders <> 'anyone' or app_users <> 'anyone' or program_days is not null)`;

/** Builds the condition that any organization has policies on programs. Costs almost nothing. */
export function hasProgramPolicies(): RawBuilder<boolean | 0 | 1> {
  return sql`exists (select 1 from organization_policy where ${RESTRICTS_PROGRAMS})`;
}

const policiesOf = lookup<{ accountId: string }, ProgramPolicies>((db, parameter) =>
  db
    .selectFrom(ownersAround(db, parameter('accountId')).as('around'))
    .innerJoin('organization_policy as policy', 'policy.organization_id', 'around.ownerId')
    .innerJoin('owner', 'owner.id', 'policy.organization_id')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organization_id', '=', 'policy.organization_id')
        .on('membership.account_id', '=', parameter('accountId')),
    )
    .where(RESTRICTS_PROGRAMS)
    .orderBy('owner.namespace')
    .select([
      'owner.id',
      'owner.namespace',
      'membership.role',
      'policy.token_holders as tokenHolders',
      'policy.app_users as appUsers',
      'policy.program_days as programDays',
    ]),
);

/** Selects the owners that somebody is a member of, collaborates with or is invited by. */
function ownersAround(db: Kysely<Tables>, accountId: RawBuilder<string>) {
  const collaborations = db
    .selectFrom('collaborator')
    .innerJoin('stored_document', 'stored_document.id', 'collaborator.document_id')
    .where('collaborator.account_id', '=', accountId)
    .select('stored_document.owner_id as ownerId');
  const invitations = db
    .selectFrom('invitation')
    .leftJoin('stored_document', 'stored_document.id', 'invitation.document_id')
    .where('invitation.recipient_id', '=', accountId)
    .select(
      sql<string>`coalesce(invitation.organization_id, stored_document.owner_id)`.as('ownerId'),
    );
  return db
    .selectFrom('membership')
    .where('account_id', '=', accountId)
    .select('organization_id as ownerId')
    .union(collaborations)
    .union(invitations);
}

/**
 * Lists the policies on programs of the organizations that somebody is a member of, collaborates with or
 * is invited by, by namespace. Leaves out organizations that have none.
 */
export async function listProgramPolicies(
  db: Reader,
  accountId: string,
): Promise<readonly ProgramPolicies[]> {
  return policiesOf(db, { accountId });
}

/** Returns a database in which an account has nothing to do with some owners (see {@link narrowed}). */
export function sqlWithout(sql: Sql, hidden: Hidden): Sql {
  return narrowed(sql, hidden);
}

/** Finds a token, even one that has ended, or the connection of an application by its id. */
export async function findProgram(db: Reader, id: string): Promise<Program | undefined> {
  const token = await db
    .selectFrom('access_token')
    .where('id', '=', id)
    .select(['created_at as createdAt', 'expires_at as expiresAt'])
    .executeTakeFirst();
  if (token) return { means: 'token', ...token };
  const connection = await db
    .selectFrom('oauth_grant')
    .where('id', '=', id)
    .select(['created_at as createdAt', 'expires_at as expiresAt'])
    .executeTakeFirst();
  return connection && { means: 'application', ...connection };
}

/** A member's program, as far as policies look at it. */
export interface MemberProgram extends Program {
  username: string;
  role: Role;
}

/** Lists the tokens and connected applications of an organization's members that work at a time. */
export async function listMemberPrograms(
  db: Reader,
  organizationId: string,
  now: string,
): Promise<MemberProgram[]> {
  const members = db
    .selectFrom('membership')
    .innerJoin('account', 'account.id', 'membership.account_id')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('membership.organization_id', '=', organizationId)
    .where('account.disabled_at', 'is', null)
    .select(['owner.namespace as username', 'membership.role']);
  const tokens = await members
    .innerJoin('access_token as token', 'token.account_id', 'account.id')
    .where('token.revoked_at', 'is', null)
    .where((token) =>
      token.or([token('token.expires_at', 'is', null), token('token.expires_at', '>', now)]),
    )
    .select(['token.created_at as createdAt', 'token.expires_at as expiresAt'])
    .execute();
  const connections = await members
    .innerJoin('oauth_grant as grant', 'grant.account_id', 'account.id')
    .where('grant.expires_at', '>', now)
    .select(['grant.created_at as createdAt', 'grant.expires_at as expiresAt'])
    .execute();
  return [
    ...tokens.map((token) => ({ ...token, means: 'token' as const })),
    ...connections.map((connection) => ({ ...connection, means: 'application' as const })),
  ];
}
