import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** What decides how an account can sign in. */
export interface WaysInRow {
  username: string;
  disabledAt: string | null;
  /** `null` if the account has no password. */
  passwordHash: string | null;
  /** Since when the account has a second factor; `null` if it has none. */
  secondFactorAt: string | null;
}

const waysIn = prepared<{ id: string }, WaysInRow>((db, parameter) =>
  db
    .selectFrom('account')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('account.id', '=', parameter('id'))
    .select([
      'owner.namespace as username',
      'account.disabled_at as disabledAt',
      'account.password_hash as passwordHash',
      'account.second_factor_at as secondFactorAt',
    ]),
);

/** Finds what decides how an account can sign in; `undefined` if it is gone. */
export async function findWaysIn(db: Reader, accountId: string): Promise<WaysInRow | undefined> {
  const [row] = await waysIn(db, { id: accountId });
  return row;
}

/**
 * Notes whether the account has a second factor: a passkey or one-time codes. Call it in every
 * transaction that adds or removes one.
 *
 * @returns whether it has one
 */
export async function updateSecondFactor(
  db: Writer,
  accountId: string,
  now: string,
): Promise<boolean> {
  const [passkey, generator] = await Promise.all([
    db.selectFrom('passkey').select('id').where('account_id', '=', accountId).executeTakeFirst(),
    db
      .selectFrom('code_generator')
      .select('id')
      .where('account_id', '=', accountId)
      .executeTakeFirst(),
  ]);
  const has = passkey !== undefined || generator !== undefined;
  await db
    .updateTable('account')
    .set(({ fn, ref, val }) => ({
      second_factor_at: has ? fn.coalesce(ref('second_factor_at'), val(now)) : null,
    }))
    .where('id', '=', accountId)
    .execute();
  return has;
}

/**
 * Locks an account until the transaction ends, so that its ways to sign in change one after the
 * other.
 */
export async function lockWaysIn(db: Writer, accountId: string): Promise<void> {
  await db
    .updateTable('account')
    .set(({ ref }) => ({ second_factor_at: ref('second_factor_at') }))
    .where('id', '=', accountId)
    .execute();
}
