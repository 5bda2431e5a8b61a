import { FieldError, ServiceError } from '../../base/errors.ts';
import type { FeedPart } from '../../base/pagination/result-page.ts';
import type { OwnerType } from '../../base/schema/visibility.ts';
import type { AuditAction } from '../../core/audit/actions.ts';
import {
  type AuditFilter,
  type AuditRow,
  deleteAuditEntries,
  listAuditEntries,
} from '../../core/audit/audit-store.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import { findAccountByUsername } from '../../core/identity/account-store.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { listMemberIds } from '../../core/owner/membership-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { findOwner, listOwnersById } from '../../core/owner/owner-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import {
  type AuditEntry,
  entryOf,
  shownToAdministrator,
  shownToOrganization,
  shownToPerson,
} from './audit-entry.ts';

/** What a reader asks for. */
export interface AuditQuery {
  action?: AuditAction | undefined;
  /** From this time on, ISO 8601. */
  since?: string | undefined;
  /** Before this time, ISO 8601. */
  until?: string | undefined;
}

/** What an administrator of the instance asks for. */
export interface WholeAuditQuery extends AuditQuery {
  /** A username, or the id of an account, also of one that was deleted. */
  person?: string | undefined;
  /** A namespace, or the id of an organization or user, also of one that was deleted. */
  organization?: string | undefined;
}

export interface PartRequest {
  /** The cursor of an earlier part. */
  after?: string | undefined;
  /** How many entries, at least 1. */
  size: number;
}

/** Reads a part of a list of entries, newest first. @throws what the reader's right to it requires */
export type ReadAudit = (part: PartRequest) => Promise<FeedPart<AuditEntry>>;

/** How many entries an export reads at once. */
const EXPORT_BATCH = 500;

/** How many entries one transaction deletes. */
const SWEEP_BATCH = 500;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads what the actor did, and what others did that concerns the actor's account or documents.
 * Applications don't get addresses and devices; programs get nothing of organizations that shut them out.
 */
export function ownAudit(call: Call, query: AuditQuery): ReadAudit {
  return async (part) => {
    const withoutOwners = call.actor.closedOwners?.map(({ id }) => id);
    const filter = { ...query, concerns: call.actor.id, withoutOwners };
    return read(call.sql.read, filter, part, (entry) => shownToPerson(entry, call.actor));
  };
}

/**
 * Reads what concerns an organization, its documents and its members' part in it. Where somebody was
 * is only shown of members.
 *
 * @throws NOT_FOUND, FORBIDDEN, when it is read
 */
export function organizationAudit(call: Call, org: string, query: AuditQuery): ReadAudit {
  return async (part) => {
    const { read: db } = call.sql;
    const { id } = await requireAllowed(db, call.actor, 'seeAudit', org);
    const members = new Set(await listMemberIds(db, id));
    const filter = { ...query, ownerId: id };
    return read(db, filter, part, (entry) => shownToOrganization(entry, call.actor, members));
  };
}

/**
 * Reads the whole trail, for administrators of the instance. Not for applications: an administrator
 * who connects one doesn't expect that it sees everyone's addresses.
 *
 * @throws FORBIDDEN, NOT_FOUND naming `person` or `organization`, when it is read
 */
export function wholeAudit(call: Call, query: WholeAuditQuery): ReadAudit {
  return async (part) => {
    await requireAuditor(call.sql.read, call.actor);
    return everything(call, query)(part);
  };
}

/** Requires that the actor can read the whole trail. @throws FORBIDDEN */
export async function requireAuditor(db: Reader, actor: Actor): Promise<void> {
  await requireAdmin(db, actor);
  if (actor.via.means !== 'application') return;
  throw new ServiceError('FORBIDDEN', 'Connected apps can’t read the audit trail.');
}

/** Reads the whole trail for an operator. @throws NOT_FOUND naming `person` or `organization` */
export function everything(context: Context, query: WholeAuditQuery): ReadAudit {
  return async (part) => {
    const { person, organization, ...rest } = query;
    const { read: db } = context.sql;
    const filter = {
      ...rest,
      accountId: person && (await idOf(db, 'person', person)),
      ownerId: organization && (await idOf(db, 'organization', organization)),
    };
    return read(db, filter, part, shownToAdministrator);
  };
}

/** Whom entries are about, by id, as they are called now. Those that are gone are missing. */
export type AuditNames = ReadonlyMap<string, { type: OwnerType; namespace: string }>;

/** Returns who did what entries tell of, and whom it concerns. For who may see the whole trail. */
export async function namesIn(
  context: Context,
  entries: readonly AuditEntry[],
): Promise<AuditNames> {
  const ids = entries.flatMap(({ actorId, accountId, ownerId }) => [actorId, accountId, ownerId]);
  const known = [...new Set(ids.filter((id) => id !== null))];
  const owners = await listOwnersById(context.sql.read, known);
  return new Map(owners.map(({ id, ...owner }) => [id, owner]));
}

async function idOf(db: Reader, field: 'person' | 'organization', text: string): Promise<string> {
  if (ID.test(text)) return text.toLowerCase();
  const namespace = parseNamespace(text);
  const found =
    namespace && (await (field === 'person' ? findAccountByUsername : findOwner)(db, namespace));
  if (found) return found.id;
  throw new FieldError(
    'NOT_FOUND',
    field,
    `no ${field} is called “${text.slice(0, 100)}”. Use the id for one that was deleted.`,
  );
}

async function read(
  db: Reader,
  filter: AuditFilter,
  { after, size }: PartRequest,
  show: (entry: AuditEntry) => AuditEntry,
): Promise<FeedPart<AuditEntry>> {
  // One more tells whether there are more.
  const rows: AuditRow[] = await listAuditEntries(db, filter, {
    before: after,
    size: size + 1,
  });
  const items = rows.slice(0, size).map((row) => show(entryOf(row)));
  const cursor = rows.length > size ? (items.at(-1)?.id ?? null) : null;
  return { items, cursor };
}

/**
 * Reads all entries, newest first, a few hundred at once.
 *
 * @param stillAllowed throws once the reader may no longer read
 */
export async function* allEntries(
  readPart: ReadAudit,
  stillAllowed: () => Promise<void> = async () => {},
): AsyncGenerator<AuditEntry> {
  let after: string | undefined;
  do {
    const { items, cursor } = await readPart({ after, size: EXPORT_BATCH });
    yield* items;
    after = cursor ?? undefined;
    if (after !== undefined) await stillAllowed();
  } while (after !== undefined);
}

/** Deletes the entries that are older than `AUDIT_RETENTION`. @returns how many */
export async function sweepAudit(context: Context): Promise<number> {
  const { auditRetentionMs } = context;
  if (auditRetentionMs === undefined) return 0;
  const until = later(context.now(), -auditRetentionMs);
  for (let removed = 0; ; ) {
    const count = await context.sql.transaction((tx) => deleteAuditEntries(tx, until, SWEEP_BATCH));
    removed += count;
    if (count < SWEEP_BATCH) return removed;
  }
}
