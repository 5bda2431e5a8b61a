import type { AuditRow } from '../../core/audit/audit-store.ts';
import type { Actor } from '../../core/context.ts';

/** An entry of the audit trail. */
export interface AuditEntry {
  id: string;
  /** ISO 8601. */
  at: string;
  action: string;
  /** Who did it; `null` for the service, an operator's command, or someone unknown. */
  actorId: string | null;
  /** Their username at the time. */
  actor: string | null;
  means: AuditRow['means'];
  /** The name of the token or application, or of the operator's account on the machine. */
  meansName: string | null;
  address: string | null;
  device: string | null;
  /** The id of the account that it concerns. */
  accountId: string | null;
  /** The id of the user or organization whose thing it concerns. */
  ownerId: string | null;
  documentId: string | null;
  subject: string | null;
  detail: Record<string, string | number | boolean | null>;
}

export function entryOf(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    action: row.action,
    actorId: row.actor_id,
    actor: row.actor_name,
    means: row.means,
    meansName: row.means_name,
    address: row.address,
    device: row.device,
    accountId: row.account_id,
    ownerId: row.owner_id,
    documentId: row.document_id,
    subject: row.subject,
    detail: row.detail === null ? {} : JSON.parse(row.detail),
  };
}

/**
 * Returns an entry as the person sees it whom it concerns. Where others were, and what they call
 * their tokens, is theirs. What was done in nobody's name to their account, such as a failed
 * sign-in, has the address.
 */
export function shownToPerson(entry: AuditEntry, actor: Pick<Actor, 'id' | 'via'>): AuditEntry {
  const { actorId, accountId, means } = entry;
  const isOwn = actorId === actor.id;
  const isAttempt = actorId === null && accountId === actor.id && means === 'web';
  if (!isOwn && !isAttempt) return withoutOrigin(entry);
  if (actor.via.means !== 'application') return entry;
  return { ...entry, address: null, device: null };
}

/**
 * Returns an entry as an organization's admin sees it: with the origin only of what members did.
 *
 * @param members the ids of those who are members now
 */
export function shownToOrganization(
  entry: AuditEntry,
  actor: Pick<Actor, 'via'>,
  members: ReadonlySet<string>,
): AuditEntry {
  const isMember = entry.actorId !== null && members.has(entry.actorId);
  if (!isMember) return withoutOrigin(entry);
  if (actor.via.means !== 'application') return entry;
  return { ...entry, address: null, device: null };
}

function withoutOrigin(entry: AuditEntry): AuditEntry {
  return { ...entry, meansName: null, address: null, device: null };
}
