import { deriveKey } from '../../base/crypto/seal.ts';
import { ServiceError } from '../../base/errors.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { addDevice, findDevice } from '../../core/identity/device.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { lockWaysIn } from '../../core/identity/second-factor-store.ts';
import { passwordState, type SignedIn } from '../../core/identity/session-service.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { findUpstreamAccount, insertIdentity, listIdentities } from './upstream-store.ts';

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
    factors: ['provider'],
    password: passwordState(passwordHash),
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

/**
 * Links the actor's account to an identity, so that it signs in.
 *
 * @param name the provider's name, for the mail about it
 * @throws UNPROCESSABLE if an account has the identity, or the actor has another at the provider;
 *   UNAUTHORIZED if the account is gone
 */
export async function linkIdentity(
  context: Context,
  actor: Actor,
  { issuer, subject }: Identity,
  name: string,
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    await requireExistingAccount(tx, actor.id);
    const own = await listIdentities(tx, actor.id);
    if (own.some((identity) => identity.issuer === issuer)) {
      throw new ServiceError('UNPROCESSABLE', `Your account is linked to ${name} already.`);
    }
    const [id, createdAt] = [context.newId(), context.now()];
    const link = { id, accountId: actor.id, issuer, subject, createdAt };
    if (!(await insertIdentity(tx, link))) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `This sign-in at ${name} belongs to another account here.`,
      );
    }
    await queueSecurityNotice(context, tx, actor.id, { what: 'provider linked', name });
    await audit(context, tx, { action: 'provider.linked', actor, subject: name });
  });
}

/** Tells whether an identity is the actor's. */
export async function isOwnIdentity(
  context: Context,
  actor: Actor,
  { issuer, subject }: Identity,
): Promise<boolean> {
  const own = await listIdentities(context.sql.read, actor.id);
  return own.some((identity) => identity.issuer === issuer && identity.subject === subject);
}
