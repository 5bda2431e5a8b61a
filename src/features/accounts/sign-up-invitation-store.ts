import { sql } from 'kysely';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** An invitation to sign up. */
export interface SignUpInvitationRow {
  id: string;
  /** `null` for a mailed one, and once keys are lost. */
  sealedToken: string | null;
  email: string | null;
  note: string;
  uses: number;
  used: number;
  createdBy: string | null;
  /** `null` for a command. */
  createdByUsername: string | null;
  createdAt: string;
  expiresAt: string;
}

export async function insertSignUpInvitation(
  db: Writer,
  invitation: Omit<SignUpInvitationRow, 'createdByUsername' | 'used'> & { tokenHash: string },
): Promise<void> {
  await db
    .insertInto('sign_up_invitation')
    .values({
      id: invitation.id,
      token_hash: invitation.tokenHash,
      sealed_token: invitation.sealedToken,
      email: invitation.email,
      note: invitation.note,
      uses: invitation.uses,
      used: 0,
      created_by: invitation.createdBy,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
    })
    .execute();
}

/** Lists the invitations that can still be used at `now`, newest first. */
export async function listOpenInvitations(
  db: Reader,
  now: string,
  page: PageRequest,
): Promise<Page<SignUpInvitationRow>> {
  const rows = invitations(db)
    .where('invitation.expires_at', '>', now)
    .where(sql<boolean>`invitation.used < invitation.uses`);
  return paginate(rows, 'invitation.id', page);
}

export async function findSignUpInvitation(
  db: Reader,
  id: string,
): Promise<SignUpInvitationRow | undefined> {
  return invitations(db).where('invitation.id', '=', id).executeTakeFirst();
}

/**
 * Finds the invitation of a link, if it can be used at `now`: not if its creator no longer administers the
 * instance, or is disabled.
 */
export async function findUsableInvitation(
  db: Reader,
  { tokenHash, now }: { tokenHash: string; now: string },
): Promise<SignUpInvitationRow | undefined> {
  return invitations(db)
    .leftJoin('account', 'account.id', 'invitation.created_by')
    .where((is) =>
      is.or([
        is('invitation.created_by', 'is', null),
        is.and([is('account.admin_since', 'is not', null), is('account.disabled_at', 'is', null)]),
      ]),
    )
    .where('invitation.token_hash', '=', tokenHash)
    .where('invitation.expires_at', '>', now)
    .where(sql<boolean>`invitation.used < invitation.uses`)
    .executeTakeFirst();
}

/**
 * Counts one use of an invitation. Of several at once, only as many succeed as there are uses left.
 *
 * @returns `false` if none is left, or the invitation has expired or was revoked
 */
export async function takeUse(
  db: Writer,
  { id, now }: { id: string; now: string },
): Promise<boolean> {
  const taken = await db
    .updateTable('sign_up_invitation')
    .set({ used: sql`used + 1` })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .where(sql<boolean>`used < uses`)
    .returning('id')
    .execute();
  return taken.length === 1;
}

/** @returns `false` if there is none */
export async function deleteSignUpInvitation(db: Writer, id: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sign_up_invitation')
    .where('id', '=', id)
    .returning('id')
    .execute();
  return deleted.length === 1;
}

/** Deletes the invitations that expired before a time. */
export async function deleteExpiredInvitations(db: Writer, before: string): Promise<void> {
  await db.deleteFrom('sign_up_invitation').where('expires_at', '<=', before).execute();
}

function invitations(db: Reader) {
  return db
    .selectFrom('sign_up_invitation as invitation')
    .leftJoin('owner as creator', 'creator.id', 'invitation.created_by')
    .select([
      'invitation.id',
      'invitation.sealed_token as sealedToken',
      'invitation.email',
      'invitation.note',
      'invitation.uses',
      'invitation.used',
      'invitation.created_by as createdBy',
      'creator.namespace as createdByUsername',
      'invitation.created_at as createdAt',
      'invitation.expires_at as expiresAt',
    ]);
}
