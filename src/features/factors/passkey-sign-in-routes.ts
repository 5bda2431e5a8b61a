import type { FastifyInstance, FastifyReply } from 'fastify';
import { addressBudgets, countAttempt, forgiveAttempt } from '../../core/identity/attempts.ts';
import { findWaysIn } from '../../core/identity/second-factor-store.ts';
import type { Factor } from '../../core/identity/session-service.ts';
import {
  type AccountParts,
  FORM_LIMIT_BYTES,
  goOn,
  seeOther,
  sendOwnPage,
} from '../../surfaces/web/account-parts.ts';
import { type HalfSignedIn, SECOND_FACTOR_PATH } from '../../surfaces/web/browser-session.ts';
import { type Faults, faultsOf, isCorrectable, readForm } from '../../surfaces/web/form.ts';
import { nextPath } from '../../surfaces/web/next-path.ts';
import type { ShowSignIn } from '../accounts/sign-in-routes.ts';
import { createChallenges, PURPOSES } from './challenge.ts';
import { checkCode } from './code-service.ts';
import { findCodeGenerator, listPasskeys } from './factor-store.ts';
import { checkPasskey, requestOptions, signInWithPasskey } from './passkey-service.ts';
import { renderSecondStepPage } from './second-step-page.tsx';

/**
 * Adds signing in with a passkey, and `/sign-in/second`, where those who have given a password give
 * their second factor.
 *
 * @param showSignIn shows the sign-in page again
 */
export function addFactorSignInRoutes(
  app: FastifyInstance,
  parts: AccountParts,
  showSignIn: ShowSignIn,
): void {
  const { context, limiter, site, visits } = parts;
  const challenges = createChallenges(context);
  const limits = { bodyLimit: FORM_LIMIT_BYTES };

  app.post('/sign-in/passkey/options', limits, async (_request, reply) => {
    const challenge = await challenges.set(reply, PURPOSES.signIn);
    return sendJson(reply, await requestOptions(context, challenge));
  });

  app.post('/sign-in/passkey', limits, async (request, reply) => {
    const form = readForm(request.body, ['credential', 'next']);
    const next = nextPath(form.next, site.webUrl) ?? '/';
    const budgets = addressBudgets('signIn', request.ip);
    await countAttempt(limiter, budgets);
    try {
      const challenge = await challenges.take(request, reply, PURPOSES.signIn);
      const devices = visits.devicesOf(request);
      const { credential } = form;
      const who = await signInWithPasskey(context, { credential, challenge, devices });
      await forgiveAttempt(limiter, budgets);
      await visits.begin(request, reply, who);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return showSignIn(request, reply, next, error.sentence);
    }
    return goOn(reply, site, next);
  });

  async function show(reply: FastifyReply, half: HalfSignedIn, faults?: Faults) {
    const { accountId } = half.who;
    const { read } = context.sql;
    const [account, generator, passkeys] = await Promise.all([
      findWaysIn(read, accountId),
      findCodeGenerator(read, accountId),
      listPasskeys(read, accountId),
    ]);
    const page = {
      username: account?.username ?? '',
      hasCodes: generator !== undefined,
      hasPasskeys: passkeys.length > 0,
      ...(faults && { faults }),
    };
    return sendOwnPage(reply, renderSecondStepPage(site, page), faults ? 422 : 200);
  }

  app.get(SECOND_FACTOR_PATH, async (request, reply) => {
    const half = await visits.halfSignedIn(request);
    return half ? show(reply, half) : seeOther(reply, '/sign-in');
  });

  app.post(SECOND_FACTOR_PATH, limits, async (request, reply) => {
    const half = await visits.halfSignedIn(request);
    if (!half) return seeOther(reply, '/sign-in');
    const { code } = readForm(request.body, ['code']);
    let factor: Factor;
    try {
      factor = await checkCode(context, limiter, half.who.accountId, code);
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return show(reply, half, faultsOf(error));
    }
    await visits.beginWithBoth(request, reply, half, factor);
    return goOn(reply, site, half.next);
  });

  app.post(`${SECOND_FACTOR_PATH}/options`, limits, async (request, reply) => {
    const half = await visits.halfSignedIn(request);
    if (!half) return sendJson(reply.code(403), { sentence: 'Sign in again.' });
    const { accountId } = half.who;
    const challenge = await challenges.set(reply, PURPOSES.second(accountId));
    return sendJson(reply, await requestOptions(context, challenge, accountId));
  });

  app.post(`${SECOND_FACTOR_PATH}/passkey`, limits, async (request, reply) => {
    const half = await visits.halfSignedIn(request);
    if (!half) return seeOther(reply, '/sign-in');
    const { credential } = readForm(request.body, ['credential']);
    const { accountId } = half.who;
    try {
      const challenge = await challenges.take(request, reply, PURPOSES.second(accountId));
      await checkPasskey(context, { credential, challenge, accountId });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return show(reply, half, faultsOf(error));
    }
    await visits.beginWithBoth(request, reply, half, 'passkey');
    return goOn(reply, site, half.next);
  });
}

/** Sends a response for a page's script. */
export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('cache-control', 'private, no-store').send(body);
}
