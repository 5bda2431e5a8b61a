import { sql } from 'kysely';
import type { Role } from '../organization/roles.ts';
import { capabilitiesOf } from '../storage/sql/dialect.ts';
import type { Reader, Writer } from '../storage/sql/sql.ts';
import { isWorking } from './token-store.ts';

/** How much there is of what goes with an account. */
export interface AccountHoldings {
  briefs: number;
  pages: number;
  /** Uploaded files. */
  files: number;
  /** Personal access tokens that work. */
  tokens: number;
  /** Applications that may act for the account. */
  applications: number;
  /** Documents of others where the account is a collaborator. */
  collaborations: number;
}

/** What an account has that would go with it, at a time. */
export async function countHoldings(
  db: Reader,
  accountId: string,
  now: string,
): Promise<AccountHoldings> {
  const documents = (kind: 'brief' | 'page') =>
    db
      .selectFrom('document_block')
      .where('owner_id', '=', accountId)
      .where('kind', '=', kind)
      .select((block) => block.fn.coalesce(block.fn.sum<number>('documents'), sql.lit(0)).as('n'));
  const all = (table: 'file' | 'collaborator') =>
    db
      .selectFrom(table)
      .where('account_id', '=', accountId)
      .select((row) => row.fn.countAll<number>().as('n'));
  const tokens = db
    .selectFrom('access_token')
    .where('account_id', '=', accountId)
    .where(isWorking(now))
    .select((token) => token.fn.countAll<number>().as('n'));
  const applications = db
    .selectFrom('oauth_grant')
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .select((grant) => grant.fn.count<number>('client_id').distinct().as('n'));
  const counted = await db
    .selectNoFrom([
      documents('brief').as('briefs'),
      documents('page').as('pages'),
      all('file').as('files'),
      tokens.as('tokens'),
      applications.as('applications'),
      all('collaborator').as('collaborations'),
    ])
    .executeTakeFirstOrThrow();
  return Object.fromEntries(
    Object.entries(counted).map(([name, number]) => [name, Number(number)]),
  ) as unknown as AccountHoldings;
}

/** A user's part in an organization. */
export interface PartRow {
  namespace: string;
  role: Role;
  /** How many others are admins there. */
  otherAdmins: number;
}

/** All organizations that a user is a member of, in order of their namespaces. */
export async function listParts(db: Reader, accountId: string): Promise<PartRow[]> {
  const rows = await db
    .selectFrom('membership')
    .innerJoin('owner', 'owner.id', 'membership.organization_id')
    .where('membership.account_id', '=', accountId)
    .select(({ selectFrom }) => [
      'owner.namespace',
      'membership.role',
      selectFrom('membership as other')
        .whereRef('other.organization_id', '=', 'membership.organization_id')
        .where('other.role', '=', 'admin')
        .where('other.account_id', '<>', accountId)
        .select((other) => other.fn.countAll<number>().as('n'))
        .as('otherAdmins'),
    ])
    .orderBy('owner.namespace')
    .execute();
  return rows.map((row) => ({ ...row, otherAdmins: Number(row.otherAdmins) }));
}

/**
 * Makes whoever is about to write rows that refer to an account wait until the transaction ends:
 * nobody joins, is invited or uploads any more.
 */
export async function lockAccount(db: Writer, accountId: string): Promise<void> {
  if (!capabilitiesOf(db).concurrentTransactions) return;
  await db.selectFrom('account').select('id').where('id', '=', accountId).forUpdate().execute();
}

/**
 * Removes a user, and by cascade everything that is the user's own. What the user wrote last of
 * others stays, but not as it was shown, by that name.
 */
export async function deleteAccountOwner(db: Writer, id: string): Promise<void> {
  const written = db.selectFrom('document').where('updated_by', '=', id).select('document.id');
  await db.deleteFrom('rendition').where('document_id', 'in', written).execute();
  // What somebody called their token can tell who they are.
  await db.updateTable('revision').set({ via_name: null }).where('account_id', '=', id).execute();
  await db.deleteFrom('owner').where('id', '=', id).where('type', '=', 'user').execute();
}
