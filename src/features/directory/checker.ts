import type { FastifyBaseLogger } from 'fastify';
import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import { MINUTE_MS } from '../../base/time/clock.ts';
import { audit } from '../../core/audit/audit.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import { type Context, later } from '../../core/context.ts';
import { updateRefused } from '../../core/identity/account-store.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { createUpstreamClient, type UpstreamClient } from '../accounts/upstream-client.ts';
import { keepTokens, openTokens } from '../accounts/upstream-service.ts';
import { updateTokens } from '../accounts/upstream-store.ts';
import { claimCheck, type DueIdentity, listDue } from './check-store.ts';

/** How many people a process asks about in one step. */
const AT_ONCE = 20;

/**
 * Starts to ask the provider about people who work (`OIDC_CHECK_HOURS`).
 *
 * @param onFailure called on failures; the checker retries after a while
 */
export function startChecker(
  context: Context,
  provider: UpstreamProvider,
  logger: FastifyBaseLogger,
  onFailure: (error: unknown) => void,
): BackgroundLoop {
  const upstream = createUpstreamClient(provider, `${context.webUrl}/sign-in/callback`, logger);
  const step = async () =>
    (await checkDue(context, upstream, provider.checkEveryMs)) > 0 ? 1_000 : undefined;
  return startLoop({ step, everyMs: MINUTE_MS, whileAwayMs: MINUTE_MS, onFailure });
}

/**
 * Asks the provider whether people who work can still sign in, each at most once within a time. Who no
 * longer can has no sessions then, and their tokens and apps don't work until they sign in there
 * again. Nobody is stopped because the provider doesn't respond.
 *
 * @returns how many it asked about
 */
export async function checkDue(
  context: Context,
  upstream: Pick<UpstreamClient, 'askAgain'>,
  everyMs: number,
): Promise<number> {
  const due = await listDue(context.sql.read, later(context.now(), -everyMs), AT_ONCE);
  for (const identity of due) await check(context, upstream, identity);
  return due.length;
}

async function check(
  context: Context,
  upstream: Pick<UpstreamClient, 'askAgain'>,
  identity: DueIdentity,
): Promise<void> {
  const before = await openTokens(context, identity.sealedTokens);
  const { refreshToken } = before;
  const now = context.now();
  const isMine = await context.sql.transaction((tx) => claimCheck(tx, identity, now));
  if (!isMine || refreshToken === undefined) return;
  const answer = await upstream.askAgain(identity.subject, refreshToken);
  if (answer === 'unknown') return;
  if (answer !== 'refused') {
    // Not every provider sends an ID token then.
    return keepTokens(context, identity, { ...answer, idToken: answer.idToken ?? before.idToken });
  }
  const { accountId, username: subject } = identity;
  await context.sql.transaction(async (tx) => {
    await updateRefused(tx, accountId, now);
    await deleteSessions(tx, accountId);
    await updateTokens(tx, identity, { sealedTokens: null, checkedAt: now });
    await audit(context, tx, { action: 'provider.refused', accountId, subject });
  });
}
