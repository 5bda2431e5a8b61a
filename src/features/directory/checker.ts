import type { FastifyBaseLogger } from 'fastify';
import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import { MINUTE_MS } from '../../base/time/clock.ts';
import { audit } from '../../core/audit/audit.ts';
import type { UpstreamProvider } from '../../core/config/config.ts';
import { type Context, later } from '../../core/context.ts';
import { updateRefused } from '../../core/identity/account-store.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { createUpstreamClient, type UpstreamClient } from '../accounts/upstream-client.ts';
import { openTokens, sealTokens, type UpstreamTokens } from '../accounts/upstream-service.ts';
import { updateTokens } from '../accounts/upstream-store.ts';
import { claimCheck, type DueIdentity, listDue } from './check-store.ts';

/** How many people a process asks about in one step. */
const AT_ONCE = 20;

interface Answer {
  answer: UpstreamTokens | 'refused';
  askedAt: string;
}

/** What the provider has answered and isn't stored yet. It may have ended the former token. */
export type Answers = Map<DueIdentity, Answer>;

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
  const answers: Answers = new Map();
  const step = async () =>
    (await checkDue(context, upstream, provider.checkEveryMs, answers)) > 0 ? 1_000 : undefined;
  return startLoop({ step, everyMs: MINUTE_MS, whileAwayMs: MINUTE_MS, onFailure });
}

/**
 * Asks the provider whether people who work can still sign in, each at most once within a time. Who no
 * longer can has no sessions then, and their tokens and apps don't work until they sign in there
 * again. Nobody is stopped because the provider doesn't respond.
 *
 * @param answers those that could not be stored before, which are stored first
 * @returns how many it asked about
 */
export async function checkDue(
  context: Context,
  upstream: Pick<UpstreamClient, 'askAgain'>,
  everyMs: number,
  answers: Answers = new Map(),
): Promise<number> {
  for (const [identity, answer] of answers) await store(context, identity, answer, answers);
  const due = await listDue(context.sql.read, later(context.now(), -everyMs), AT_ONCE);
  for (const identity of due) await check(context, upstream, identity, answers);
  return due.length;
}

async function check(
  context: Context,
  upstream: Pick<UpstreamClient, 'askAgain'>,
  identity: DueIdentity,
  answers: Answers,
): Promise<void> {
  const before = await openTokens(context, identity.sealedTokens);
  const { refreshToken } = before;
  const askedAt = context.now();
  const isMine = await context.sql.transaction((tx) => claimCheck(tx, identity, askedAt));
  if (!isMine || refreshToken === undefined) return;
  const said = await upstream.askAgain(identity.subject, refreshToken);
  if (said === 'unknown') return;
  // Not every provider sends an ID token then.
  const answer = said === 'refused' ? said : { ...said, idToken: said.idToken ?? before.idToken };
  answers.set(identity, { answer, askedAt });
  await store(context, identity, { answer, askedAt }, answers);
}

async function store(
  context: Context,
  identity: DueIdentity,
  { answer, askedAt }: Answer,
  answers: Answers,
): Promise<void> {
  const sealedTokens = answer === 'refused' ? null : await sealTokens(context, answer);
  const { accountId, username: subject } = identity;
  await context.sql.transaction(async (tx) => {
    // Who has signed in there meanwhile has other tokens.
    if (!(await claimCheck(tx, { ...identity, checkedAt: askedAt }, askedAt))) return;
    await updateTokens(tx, identity, { sealedTokens, checkedAt: askedAt });
    if (answer !== 'refused') return;
    await updateRefused(tx, accountId, askedAt);
    await deleteSessions(tx, accountId);
    await audit(context, tx, { action: 'provider.refused', accountId, subject });
  });
  answers.delete(identity);
}
