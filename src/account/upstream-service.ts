import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { findUpstreamAccount } from './upstream-store.ts';

/** A person at an upstream OpenID provider, which never reuses the pair. */
export interface Identity {
  issuer: string;
  subject: string;
}

/**
 * Returns the id of the account tied to an identity; `undefined` if there is none yet.
 *
 * @throws FORBIDDEN if the account is disabled
 */
export async function findOwnerOf(
  context: Context,
  identity: Identity,
): Promise<{ accountId: string } | undefined> {
  const account = await findUpstreamAccount(context.sql.read, identity);
  if (account && account.disabledAt !== null) {
    throw new ServiceError(
      'FORBIDDEN',
      'Your account is disabled. Ask an administrator of this server to enable it.',
    );
  }
  return account;
}
