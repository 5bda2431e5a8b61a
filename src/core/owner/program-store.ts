import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Hidden, narrowed } from '../../storage/sql/narrowed.ts';
import { lookup, type Parameter } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Sql } from '../../storage/sql/sql.ts';
import type { Tables } from '../../storage/sql/tables.ts';
import type { Role } from './organization-access.ts';
import type { Program } from './program-rule.ts';

/** An organization's policies on programs, with somebody's role in it. */
export type ProgramPolicies = RowOf<typeof policiesOf>;

/** The condition of the index `organization_policy_of_programs`. */
const RESTRICTS_PROGRAMS = sql<boolean>`
  ("tokenHolders" <> 'anyone' or "appUsers" <> 'anyone' or "programDays" is not null)`;

/** Builds the condition that any organization has policies on programs. Costs almost nothing. */
export function hasProgramPolicies(): RawBuilder<boolean | 0 | 1> {
  return sql`exists (select 1 from organization_policy where ${RESTRICTS_PROGRAMS})`;
}

const policiesOf = lookup((db, parameter: Parameter<{ accountId: string }>) =>
  db
    .selectFrom(ownersAround(db, parameter('accountId')).as('around'))
    .innerJoin('organization_policy as policy', 'policy.organizationId', 'around.ownerId')
    .innerJoin('owner', 'owner.id', 'policy.organizationId')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.organizationId', '=', 'policy.organizationId')
        .on('membership.accountId', '=', parameter('accountId')),
    )
    .where(RESTRICTS_PROGRAMS)
    .orderBy('owner.namespace')
    .select([
      'owner.id',
      'owner.namespace',
      'membership.role',
      'policy.tokenHolders',
      'policy.appUsers',
      'policy.programDays',
    ]),
);

/** Selects the owners that somebody is a member of, collaborates with or is invited by. */
function ownersAround(db: Kysely<Tables>, accountId: RawBuilder<string>) {
  const collaborations = db
    .selectFrom('collaborator')
    .innerJoin('stored_document', 'stored_document.id', 'collaborator.documentId')
    .where('collaborator.accountId', '=', accountId)
    .select('stored_document.ownerId');
  const invitations = db
    .selectFrom('invitation')
    .leftJoin('stored_document', 'stored_document.id', 'invitation.documentId')
    .where('invitation.recipientId', '=', accountId)
    .select(
      sql<string>`coalesce(invitation."organizationId", stored_document."ownerId")`.as('ownerId'),
    );
  return db
    .selectFrom('membership')
    .where('accountId', '=', accountId)
    .select('organizationId as ownerId')
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
export async function findProgram(
  db: Reader,
  id: string,
): Promise<(Program & { reach: string | null }) | undefined> {
  const token = await db
    .selectFrom('access_token')
    .where('id', '=', id)
    .select(['createdAt', 'expiresAt', 'reach'])
    .executeTakeFirst();
  if (token) return { means: 'token', ...token };
  const connection = await db
    .selectFrom('oauth_grant')
    .where('id', '=', id)
    .select(['createdAt', 'expiresAt', 'reach'])
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
    .innerJoin('account', 'account.id', 'membership.accountId')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('membership.organizationId', '=', organizationId)
    .where('account.disabledAt', 'is', null)
    .select(['owner.namespace as username', 'membership.role']);
  const tokens = await members
    .innerJoin('access_token as token', 'token.accountId', 'account.id')
    .where('token.revokedAt', 'is', null)
    .where((token) =>
      token.or([token('token.expiresAt', 'is', null), token('token.expiresAt', '>', now)]),
    )
    .select(['token.createdAt', 'token.expiresAt'])
    .execute();
  const connections = await members
    .innerJoin('oauth_grant as grant', 'grant.accountId', 'account.id')
    .where('grant.expiresAt', '>', now)
    .select(['grant.createdAt', 'grant.expiresAt'])
    .execute();
  return [
    ...tokens.map((token) => ({ ...token, means: 'token' as const })),
    ...connections.map((connection) => ({ ...connection, means: 'application' as const })),
  ];
}
