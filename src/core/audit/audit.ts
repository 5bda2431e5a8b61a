import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import type { Actor, Context } from '../context.ts';
import { describeUserAgent } from '../identity/user-agent.ts';
import type { AuditAction } from './actions.ts';
import { insertAuditEntry } from './audit-store.ts';
import { currentOrigin } from './origin.ts';

/** What was done, for the audit trail. */
export interface Audited {
  action: AuditAction;
  /** Who did it. Without one: an operator's command, the service itself, or someone unknown. */
  actor?: Pick<Actor, 'id' | 'username' | 'via'>;
  /** The id of the account that it concerns, if that is not the actor's. */
  accountId?: string;
  /** The id of the user or organization whose document, token or membership it concerns. */
  ownerId?: string;
  documentId?: string;
  /** The name of what it was done to: `ada/plan`, a username, a token's name. No secret. */
  subject?: string;
  /** More about it, as it is now: what was set, not what was there before. No secret. */
  detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * Writes an entry of the audit trail: who did what, by which means and from where (`withOrigin`). Call it
 * in the transaction that does it, so that there is never one without the other.
 */
export async function audit(context: Context, tx: Writer, done: Audited): Promise<void> {
  const { command, address, userAgent } = currentOrigin();
  const { actor, detail } = done;
  const unknown = command ? 'command' : address === undefined ? 'service' : 'web';
  await insertAuditEntry(tx, {
    id: context.newId(),
    at: context.now(),
    action: done.action,
    actorId: actor?.id ?? null,
    actorName: actor?.username ?? null,
    means: actor?.via.means ?? unknown,
    meansName: actor?.via.name ?? command?.user ?? null,
    address: address ?? null,
    device: userAgent === undefined ? null : describeUserAgent(userAgent),
    accountId: done.accountId ?? actor?.id ?? null,
    ownerId: done.ownerId ?? null,
    documentId: done.documentId ?? null,
    subject: done.subject ?? null,
    detail: detail ? JSON.stringify(detail) : null,
  });
}

/** Returns what an entry says about its document: `ada/plan`, or `ada/pages/dice`. */
export function aboutDocument({
  id,
  ownerId,
  ownerNamespace,
  kind,
  name,
}: {
  id: string;
  ownerId: string;
  ownerNamespace: string;
  kind: Kind;
  name: string;
}): { ownerId: string; documentId: string; subject: string } {
  const subject = [ownerNamespace, ...KINDS[kind].webSegments, name].join('/');
  return { ownerId, documentId: id, subject };
}
