import { sql } from 'kysely';
import { isWorking } from '../../core/identity/token-store.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** Counts of what is deleted with an account. */
export interface AccountHoldings {
  briefs: number;
  pages: number;
  /** Documents in the trash, or taken down, which nobody can be given. */
  trashed: number;
  takenDown: number;
  files: number;
  /** Personal access tokens that work. */
  tokens: number;
  applications: number;
  /** Documents of others in which the account is a collaborator. */
  collaborations: number;
  /** Pending invitations that the account sent. */
  invitations: number;
  /** Secret links that the account created. */
  links: number;
}

/** Counts what would be deleted with an account at a time. */
export async function countHoldings(
  db: Reader,
  accountId: string,
  now: string,
): Promise<AccountHoldings> {
  const documents = (kind: 'brief' | 'page') =>
    db
      .selectFrom('document')
      .where('ownerId', '=', accountId)
      .where('kind', '=', kind)
      .select((row) => row.fn.countAll<number>().as('n'));
  const hidden = (since: 'deletedAt' | 'takenDownAt') =>
    db
      .selectFrom('stored_document')
      .where('ownerId', '=', accountId)
      .where(since, 'is not', null)
      .where('deletedAt', since === 'deletedAt' ? 'is not' : 'is', null)
      .select((row) => row.fn.countAll<number>().as('n'));
  const files = db
    .selectFrom('file')
    .where('accountId', '=', accountId)
    .select((file) => file.fn.countAll<number>().as('n'));
  const collaborations = db
    .selectFrom('collaborator')
    .innerJoin('document', 'document.id', 'collaborator.documentId')
    .where('collaborator.accountId', '=', accountId)
    .select((document) => document.fn.countAll<number>().as('n'));
  const tokens = db
    .selectFrom('access_token')
    .where('accountId', '=', accountId)
    .where(isWorking({ now }))
    .select((token) => token.fn.countAll<number>().as('n'));
  const applications = db
    .selectFrom('oauth_grant')
    .where('accountId', '=', accountId)
    .where('expiresAt', '>', now)
    .select((grant) => grant.fn.count<number>('clientId').distinct().as('n'));
  const invitations = db
    .selectFrom('invitation')
    .where('invitedBy', '=', accountId)
    .where('expiresAt', '>', now)
    .select((row) => row.fn.countAll<number>().as('n'));
  const links = db
    .selectFrom('document_link')
    .where('createdBy', '=', accountId)
    .where((link) => link.or([link('expiresAt', 'is', null), link('expiresAt', '>', now)]))
    .select((link) => link.fn.countAll<number>().as('n'));
  const counted = await db
    .selectNoFrom([
      documents('brief').as('briefs'),
      documents('page').as('pages'),
      hidden('deletedAt').as('trashed'),
      hidden('takenDownAt').as('takenDown'),
      files.as('files'),
      tokens.as('tokens'),
      applications.as('applications'),
      collaborations.as('collaborations'),
      invitations.as('invitations'),
      links.as('links'),
    ])
    .executeTakeFirstOrThrow();
  return Object.fromEntries(
    Object.entries(counted).map(([name, number]) => [name, Number(number)]),
  ) as unknown as AccountHoldings;
}

/** A user's membership, with what decides whether the user can leave. */
export interface HeldMembership {
  namespace: string;
  role: Role;
  otherAdmins: number;
}

/** Lists the organizations a user is a member of, by namespace. */
export async function listHeldMemberships(
  db: Reader,
  accountId: string,
): Promise<HeldMembership[]> {
  const rows = await db
    .selectFrom('stored_membership as membership')
    .innerJoin('owner', 'owner.id', 'membership.organizationId')
    .where('membership.accountId', '=', accountId)
    .select(({ selectFrom }) => [
      'owner.namespace',
      'membership.role',
      selectFrom('membership as other')
        .whereRef('other.organizationId', '=', 'membership.organizationId')
        .where('other.role', '=', 'admin')
        .where('other.accountId', '<>', accountId)
        .select((other) => other.fn.countAll<number>().as('n'))
        .as('otherAdmins'),
    ])
    .orderBy('owner.namespace')
    .execute();
  return rows.map((row) => ({ ...row, otherAdmins: Number(row.otherAdmins) }));
}

/**
 * Blocks inserts of rows that refer to an account until the transaction ends: memberships,
 * invitations, uploads.
 */
export async function lockAccount(db: Writer, accountId: string): Promise<void> {
  if (!capabilitiesOf(db).concurrentTransactions) return;
  await db.selectFrom('account').select('id').where('id', '=', accountId).forUpdate().execute();
}

const WITH_TOKEN_NAMES = [
  'revision',
  'written_span',
  'event',
  'thread',
  'comment',
  'review',
] as const;

/**
 * Deletes a user and, by cascade, everything they own. Documents of others that they last changed
 * stay, without cached renditions, which show their name.
 */
export async function deleteAccountOwner(
  db: Writer,
  { id, username }: { id: string; username: string },
): Promise<void> {
  const written = db.selectFrom('stored_document').where('updatedBy', '=', id).select('id');
  await db.deleteFrom('rendition').where('documentId', 'in', written).execute();
  // A token's name can reveal who they are.
  for (const table of WITH_TOKEN_NAMES) {
    await db.updateTable(table).set({ viaName: null }).where('accountId', '=', id).execute();
  }
  await removeFromMessages(db, { id, username });
  await db.deleteFrom('owner').where('id', '=', id).where('type', '=', 'user').execute();
}

/**
 * Removes a user's name from the messages of revisions that accepted something of theirs, such as
 * “Accepted 2 suggestions by ada, grace” (`messageOf` in features/suggestions/suggestion-service.ts).
 */
async function removeFromMessages(
  db: Writer,
  { id, username }: { id: string; username: string },
): Promise<void> {
  const documents = db
    .selectFrom('thread')
    .where('accountId', '=', id)
    .where('kind', '<>', 'comment')
    .select('documentId');
  // With a comma at the end, so that the last name looks like the others.
  const [named, unnamed] = [` ${username},`, ' a deleted account,'];
  await db
    .updateTable('revision')
    .set({
      message: sql`substr(rtrim(replace(message || ',', ${named}, ${unnamed}), ','), 1, 200)`,
    })
    .where('documentId', 'in', documents)
    .where(sql`message || ','`, 'like', `Accepted % by% ${username},%`)
    .execute();
}
