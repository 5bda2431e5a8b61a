import { listKeys } from '../authorization/key-store.ts';
import type { Context } from '../context.ts';
import { readAddressToken } from './address-token.ts';
import { insertUnsubscribed } from './unsubscribed-address-store.ts';

/** Returns the hash of the address that a link is about; `undefined` if the link doesn't work. */
export async function findUnsubscribableAddress(
  context: Context,
  token: string,
): Promise<string | undefined> {
  const keys = await listKeys(context.sql.read, 'cookie');
  return readAddressToken(
    token,
    keys.map(({ secret }) => secret),
  );
}

/** Stops all invitations to the address of a link. @returns `false` if the link doesn't work */
export async function unsubscribeAddress(context: Context, token: string): Promise<boolean> {
  const addressHash = await findUnsubscribableAddress(context, token);
  if (addressHash === undefined) return false;
  const at = context.now();
  await context.sql.transaction((tx) => insertUnsubscribed(tx, { addressHash, at }));
  return true;
}
