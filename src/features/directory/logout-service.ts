import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { ServiceError } from '../../base/errors.ts';
import { MINUTE_MS } from '../../base/time/clock.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Context, later } from '../../core/context.ts';
import { deleteSessions, deleteUpstreamSessions } from '../../core/identity/session-store.ts';
import type { UpstreamLogout } from '../accounts/upstream-client.ts';
import { findUpstreamAccount } from '../accounts/upstream-store.ts';
import { insertSpentChallenge } from '../factors/factor-store.ts';

/** How long a logout token is remembered: longer than it can be used. */
const REMEMBERED_MS = 10 * MINUTE_MS;

/**
 * Ends the sessions of who was signed out at the provider: those of one session there, or all.
 * Somebody without an account here is ignored. Tokens and apps go on working.
 *
 * @throws BAD_REQUEST if the logout token was used before
 */
export async function endUpstreamSessions(
  context: Context,
  { issuer, subject, sid, jti }: UpstreamLogout,
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const now = context.now();
    const hash = hashSecret(`logout ${issuer} ${jti}`);
    const isNew = await insertSpentChallenge(tx, {
      hash,
      expiresAt: later(now, REMEMBERED_MS),
      now,
    });
    if (!isNew) throw new ServiceError('BAD_REQUEST', 'This logout token was used before.');
    const account =
      subject === undefined ? undefined : await findUpstreamAccount(tx, { issuer, subject });
    if (subject !== undefined && !account) return;
    const accountId = account?.accountId;
    const ended =
      sid === undefined
        ? await deleteSessions(tx, accountId as string)
        : await deleteUpstreamSessions(tx, { accountId, sid });
    for (const id of new Set(ended)) {
      await audit(context, tx, {
        action: 'session.ended',
        accountId: id,
        detail: { atProvider: true },
      });
    }
  });
}
