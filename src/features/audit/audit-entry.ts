import type { AuditRow } from '../../core/audit/audit-store.ts';
import type { Actor } from '../../core/context.ts';

export type AuditEntry = Omit<AuditRow, 'actorName' | 'detail'> & {
  /** The username at the time of who did it. */
  actor: string | null;
  detail: Record<string, string | number | boolean | null>;
};

export function entryOf({ actorName, detail, ...row }: AuditRow): AuditEntry {
  return { ...row, actor: actorName, detail: detail === null ? {} : JSON.parse(detail) };
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

/** Returns an entry as administrators of the instance see it: without names of files (`ADMIN_SEES`). */
export function shownToAdministrator(entry: AuditEntry): AuditEntry {
  return entry.action.startsWith('file.') ? { ...entry, subject: null } : entry;
}

function withoutOrigin(entry: AuditEntry): AuditEntry {
  return { ...entry, meansName: null, address: null, device: null };
}
