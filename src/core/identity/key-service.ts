import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { audit } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { deleteKeysBefore, insertKey, type KeyPurpose, listKeys } from './key-store.ts';
import { openFor, sealFor } from './sealed-secret.ts';
import { replaceSealedSecrets } from './sealed-secret-store.ts';

/** The authorization server's keys. It signs with the first of each list and accepts all. */
export interface AuthorizationKeys {
  /** Private keys (RFC 7517), ES256. */
  signing: JsonWebKey[];
  /** Secrets that sign cookies. */
  cookie: string[];
}

const PURPOSES: KeyPurpose[] = ['signing', 'cookie'];

/** How many previous keys stay valid. What they signed expires within an hour. */
const PREVIOUS_KEYS = 1;

/** Loads the keys, which all processes share. Creates them if there are none. */
export async function loadAuthorizationKeys(context: Context): Promise<AuthorizationKeys> {
  const [signing = [], cookie = []] = await Promise.all(
    PURPOSES.map((purpose) => loadKeys(context, purpose)),
  );
  return { signing: signing.map((secret) => JSON.parse(secret)), cookie };
}

/**
 * Creates new keys and deletes all but the previous. A process uses them after its next start. Seals
 * what is kept sealed with the new key, so that it can be opened after any number of rotations.
 */
export async function rotateAuthorizationKeys(context: Context): Promise<void> {
  await context.sql.transaction(async (tx) => {
    for (const purpose of PURPOSES) {
      const keys = await listKeys(tx, purpose);
      const generation = (keys[0]?.generation ?? 0) + 1;
      const secret = createSecret(purpose);
      await insertKey(tx, { purpose, generation, secret, createdAt: context.now() });
      await deleteKeysBefore(tx, purpose, generation - PREVIOUS_KEYS);
      if (purpose !== 'cookie') continue;
      const before = keys.map((key) => key.secret);
      await replaceSealedSecrets(tx, (sealed, use) => {
        const opened = openFor(use, sealed, before);
        return opened === undefined ? undefined : sealFor(use, opened, secret);
      });
    }
    await audit(context, tx, { action: 'keys.rotated' });
  });
}

async function loadKeys(context: Context, purpose: KeyPurpose): Promise<string[]> {
  let keys = await listKeys(context.sql.read, purpose);
  if (keys.length === 0) {
    // If several processes start together, one key is stored and all read it back.
    const key = { purpose, generation: 1, secret: createSecret(purpose), createdAt: context.now() };
    await context.sql.transaction((tx) => insertKey(tx, key));
    keys = await listKeys(context.sql.read, purpose);
  }
  return keys.map(({ secret }) => secret);
}

function createSecret(purpose: KeyPurpose): string {
  if (purpose === 'cookie') return randomBytes(32).toString('base64');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' });
}
