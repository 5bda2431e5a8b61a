import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** An invitation to sign up with an address. */
export type SignUpInvitationRow = RowOf<typeof invitations>;

export async function insertSignUpInvitation(
  db: Writer,
  invitation: Row<'sign_up_invitation'>,
): Promise<void> {
  await db.insertInto('sign_up_invitation').values(invitation).execute();
}

/** Lists the invitations that haven't expired at `now`, newest first. */
export async function listOpenInvitations(
  db: Reader,
  now: string,
  page: PageRequest,
): Promise<Page<SignUpInvitationRow>> {
  return paginate(invitations(db).where('invitation.expiresAt', '>', now), 'invitation.id', page);
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
    .leftJoin('account', 'account.id', 'invitation.createdBy')
    .where((is) =>
      is.or([
        is('invitation.createdBy', 'is', null),
        is.and([is('account.adminSince', 'is not', null), is('account.disabledAt', 'is', null)]),
      ]),
    )
    .where('invitation.tokenHash', '=', tokenHash)
    .where('invitation.expiresAt', '>', now)
    .executeTakeFirst();
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

export async function deleteExpiredInvitations(db: Writer, before: string): Promise<void> {
  await db.deleteFrom('sign_up_invitation').where('expiresAt', '<=', before).execute();
}

function invitations(db: Reader) {
  return db
    .selectFrom('sign_up_invitation as invitation')
    .leftJoin('owner as creator', 'creator.id', 'invitation.createdBy')
    .select([
      'invitation.id',
      'invitation.sealedToken',
      'invitation.email',
      'invitation.createdBy',
      // `null` for a command.
      'creator.namespace as createdByUsername',
      'invitation.createdAt',
      'invitation.expiresAt',
    ]);
}
