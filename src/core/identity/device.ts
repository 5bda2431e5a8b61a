import { randomBytes } from 'node:crypto';
import { isMacOf, macOf } from '../../base/crypto/mac.ts';

const NONCE_BYTES = 16;

/** How many accounts a browser is known to at the same time. */
const MAX_DEVICES = 5;

/** The account that a device token is for. */
interface Owner {
  accountId: string;
  /** Signs the token: the account's password hash, so that a new password voids it. */
  key: string;
}

/**
 * Adds a device token to those that a browser stores, at sign-in. A browser that has one isn't
 * blocked by strangers' failed sign-ins, and isn't reported to the account's owner as new.
 *
 * @param stored what the browser sent
 * @param replaced the token among them that is no longer needed
 * @returns what the browser should store instead
 */
export function addDevice(stored: string | undefined, owner: Owner, replaced?: string): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const device = `${nonce}.${macOf(signedText(owner.accountId, nonce), owner.key)}`;
  const others = devicesIn(stored).filter((other) => other !== replaced);
  return [device, ...others].slice(0, MAX_DEVICES).join('~');
}

/**
 * Finds the account's device token among those that a browser sent.
 *
 * @param owner.key `''` if there is no account, which takes the same time
 * @returns `undefined` if the browser never signed in to the account, or the password has changed
 *   since
 */
export function findDevice(stored: string | undefined, owner: Owner): string | undefined {
  const genuine = devicesIn(stored).filter((device) => {
    const [nonce = '', signature = ''] = device.split('.');
    return isMacOf(signature, signedText(owner.accountId, nonce), owner.key);
  });
  return owner.key === '' ? undefined : genuine[0];
}

function devicesIn(stored = ''): string[] {
  return stored.split('~', MAX_DEVICES).filter((device) => device !== '');
}

function signedText(accountId: string, nonce: string): string {
  return `device ${accountId} ${nonce}`;
}
