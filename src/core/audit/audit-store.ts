import type { Writer } from '../../storage/sql/sql.ts';
import type { AuditTables } from '../../storage/sql/tables/audit.ts';

export type AuditRow = AuditTables['audit_entry'];

export async function insertAuditEntry(db: Writer, entry: AuditRow): Promise<void> {
  await db.insertInto('audit_entry').values(entry).execute();
}
