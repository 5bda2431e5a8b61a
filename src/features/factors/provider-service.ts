import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { lockWaysIn } from '../../core/identity/second-factor-store.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { deleteIdentity, type IdentityRow, listIdentities } from '../accounts/upstream-store.ts';
import { requireAnotherWayIn } from './ways-in-service.ts';

/** Lists the identities at the provider that the actor's account is linked to. */
export async function listOwnIdentities(context: Context, actor: Actor): Promise<IdentityRow[]> {
  return listIdentities(context.sql.read, actor.id);
}

/**
 * Removes the link of the actor's account to an identity at the provider.
 *
 * @param name the provider's name, for the mail about it
 * @throws NOT_FOUND; UNPROCESSABLE if it is the last way to sign in
 */
export async function unlinkIdentity(
  context: Context,
  actor: Actor,
  id: string,
  name: string,
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    await lockWaysIn(tx, actor.id);
    if (!(await deleteIdentity(tx, actor.id, normaliseId(id)))) {
      throw new FieldError('NOT_FOUND', 'id', 'your account has no such link.');
    }
    await requireAnotherWayIn(context, tx, actor.id);
    await queueSecurityNotice(context, tx, actor.id, { what: 'provider unlinked', name });
    await audit(context, tx, { action: 'provider.unlinked', actor, subject: name });
  });
}
