import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { requirePerson } from '../../core/identity/person-acts.ts';
import { lockWaysIn } from '../../core/identity/second-factor-store.ts';
import { deleteSessions } from '../../core/identity/session-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { deleteIdentity, type IdentityRow, listIdentities } from '../accounts/upstream-store.ts';
import { requireAnotherWayIn } from './ways-in-service.ts';

/** Lists the identities at the provider that the actor's account is linked to. */
export async function listOwnIdentities(call: Call): Promise<IdentityRow[]> {
  return listIdentities(call.sql.read, call.actor.id);
}

/**
 * Removes all links of an account to identities at the provider, so that it can be linked to another
 * one. It ends its sessions, and tells its owner by mail.
 *
 * @param by the administrator who does it; without one, an operator's command
 * @param name the provider's name, for the mail about it
 * @returns the username
 * @throws FORBIDDEN, also for tokens; NOT_FOUND; UNPROCESSABLE naming `username` if it has no link
 */
export async function unlinkPerson(
  context: Context,
  by: Actor | undefined,
  username: string,
  name: string,
): Promise<string> {
  requirePerson(by, 'unlinkProvider');
  return context.sql.transaction(async (tx) => {
    if (by) await requireAdmin(tx, by);
    const account = await requireAccount(tx, username);
    await lockWaysIn(tx, account.id);
    const links = await listIdentities(tx, account.id);
    if (links.length === 0) {
      const problem = `${account.username} isn’t linked to the provider.`;
      throw new FieldError('UNPROCESSABLE', 'username', problem);
    }
    for (const { id } of links) await deleteIdentity(tx, account.id, id);
    await deleteSessions(tx, account.id);
    const who = by ? { byAdmin: true } : { byOperator: true };
    const event = { what: 'provider unlinked', name } as const;
    await queueSecurityNotice(context, tx, account.id, event, who);
    await audit(context, tx, {
      action: 'provider.unlinked',
      ...(by && { actor: by }),
      accountId: account.id,
      subject: account.username,
    });
    return account.username;
  });
}

/**
 * Removes the link of the actor's account to an identity at the provider.
 *
 * @param name the provider's name, for the mail about it
 * @throws NOT_FOUND; UNPROCESSABLE if it is the last way to sign in
 */
export async function unlinkIdentity(call: Call, id: string, name: string): Promise<void> {
  const { actor } = call;
  await call.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    if (!(await deleteIdentity(tx, actor.id, normaliseId(id)))) {
      throw new FieldError('NOT_FOUND', 'id', 'your account has no such link.');
    }
    await requireAnotherWayIn(call, tx, actor.id);
    await queueSecurityNotice(call, tx, actor.id, { what: 'provider unlinked', name });
    await audit(call, tx, { action: 'provider.unlinked', actor, subject: name });
  });
}
