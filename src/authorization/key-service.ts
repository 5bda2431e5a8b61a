import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { deleteKeysBefore, insertKey, type KeyPurpose, listKeys } from './key-store.ts';

/** What the authorization server signs with. Of each list the first is used, all are accepted. */
export interface AuthorizationKeys {
  /** Private keys (RFC 7517), ES256. */
  signing: JsonWebKey[];
  /** Secrets that cookies are signed with. */
  cookie: string[];
}

const PURPOSES: KeyPurpose[] = ['signing', 'cookie'];

/** Keys before the newest that are still accepted: what they signed lives for an hour at most. */
const KEPT_BEFORE = 1;

/** The keys, the same for all processes; made when there are none. */
export async function loadAuthorizationKeys(context: Context): Promise<AuthorizationKeys> {
  const [signing = [], cookie = []] = await Promise.all(
    PURPOSES.map((purpose) => loadKeys(context, purpose)),
  );
  return { signing: signing.map((secret) => JSON.parse(secret)), cookie };
}

/** Makes new keys, which each process uses from its next start on. */
export async function rotateAuthorizationKeys(context: Context): Promise<void> {
  await context.sql.transaction(async (tx) => {
    for (const purpose of PURPOSES) {
      const [newest] = await listKeys(tx, purpose);
      const generation = (newest?.generation ?? 0) + 1;
      const secret = makeSecret(purpose);
      await insertKey(tx, { purpose, generation, secret, createdAt: context.now() });
      await deleteKeysBefore(tx, purpose, generation - KEPT_BEFORE);
    }
  });
}

async function loadKeys(context: Context, purpose: KeyPurpose): Promise<string[]> {
  let keys = await listKeys(context.sql.read, purpose);
  if (keys.length === 0) {
    // Of processes that start together one makes the key that all of them use.
    const key = { purpose, generation: 1, secret: makeSecret(purpose), createdAt: context.now() };
    await context.sql.transaction((tx) => insertKey(tx, key));
    keys = await listKeys(context.sql.read, purpose);
  }
  return keys.map(({ secret }) => secret);
}

function makeSecret(purpose: KeyPurpose): string {
  if (purpose === 'cookie') return randomBytes(32).toString('base64');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' });
}
