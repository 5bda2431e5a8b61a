import { FieldError, ServiceError } from '../../base/errors.ts';
import type { OwnerType } from '../../base/schema/visibility.ts';
import type { AuditAction } from '../../core/audit/actions.ts';
import {
  type AuditFilter,
  type AuditRow,
  deleteAuditEntries,
  listAuditEntries,
} from '../../core/audit/audit-store.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { findAccountByUsername } from '../../core/identity/account-store.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { listMemberIds } from '../../core/owner/membership-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { findOwner, listOwnersById } from '../../core/owner/owner-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { type AuditEntry, entryOf, shownToOrganization, shownToPerson } from './audit-entry.ts';

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

/** A part of a list, newest first. */
export interface AuditPart {
  entries: AuditEntry[];
  /** What to send as `before` for the next part; `null` after the last. */
  cursor: string | null;
}

export interface PartRequest {
  /** The cursor of the part before. */
  before?: string | undefined;
  /** How many entries, at least 1. */
  size: number;
}

/** Reads a part of a list of entries. @throws what the reader's right to it requires */
export type ReadAudit = (part: PartRequest) => Promise<AuditPart>;

/** How many entries an export reads at once. */
const EXPORT_BATCH = 500;

/** How many entries one transaction deletes. */
const SWEEP_BATCH = 500;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads what the actor did, and what others did that concerns the actor's account or documents.
 * Applications don't get addresses and devices.
 */
export function ownAudit(context: Context, actor: Actor, query: AuditQuery): ReadAudit {
  return async (part) => {
    const filter = { ...query, concerns: actor.id };
    return read(context.sql.read, filter, part, (entry) => shownToPerson(entry, actor));
  };
}

/**
 * Reads what concerns an organization, its documents and its members' part in it. Where somebody was
 * is only shown of members.
 *
 * @throws NOT_FOUND, FORBIDDEN, when it is read
 */
export function organizationAudit(
  context: Context,
  actor: Actor,
  org: string,
  query: AuditQuery,
): ReadAudit {
  return async (part) => {
    const { read: db } = context.sql;
    const { id } = await requireAllowed(db, actor, 'seeAudit', org);
    const members = new Set(await listMemberIds(db, id));
    const filter = { ...query, ownerId: id };
    return read(db, filter, part, (entry) => shownToOrganization(entry, actor, members));
  };
}

/**
 * Reads the whole trail, for administrators of the instance. Not for applications: an administrator
 * who connects one doesn't expect that it sees everyone's addresses.
 *
 * @throws FORBIDDEN, NOT_FOUND naming `person` or `organization`, when it is read
 */
export function wholeAudit(context: Context, actor: Actor, query: WholeAuditQuery): ReadAudit {
  return async (part) => {
    await requireAuditor(context.sql.read, actor);
    return everything(context, query)(part);
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
    return read(db, filter, part, (entry) => entry);
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
  { before, size }: PartRequest,
  show: (entry: AuditEntry) => AuditEntry,
): Promise<AuditPart> {
  // One more tells whether there are more.
  const rows: AuditRow[] = await listAuditEntries(db, filter, { before, size: size + 1 });
  const entries = rows.slice(0, size).map((row) => show(entryOf(row)));
  const cursor = rows.length > size ? (entries.at(-1)?.id ?? null) : null;
  return { entries, cursor };
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
  let before: string | undefined;
  do {
    const { entries, cursor } = await readPart({ before, size: EXPORT_BATCH });
    yield* entries;
    before = cursor ?? undefined;
    if (before !== undefined) await stillAllowed();
  } while (before !== undefined);
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
