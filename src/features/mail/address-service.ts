import type { Context } from '../../core/context.ts';
import { listKeys } from '../../core/identity/key-store.ts';
import { readAddressToken } from './address-token.ts';
import {
  deleteUnsubscribed,
  insertUnsubscribed,
  isUnsubscribed,
} from './unsubscribed-address-store.ts';

/**
 * Tells whether the address of a link gets invitations.
 *
 * @returns `undefined` if the link doesn't work
 */
export async function getsInvitations(
  context: Context,
  token: string,
): Promise<boolean | undefined> {
  const addressHash = await hashIn(context, token);
  if (addressHash === undefined) return undefined;
  return !(await isUnsubscribed(context.sql.read, addressHash));
}

/**
 * Stops all invitations to the address of a link, or allows them again.
 *
 * @returns `false` if the link doesn't work
 */
export async function setGetsInvitations(
  context: Context,
  token: string,
  getsThem: boolean,
): Promise<boolean> {
  const addressHash = await hashIn(context, token);
  if (addressHash === undefined) return false;
  const at = context.now();
  await context.sql.transaction((tx) =>
    getsThem ? deleteUnsubscribed(tx, addressHash) : insertUnsubscribed(tx, { addressHash, at }),
  );
  return true;
}

/** Returns the hash of the address that a link is about; `undefined` if the link doesn't work. */
async function hashIn(context: Context, token: string): Promise<string | undefined> {
  const keys = await listKeys(context.sql.read, 'cookie');
  return readAddressToken(
    token,
    keys.map(({ secret }) => secret),
  );
}
