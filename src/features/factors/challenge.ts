import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import { type Context, later } from '../../core/context.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { hostCookie } from '../../surfaces/web/cookies.ts';
import { createSeal } from '../../surfaces/web/sealed.ts';
import { insertSpentChallenge } from './factor-store.ts';

/** How long a passkey can take to answer. */
export const CHALLENGE_MS = 5 * 60_000;

const CHALLENGE_BYTES = 32;

/** What a passkey is asked to sign. */
interface Challenge {
  /** base64url. */
  challenge: string;
  /** What the answer is for, and by whom: an answer for anything else is refused. */
  purpose: string;
  expiresAt: string;
}

/** The purposes of challenges. Those of signed-in users belong to one session. */
export const PURPOSES = {
  signIn: 'sign in',
  second: (accountId: string) => `second factor of ${accountId}`,
  add: (sessionId: string) => `add in ${sessionId}`,
  prove: (sessionId: string) => `prove in ${sessionId}`,
} as const;

/** Asks browsers for signatures of passkeys, each once. */
export interface Challenges {
  /** Returns a new challenge, which the browser stores sealed for as long as it can be answered. */
  set(reply: FastifyReply, purpose: string): Promise<string>;
  /**
   * Takes the browser's challenge: it can't be answered again.
   *
   * @throws UNPROCESSABLE if there is none for this purpose, it is too old, or it was answered
   */
  take(request: FastifyRequest, reply: FastifyReply, purpose: string): Promise<string>;
}

export function createChallenges(context: Context): Challenges {
  const cookie = hostCookie(context.webUrl, { name: 'briefs-challenge', maxAgeMs: CHALLENGE_MS });
  const seals = async () => {
    const keys = await loadAuthorizationKeys(context);
    return keys.cookie.map((key) => createSeal<Challenge>(key, 'passkey challenge'));
  };
  return {
    async set(reply, purpose) {
      const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
      const expiresAt = later(context.now(), CHALLENGE_MS);
      const [seal] = await seals();
      cookie.set(reply, seal?.seal({ challenge, purpose, expiresAt }, expiresAt) ?? '');
      return challenge;
    },
    async take(request, reply, purpose) {
      const now = context.now();
      const sealed = cookie.read(request) ?? '';
      const found = (await seals()).map((seal) => seal.open(sealed, now)).find(Boolean);
      cookie.clear(reply);
      if (found?.purpose !== purpose) throw tooLate();
      const { challenge, expiresAt } = found;
      const isFirst = await context.sql.transaction((tx) =>
        insertSpentChallenge(tx, { hash: hashSecret(challenge), expiresAt, now }),
      );
      if (!isFirst) throw tooLate();
      return challenge;
    },
  };
}

function tooLate(): ServiceError {
  return new ServiceError(
    'UNPROCESSABLE',
    'This took too long, or started in another tab. Try again.',
  );
}
