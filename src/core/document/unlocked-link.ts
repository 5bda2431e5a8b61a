import { isMacOf, macOf } from '../../base/crypto/mac.ts';

/** How many links a browser has open at the same time. */
const MAX_UNLOCKED = 20;

interface Locked {
  id: string;
  passwordHash: string;
}

/**
 * Adds the proof that a browser was told a link's password to those that it stores. The password's
 * hash signs it, so another password voids it.
 *
 * @param stored what the browser sent
 * @returns what the browser should store instead
 */
export function addUnlocked(stored: string | undefined, { id, passwordHash }: Locked): string {
  const others = proofsIn(stored).filter((proof) => !proof.startsWith(`${id}.`));
  const proof = `${id}.${macOf(signedText(id), passwordHash)}`;
  return [proof, ...others].slice(0, MAX_UNLOCKED).join('~');
}

/** Tells whether a browser has proved that it was told a link's password. */
export function isUnlocked(stored: string | undefined, { id, passwordHash }: Locked): boolean {
  return proofsIn(stored).some((proof) => {
    const [of, mac = ''] = proof.split('.');
    return of === id && isMacOf(mac, signedText(id), passwordHash);
  });
}

function proofsIn(stored = ''): string[] {
  return stored.split('~', MAX_UNLOCKED);
}

function signedText(id: string): string {
  return `unlocked link ${id}`;
}
