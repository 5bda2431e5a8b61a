import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  type VerifiedAuthenticationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { parse } from 'secure-json-parse';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { parseShownName } from '../../base/text/shown-name.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { addDevice, findDevice } from '../../core/identity/device.ts';
import {
  findWaysIn,
  lockWaysIn,
  updateSecondFactor,
} from '../../core/identity/second-factor-store.ts';
import { passwordState, type SignedIn } from '../../core/identity/session-service.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { deviceKey } from '../accounts/upstream-service.ts';
import { CHALLENGE_MS } from './challenge.ts';
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  updatePasskeyUsed,
} from './factor-store.ts';
import { makeRecoveryCodesIfNone } from './recovery-service.ts';
import { requireAnotherFactor, requireAnotherWayIn } from './ways-in-service.ts';

/** The most passkeys per person. */
const MAX_PASSKEYS = 20;

/** EdDSA, ES256 and RS256 (COSE): what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** Lists the actor's passkeys, oldest first. */
export async function listOwnPasskeys(call: Call): Promise<PasskeyRow[]> {
  return listPasskeys(call.sql.read, call.actor.id);
}

/** Returns what a browser needs to create a passkey for the actor (WebAuthn, in JSON). */
export async function creationOptions(call: Call, challenge: string): Promise<object> {
  const existing = await listPasskeys(call.sql.read, call.actor.id);
  return generateRegistrationOptions({
    rpName: call.instanceName,
    rpID: rpOf(call),
    userID: new TextEncoder().encode(call.actor.id),
    userName: call.actor.username,
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: existing.map(describe),
  });
}

/**
 * Returns what a browser needs to ask for a passkey (WebAuthn, in JSON).
 *
 * @param accountId whose; without it, the user chooses among all for this host
 */
export async function requestOptions(
  context: Context,
  challenge: string,
  accountId?: string,
): Promise<object> {
  const allowed = accountId === undefined ? [] : await listPasskeys(context.sql.read, accountId);
  return generateAuthenticationOptions({
    rpID: rpOf(context),
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: allowed.map(describe),
  });
}

/**
 * Adds a passkey that the actor's browser has created.
 *
 * @param input.credential JSON from the browser
 * @param input.challenge which was sent to it
 * @returns recovery codes, if the account had none: they are shown only once
 * @throws BAD_REQUEST naming `name`; UNPROCESSABLE if the answer is not acceptable or the account has
 *   {@link MAX_PASSKEYS}; UNAUTHORIZED if the account is gone
 */
export async function addPasskey(
  call: Call,
  input: { name: string; credential: string; challenge: string },
): Promise<string[] | undefined> {
  const { actor } = call;
  const parsed = parseShownName(input.name);
  if ('problem' in parsed) throw new FieldError('BAD_REQUEST', 'name', `${parsed.problem}.`);
  const { name } = parsed;
  const created = await verified(async () =>
    verifyRegistrationResponse({
      response: readCredential<RegistrationResponseJSON>(input.credential),
      expectedChallenge: input.challenge,
      expectedOrigin: new URL(call.webUrl).origin,
      expectedRPID: rpOf(call),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!created.verified) throw refused();
  const { credential } = created.registrationInfo;
  const now = call.now();
  return call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    await requireExistingAccount(tx, actor.id);
    const existing = await listPasskeys(tx, actor.id);
    if (existing.length >= MAX_PASSKEYS) {
      throw new ServiceError(
        'UNPROCESSABLE',
        `You have ${MAX_PASSKEYS} passkeys, which is the limit. Remove one you no longer use.`,
      );
    }
    const inserted = await insertPasskey(tx, {
      id: call.newId(),
      accountId: actor.id,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((each) => /^[\w-]+$/.test(each)).join(' '),
      name,
      createdAt: now,
    });
    if (!inserted) throw new ServiceError('UNPROCESSABLE', 'This passkey is added already.');
    await updateSecondFactor(tx, actor.id, now);
    await queueSecurityNotice(call, tx, actor.id, { what: 'passkey added', name });
    await audit(call, tx, { action: 'passkey.added', actor, subject: name });
    return makeRecoveryCodesIfNone(call, tx, actor.id);
  });
}

/**
 * Removes one of the actor's passkeys.
 *
 * @throws NOT_FOUND; UNPROCESSABLE if it is the last way in, or the last second factor while the
 *   server requires one
 */
export async function removePasskey(call: Call, id: string): Promise<void> {
  const { actor } = call;
  await call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    const name = await deletePasskey(tx, actor.id, normaliseId(id));
    if (name === undefined) {
      throw new FieldError('NOT_FOUND', 'id', 'you have no passkey with this id.');
    }
    await requireAnotherWayIn(call, tx, actor.id);
    await requireAnotherFactor(call, tx, actor.id);
    await queueSecurityNotice(call, tx, actor.id, { what: 'passkey removed', name });
    await audit(call, tx, { action: 'passkey.removed', actor, subject: name });
  });
}

/**
 * Returns the account whose passkey signed a challenge, and notes its use.
 *
 * @param input.accountId whose passkey it must be; without it, anyone's
 * @throws UNPROCESSABLE if no known passkey has signed it, or not with the user's verification
 */
export async function checkPasskey(
  context: Context,
  input: { credential: string; challenge: string; accountId?: string },
): Promise<string> {
  const response = readCredential<AuthenticationResponseJSON>(input.credential);
  const key = await findPasskey(context.sql.read, response.id);
  const { accountId } = input;
  if (!key || (accountId !== undefined && key.accountId !== accountId)) throw unknownPasskey();
  const { userHandle } = response.response;
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== key.accountId) {
    throw unknownPasskey();
  }
  const { verified: isVerified, authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: input.challenge,
      expectedOrigin: new URL(context.webUrl).origin,
      expectedRPID: rpOf(context),
      requireUserVerification: true,
      credential: {
        id: response.id,
        publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')),
        // Compared below.
        counter: 0,
      },
    }),
  );
  if (!isVerified) throw refused();
  requireRisen(key.counter, authenticationInfo);
  const use = { counter: authenticationInfo.newCounter, usedAt: context.now() };
  const isThere = await context.sql.transaction((tx) => updatePasskeyUsed(tx, key.id, use));
  if (!isThere) throw unknownPasskey();
  return key.accountId;
}

/**
 * Checks that a passkey of one device has counted on. Those that can be on several devices don't count
 * together (Web Authentication, section 6.1.1).
 *
 * @throws UNPROCESSABLE
 */
function requireRisen(
  before: number,
  { newCounter, credentialDeviceType }: VerifiedAuthenticationResponse['authenticationInfo'],
): void {
  if (credentialDeviceType === 'multiDevice') return;
  if (newCounter > before || (newCounter === 0 && before === 0)) return;
  throw new ServiceError(
    'UNPROCESSABLE',
    'This passkey counts fewer uses than before, so it may be a copy of yours. Sign in another way, then remove it in Settings → Security and add it again.',
  );
}

/**
 * Signs in the account whose passkey signed a challenge. It counts as both factors.
 *
 * @param input.devices what the browser stored at earlier sign-ins
 * @throws UNPROCESSABLE as {@link checkPasskey} does, and if the account is disabled
 */
export async function signInWithPasskey(
  context: Context,
  input: { credential: string; challenge: string; devices: string | undefined },
): Promise<SignedIn> {
  const accountId = await checkPasskey(context, input);
  const account = await findWaysIn(context.sql.read, accountId);
  if (!account || account.disabledAt !== null) throw unknownPasskey();
  const owner = { accountId, key: await deviceKey(context, account.passwordHash) };
  const device = findDevice(input.devices, owner);
  return {
    accountId,
    factors: ['passkey'],
    password: passwordState(account.passwordHash),
    device: addDevice(input.devices, owner, device),
    isNewBrowser: device === undefined,
  };
}

function rpOf({ webUrl }: Context): string {
  return new URL(webUrl).hostname;
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}

function describe({ credentialId, transports }: PasskeyRow) {
  return {
    id: credentialId,
    transports: transports.split(' ').filter(Boolean) as AuthenticatorTransport[],
  };
}

/** @throws UNPROCESSABLE */
function readCredential<T extends { id: string; response: object }>(text: string): T {
  try {
    const credential = parse(text) as T;
    const isOne = typeof credential?.id === 'string' && typeof credential.response === 'object';
    if (isOne && credential.response) return credential;
  } catch {
    // Refused below.
  }
  throw refused();
}

/** Runs a check of the library, which throws for whatever is wrong. @throws UNPROCESSABLE */
async function verified<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw refused();
  }
}

function refused(): ServiceError {
  return new ServiceError('UNPROCESSABLE', 'The browser’s answer is not acceptable. Try again.');
}

function unknownPasskey(): ServiceError {
  return new ServiceError('UNPROCESSABLE', 'This passkey is not known here.');
}
