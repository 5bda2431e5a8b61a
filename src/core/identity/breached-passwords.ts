import { hash } from 'node:crypto';

/** How long a check can take. After that, the password is accepted. */
const WITHIN_MS = 2_000;

/** How many hexadecimal digits of a password's hash are sent. */
const PREFIX_DIGITS = 5;

/** Tells whether a password is known from a breach; `false` if nobody says so in time. */
export type BreachCheck = (password: string) => Promise<boolean>;

/**
 * Creates a check that asks a server for all known hashes with the same first five digits (the range
 * query of Have I Been Pwned), so that the server learns neither the password nor its hash.
 *
 * @param url what the digits are appended to, as in `https://api.pwnedpasswords.com/range`
 * @param warn is told when the server doesn't answer as it should
 */
export function createBreachCheck(url: string, warn: (reason: string) => void): BreachCheck {
  return async (password) => {
    const digest = hash('sha1', password).toUpperCase();
    const [prefix, suffix] = [digest.slice(0, PREFIX_DIGITS), digest.slice(PREFIX_DIGITS)];
    try {
      const response = await fetch(`${url}/${prefix}`, {
        // So that the length of the answer says nothing about the digits.
        headers: { 'add-padding': 'true', 'user-agent': 'Briefs' },
        redirect: 'error',
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      if (!response.ok) throw new Error(`it answers ${response.status}`);
      return countsIn(await response.text()).get(suffix) !== undefined;
    } catch (error) {
      warn(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
}

/** Returns how often each hash was seen, by its other digits. Padding was seen 0 times. */
function countsIn(text: string): Map<string, number> {
  const lines = text.split(/\r?\n/).map((line) => line.split(':'));
  return new Map(
    lines
      .map(([suffix = '', count]): [string, number] => [suffix.toUpperCase(), Number(count)])
      .filter(([, count]) => count > 0),
  );
}
