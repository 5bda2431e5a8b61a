import type { Context } from '../context.ts';
import { loadAuthorizationKeys } from './key-service.ts';
import { openFor, sealFor } from './sealed-secret.ts';
import type { SealedPurpose } from './sealed-secret-store.ts';

/** Seals a secret that the service has to show or send again, with the newest key. */
export async function sealSecret(
  context: Context,
  purpose: SealedPurpose,
  secret: string,
): Promise<string> {
  const [key] = (await loadAuthorizationKeys(context)).cookie as [string];
  return sealFor(purpose, secret, key);
}

/**
 * Opens sealed secrets. Each is `undefined` if there is none, or it was sealed with a key that is
 * gone.
 */
export async function openSecrets(
  context: Context,
  purpose: SealedPurpose,
  sealed: readonly (string | null)[],
): Promise<(string | undefined)[]> {
  if (sealed.every((each) => each === null)) return sealed.map(() => undefined);
  const keys = (await loadAuthorizationKeys(context)).cookie;
  return sealed.map((each) => (each === null ? undefined : openFor(purpose, each, keys)));
}
