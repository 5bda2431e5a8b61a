import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { findUpstreamAccount } from './upstream-store.ts';

/** Somebody as an upstream OpenID provider knows them: for good, and nobody else. */
export interface Identity {
  issuer: string;
  subject: string;
}

/**
 * Whose account an identity is; `undefined` when it is nobody's yet.
 *
 * @throws FORBIDDEN when the account is disabled
 */
export async function findOwnerOf(
  context: Context,
  identity: Identity,
): Promise<{ accountId: string } | undefined> {
  const account = await findUpstreamAccount(context.sql.read, identity);
  if (account && account.disabledAt !== null) {
    throw new ServiceError(
      'FORBIDDEN',
      'Your account is locked. Ask whoever runs this service to let you in again.',
    );
  }
  return account;
}
