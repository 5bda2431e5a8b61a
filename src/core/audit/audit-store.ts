import { sql } from 'kysely';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { AuditTables } from '../../storage/sql/tables/audit.ts';

export type AuditRow = AuditTables['audit_entry'];

export async function insertAuditEntry(db: Writer, entry: AuditRow): Promise<void> {
  await db.insertInto('audit_entry').values(entry).execute();
}

/** Which entries to read. Each given field restricts them. */
export interface AuditFilter {
  /** Entries that this person made, or that concern their account or what they own. */
  concerns?: string | undefined;
  /** Entries that this account made, or that concern it. */
  accountId?: string | undefined;
  ownerId?: string | undefined;
  /** Leaves out what concerns these owners. */
  withoutOwners?: readonly string[] | undefined;
  action?: string | undefined;
  /** From this time on, ISO 8601. */
  since?: string | undefined;
  /** Before this time, ISO 8601. */
  until?: string | undefined;
}

/** The columns with an index, whose entries are read in parts. */
type Part = 'actorId' | 'accountId' | 'ownerId';

/**
 * Reads entries, newest first.
 *
 * @param page.before the id of the last entry read before
 */
export async function listAuditEntries(
  db: Reader,
  filter: AuditFilter,
  { before, size }: { before?: string | undefined; size: number },
): Promise<AuditRow[]> {
  const { concerns, accountId, ownerId, withoutOwners = [], action, since, until } = filter;
  const chosen = (column?: Part, value?: string) => {
    let rows = db.selectFrom('audit_entry');
    if (column !== undefined) rows = rows.where(column, '=', value as string);
    if (ownerId !== undefined) rows = rows.where('ownerId', '=', ownerId);
    if (withoutOwners.length > 0) {
      rows = rows.where((row) =>
        row.or([row('ownerId', 'is', null), row('ownerId', 'not in', withoutOwners)]),
      );
    }
    if (action !== undefined) rows = rows.where('action', '=', action);
    if (since !== undefined) rows = rows.where('at', '>=', since);
    if (until !== undefined) rows = rows.where('at', '<', until);
    if (before !== undefined) rows = rows.where('id', '<', before);
    return rows.orderBy('id', 'desc').limit(size);
  };
  const person = concerns ?? accountId;
  if (person === undefined) return chosen().selectAll().execute();
  const columns: Part[] =
    concerns === undefined ? ['actorId', 'accountId'] : ['actorId', 'accountId', 'ownerId'];
  // Each part is read from its index; an entry can be in several.
  const ids = columns
    .map((column) => db.selectFrom(chosen(column, person).select('id').as('part')).select('id'))
    .reduce((all, part) => all.union(part));
  return db
    .selectFrom('audit_entry')
    .where('id', 'in', ids)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(size)
    .execute();
}

export async function hasEntrySince(
  db: Reader,
  { accountId, action, since }: { accountId: string; action: string; since: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('audit_entry')
    .where('accountId', '=', accountId)
    .where('action', '=', action)
    .where('at', '>', since)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Removes address and device from all entries by or about an account. */
export async function forgetOrigins(db: Writer, accountId: string): Promise<void> {
  for (const column of ['actorId', 'accountId'] as const) {
    await db
      .updateTable('audit_entry')
      .set({ address: null, device: null })
      .where(column, '=', accountId)
      .execute();
  }
}

/** Deletes the oldest entries that were made before `until`. @returns how many */
export async function deleteAuditEntries(
  db: Writer,
  until: string,
  limit: number,
): Promise<number> {
  const old = db
    .selectFrom('audit_entry')
    .where('at', '<', until)
    .select('id')
    .orderBy('at')
    .limit(limit);
  const deleted = await db
    .deleteFrom('audit_entry')
    .where('id', 'in', old)
    .returning(sql.lit(1).as('one'))
    .execute();
  return deleted.length;
}
