import { deriveKey } from '../../base/crypto/seal.ts';
import { ServiceError } from '../../base/errors.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { addDevice, findDevice } from '../../core/identity/device.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { openSecrets, sealSecret } from '../../core/identity/sealed-secret-service.ts';
import { lockWaysIn } from '../../core/identity/second-factor-store.ts';
import { passwordState, type SignedIn } from '../../core/identity/session-service.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import {
  findProvisionedId,
  findUnlinkedId,
  findUpstreamAccount,
  insertIdentity,
  listIdentities,
  updateTokens,
} from './upstream-store.ts';

/** A person at an upstream OpenID provider, which never reuses the pair. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** What is kept of a sign-in, to ask the provider later and to sign out there. */
export interface UpstreamTokens {
  idToken?: string | undefined;
  /** Only if the provider is asked later, and gives one. */
  refreshToken?: string | undefined;
}

/**
 * Signs in the account tied to an identity; `undefined` if there is none yet.
 *
 * @param devices what the browser stored at earlier sign-ins
 * @throws FORBIDDEN if the account is disabled
 */
export async function signInUpstream(
  context: Context,
  identity: Identity & { sid: string },
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
    upstreamSid: identity.sid,
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
  call: Call,
  { issuer, subject }: Identity,
  name: string,
): Promise<void> {
  const { actor } = call;
  await call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    await requireExistingAccount(tx, actor.id);
    const own = await listIdentities(tx, actor.id);
    if (own.some((identity) => identity.issuer === issuer)) {
      throw new ServiceError('UNPROCESSABLE', `Your account is linked to ${name} already.`);
    }
    const [id, createdAt] = [call.newId(), call.now()];
    const link = { id, accountId: actor.id, issuer, subject, createdAt };
    if (!(await insertIdentity(tx, link))) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `This sign-in at ${name} belongs to another account here.`,
      );
    }
    await queueSecurityNotice(call, tx, actor.id, { what: 'provider linked', name });
    await audit(call, tx, { action: 'provider.linked', actor, subject: name });
  });
}

/**
 * Links an account that nobody can sign in to yet or any more to whom the provider says has its address.
 * Only one that a directory has created, or where there are no passwords: there, the provider alone
 * says who somebody is.
 *
 * @param name the provider's name, for the mail about it
 * @returns whether it did
 */
export async function linkByAddress(
  context: Context,
  { issuer, subject, verifiedEmail }: Identity & { verifiedEmail: string | undefined },
  name: string,
): Promise<boolean> {
  const find = async (db: Reader) => {
    const provisioned = await findProvisionedId(db, { subject, email: verifiedEmail });
    if (provisioned || context.signIn.passwords === 'on' || !verifiedEmail) return provisioned;
    return findUnlinkedId(db, verifiedEmail);
  };
  return context.sql.transaction(async (tx) => {
    const found = await find(tx);
    if (found === undefined) return false;
    await lockWaysIn(tx, found);
    const accountId = await find(tx);
    if (accountId !== found) return false;
    const [id, createdAt] = [context.newId(), context.now()];
    if (!(await insertIdentity(tx, { id, accountId, issuer, subject, createdAt }))) return false;
    await queueSecurityNotice(context, tx, accountId, { what: 'provider linked', name });
    await audit(context, tx, { action: 'provider.linked', accountId, subject: name });
    return true;
  });
}

/** Keeps, sealed, what the provider gave for an identity that an account has. */
export async function keepTokens(
  context: Context,
  identity: Identity,
  tokens: UpstreamTokens,
): Promise<void> {
  const kept = { sealedTokens: await sealTokens(context, tokens), checkedAt: context.now() };
  await context.sql.transaction((tx) => updateTokens(tx, identity, kept));
}

export function sealTokens(context: Context, tokens: UpstreamTokens): Promise<string> {
  return sealSecret(context, 'provider tokens', JSON.stringify(tokens));
}

/** Opens what {@link sealTokens} sealed; `{}` if it can't be opened. */
export async function openTokens(
  context: Context,
  sealed: string | undefined,
): Promise<UpstreamTokens> {
  const [opened] = await openSecrets(context, 'provider tokens', [sealed ?? null]);
  return opened === undefined ? {} : JSON.parse(opened);
}

/** Tells whether an identity is the actor's. */
export async function isOwnIdentity(call: Call, { issuer, subject }: Identity): Promise<boolean> {
  const own = await listIdentities(call.sql.read, call.actor.id);
  return own.some((identity) => identity.issuer === issuer && identity.subject === subject);
}
