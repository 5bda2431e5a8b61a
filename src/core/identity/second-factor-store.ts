import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** What decides how an account can sign in. */
export type WaysInRow = RowOf<typeof waysIn>;

const waysIn = prepared((db, parameter: Parameter<{ id: string }>) =>
  db
    .selectFrom('account')
    .innerJoin('owner', 'owner.id', 'account.id')
    .where('account.id', '=', parameter('id'))
    .select([
      'owner.namespace as username',
      'account.disabledAt',
      'account.refusedAt',
      'account.passwordHash',
      'account.secondFactorAt',
    ])
    .select(({ selectFrom }) =>
      selectFrom('upstream_identity')
        .whereRef('accountId', '=', 'account.id')
        .select(({ fn }) => fn.countAll<number>().as('links'))
        .as('providerLinks'),
    ),
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
    db.selectFrom('passkey').select('id').where('accountId', '=', accountId).executeTakeFirst(),
    db
      .selectFrom('code_generator')
      .select('id')
      .where('accountId', '=', accountId)
      .executeTakeFirst(),
  ]);
  const has = passkey !== undefined || generator !== undefined;
  await db
    .updateTable('account')
    .set(({ fn, ref, val }) => ({
      secondFactorAt: has ? fn.coalesce(ref('secondFactorAt'), val(now)) : null,
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
    .set(({ ref }) => ({ secondFactorAt: ref('secondFactorAt') }))
    .where('id', '=', accountId)
    .execute();
}
