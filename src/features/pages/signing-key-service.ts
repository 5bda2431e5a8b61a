import { randomBytes } from 'node:crypto';
import { type Context, later } from '../../core/context.ts';
import { SIGNED_ADDRESS_LIFETIME_MS } from './signed-address.ts';
import {
  deleteSigningKeys,
  deleteSigningKeysReplacedBy,
  insertSigningKey,
  listSigningKeys,
} from './signing-key-store.ts';

const SECRET_BYTES = 32;

/**
 * Sorts before all other ids. Fixed, so that several processes can't create different first keys.
 */
const FIRST_KEY_ID = '00000000-0000-7000-8000-000000000000';

/**
 * Replaces the signing key. Addresses signed with the old one work until they expire, unless
 * `revoke` is set.
 */
export async function rotateSigningKey(
  context: Context,
  options: { revoke: boolean },
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const now = context.now();
    if (options.revoke) await deleteSigningKeys(tx);
    else await deleteSigningKeysReplacedBy(tx, later(now, -SIGNED_ADDRESS_LIFETIME_MS));
    const secret = randomBytes(SECRET_BYTES);
    await insertSigningKey(tx, { id: context.newId(), secret, createdAt: now });
  });
}

/** Returns the newest signing key. Creates one if there is none. */
export async function currentSigningKey(context: Context): Promise<Uint8Array> {
  const [newest] = await listSigningKeys(context.sql.read);
  if (newest) return newest;
  return context.sql.transaction(async (tx) => {
    const secret = randomBytes(SECRET_BYTES);
    await insertSigningKey(tx, { id: FIRST_KEY_ID, secret, createdAt: context.now() });
    const [made] = await listSigningKeys(tx);
    return made as Uint8Array;
  });
}
