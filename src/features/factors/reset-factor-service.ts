import { FieldError } from '../../base/errors.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { lockWaysIn, updateSecondFactor } from '../../core/identity/second-factor-store.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { deleteSecondFactors } from './factor-store.ts';

/**
 * Removes all passkeys, one-time codes and recovery codes of a user who has lost them, ends all
 * their sessions, and tells them by mail.
 *
 * @param actor the administrator who does it; without one, an operator's command
 * @returns the username
 * @throws FORBIDDEN if the actor is no administrator; NOT_FOUND if there is no such user; UNPROCESSABLE naming `username` if there is nothing to
 *   remove
 */
export async function resetSecondFactor(
  context: Context,
  actor: Actor | undefined,
  name: string,
): Promise<string> {
  return context.sql.transaction(async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const { id: accountId, username } = await requireAccount(tx, name);
    await lockWaysIn(tx, accountId);
    if (!(await deleteSecondFactors(tx, accountId))) {
      throw new FieldError('UNPROCESSABLE', 'username', `${username} has no second factor.`);
    }
    await updateSecondFactor(tx, accountId, context.now());
    await deleteSessions(tx, accountId);
    const event = { what: 'second factor reset' } as const;
    const by = actor ? { byAdmin: true } : { byOperator: true };
    await queueSecurityNotice(context, tx, accountId, event, by);
    await audit(context, tx, {
      action: 'account.second_factor_reset',
      ...(actor && { actor }),
      accountId,
      subject: username,
    });
    return username;
  });
}
