import { emailKey } from '../../base/text/email-address.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** What is needed to check a password and identify its user. */
export type PasswordRow = RowOf<typeof passwords>;

const byUsername = prepared<{ username: string }, PasswordRow>((db, parameter) =>
  passwords(db).where('owner.namespace', '=', parameter('username')),
);

const byEmail = prepared<{ key: string }, PasswordRow>((db, parameter) =>
  passwords(db).where('account.emailKey', '=', parameter('key')),
);

const byId = prepared<{ id: string }, PasswordRow>((db, parameter) =>
  passwords(db).where('account.id', '=', parameter('id')),
);

/** Finds the user with this username (normalised). */
export async function findPasswordByUsername(
  db: Reader,
  username: string,
): Promise<PasswordRow | undefined> {
  const [row] = await byUsername(db, { username });
  return row;
}

/** Finds the user with this email address, in any spelling (see {@link emailKey}). */
export async function findPasswordByEmail(
  db: Reader,
  email: string,
): Promise<PasswordRow | undefined> {
  const [row] = await byEmail(db, { key: emailKey(email) });
  return row;
}

export async function findPasswordById(db: Reader, id: string): Promise<PasswordRow | undefined> {
  const [row] = await byId(db, { id });
  return row;
}

/**
 * Replaces a password's hash; `false` if it is no longer `from`, or the account is gone.
 *
 * @param change.from the expected hash; without it, any
 */
export async function updatePasswordHash(
  db: Writer,
  change: { accountId: string; from?: string | null; to: string },
): Promise<boolean> {
  const { accountId, from, to } = change;
  const updated = await db
    .updateTable('account')
    .set({ passwordHash: to })
    .where('id', '=', accountId)
    .$if(from !== undefined, (update) =>
      update.where('passwordHash', from === null ? 'is' : '=', from as string | null),
    )
    .returning('id')
    .execute();
  return updated.length === 1;
}

function passwords(db: Reader) {
  return db
    .selectFrom('account')
    .innerJoin('owner', 'owner.id', 'account.id')
    .select([
      'account.id',
      'owner.namespace as username',
      'account.email',
      'account.disabledAt',
      'account.passwordHash',
    ]);
}
