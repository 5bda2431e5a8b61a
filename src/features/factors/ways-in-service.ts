import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { findWaysIn, updateSecondFactor } from '../../core/identity/second-factor-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { listIdentities } from '../accounts/upstream-store.ts';
import { deleteRecoveryCodes, listPasskeys } from './factor-store.ts';

/**
 * Requires, after a way to sign in was removed, that another is left.
 *
 * @throws UNPROCESSABLE
 */
export async function requireAnotherWayIn(
  context: Context,
  tx: Writer,
  accountId: string,
): Promise<void> {
  const account = await findWaysIn(tx, accountId);
  if (context.signIn.passwords === 'on' && account?.passwordHash) return;
  if ((await listPasskeys(tx, accountId)).length > 0) return;
  if ((await listIdentities(tx, accountId)).length > 0) return;
  throw new ServiceError(
    'UNPROCESSABLE',
    'This is your last way to sign in. Add another one first.',
  );
}

/**
 * Notes, after a second factor was removed, whether another is left. Without one, the recovery codes
 * go too.
 *
 * @throws UNPROCESSABLE if the server requires one and none is left
 */
export async function requireAnotherFactor(
  context: Context,
  tx: Writer,
  accountId: string,
): Promise<void> {
  if (await updateSecondFactor(tx, accountId, context.now())) return;
  if (context.signIn.secondFactor === 'required') {
    throw new ServiceError(
      'UNPROCESSABLE',
      'This server requires a second factor, and this is your last. Add another one first.',
    );
  }
  await deleteRecoveryCodes(tx, accountId);
}
