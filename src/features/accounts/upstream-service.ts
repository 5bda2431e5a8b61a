import { deriveKey } from '../../base/crypto/seal.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { addDevice, findDevice } from '../../core/identity/device.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import type { SignedIn } from '../../core/identity/session-service.ts';
import { findUpstreamAccount } from './upstream-store.ts';

/** A person at an upstream OpenID provider, which never reuses the pair. */
export interface Identity {
  issuer: string;
  subject: string;
}

/**
 * Signs in the account tied to an identity; `undefined` if there is none yet.
 *
 * @param devices what the browser stored at earlier sign-ins
 * @throws FORBIDDEN if the account is disabled
 */
export async function signInUpstream(
  context: Context,
  identity: Identity,
  devices: string | undefined,
): Promise<SignedIn | undefined> {
  const account = await findUpstreamAccount(context.sql.read, identity);
  if (account && account.disabledAt !== null) {
    throw new ServiceError(
      'FORBIDDEN',
      'Your account is disabled. Ask an administrator of this server to enable it.',
    );
  }
  if (!account) return undefined;
  const { accountId, passwordHash } = account;
  const owner = { accountId, key: await deviceKey(context, passwordHash) };
  const device = findDevice(devices, owner);
  return {
    accountId,
    device: addDevice(devices, owner, device),
    isNewBrowser: device === undefined,
  };
}

/**
 * Returns what signs an account's device tokens: its password's hash, or a key of the server. After
 * that key was rotated, the browsers of accounts without a password count as new.
 */
export async function deviceKey(context: Context, passwordHash: string | null): Promise<string> {
  if (passwordHash !== null) return passwordHash;
  const [secret] = (await loadAuthorizationKeys(context)).cookie as [string];
  return Buffer.from(deriveKey(secret, 'device')).toString('base64url');
}
