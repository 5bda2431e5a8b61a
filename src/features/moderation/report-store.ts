import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { OwnerType } from '../../base/schema/visibility.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Outcome, ReportKind } from './report-kinds.ts';

/** A report, with the document as it is now. */
export interface ReportRow {
  id: string;
  kind: ReportKind;
  words: string;
  reporterId: string | null;
  /** `null` for somebody without an account, and if the account is gone. */
  reporter: string | null;
  email: string | null;
  createdAt: string;
  closedAt: string | null;
  outcome: Outcome | null;
  documentId: string;
  documentType: Kind;
  ownerType: OwnerType;
  ownerNamespace: string;
  documentName: string;
  takenDownAt: string | null;
  deletedAt: string | null;
}

export type ReportState = 'open' | 'closed';

/** The reports of one document that are open, or closed. */
export interface ReportedRow {
  documentId: string;
  documentType: Kind;
  ownerType: OwnerType;
  ownerNamespace: string;
  documentName: string;
  takenDownAt: string | null;
  deletedAt: string | null;
  count: number;
  firstAt: string;
  lastAt: string;
}

/** Stores a report. @returns `false` if the same reporter has an open one of the document */
export async function insertReport(
  db: Writer,
  report: {
    id: string;
    documentId: string;
    kind: ReportKind;
    words: string;
    reporterId: string | null;
    email: string | null;
    reporterKey: string;
    createdAt: string;
  },
): Promise<boolean> {
  const inserted = await db
    .insertInto('document_report')
    .values({
      id: report.id,
      document_id: report.documentId,
      kind: report.kind,
      words: report.words,
      reporter_id: report.reporterId,
      email: report.email,
      reporter_key: report.reporterKey,
      created_at: report.createdAt,
      mailed_at: null,
      closed_at: null,
      outcome: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'reporter_key']).where('closed_at', 'is', null).doNothing(),
    )
    .returning('id')
    .execute();
  return inserted.length > 0;
}

/** Tells whether administrators were mailed about a report after a time. */
export async function wasMailedSince(db: Reader, time: string): Promise<boolean> {
  const found = await db
    .selectFrom('document_report')
    .where('mailed_at', '>', time)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function updateMailed(db: Writer, id: string, at: string): Promise<void> {
  await db.updateTable('document_report').set({ mailed_at: at }).where('id', '=', id).execute();
}

export async function countOpenReports(db: Reader): Promise<number> {
  const { open } = await db
    .selectFrom('document_report')
    .where('closed_at', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  return Number(open);
}

/** Lists reports, newest first. */
export async function listReports(
  db: Reader,
  state: ReportState,
  page: PageRequest,
): Promise<Page<ReportRow>> {
  const rows = reports(db).where('report.closed_at', state === 'open' ? 'is' : 'is not', null);
  return paginate(rows, 'report.id', page);
}

/** Lists the documents that have reports, the last reported first. */
export async function listReported(
  db: Reader,
  state: ReportState,
  page: PageRequest,
): Promise<Page<ReportedRow>> {
  const groups = db
    .selectFrom('document_report')
    .where('closed_at', state === 'open' ? 'is' : 'is not', null)
    .groupBy('document_id')
    .select(({ fn }) => [
      'document_id',
      fn.countAll<number>().as('count'),
      fn.min('created_at').as('first_at'),
      fn.max('created_at').as('last_at'),
    ]);
  const counted = await db
    .selectFrom(groups.as('reported'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await db
    .selectFrom(groups.as('reported'))
    .innerJoin('stored_document as document', 'document.id', 'reported.document_id')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .select([
      'document.id as documentId',
      'document.kind as documentType',
      'owner.type as ownerType',
      'owner.namespace as ownerNamespace',
      'document.name as documentName',
      'document.taken_down_at as takenDownAt',
      'document.deleted_at as deletedAt',
      'reported.count',
      'reported.first_at as firstAt',
      'reported.last_at as lastAt',
    ])
    .orderBy('reported.last_at', 'desc')
    .orderBy('document.id', 'desc')
    .limit(page.size)
    .offset(offsetOf(page))
    .execute();
  const withNumbers = items.map((item) => ({ ...item, count: Number(item.count) }));
  return { items: withNumbers, total: Number(counted.total) };
}

/** Lists the reports of a document, newest first. */
export async function listReportsOf(
  db: Reader,
  documentId: string,
  page: PageRequest,
): Promise<Page<ReportRow>> {
  return paginate(reports(db).where('report.document_id', '=', documentId), 'report.id', page);
}

export async function findReport(db: Reader, id: string): Promise<ReportRow | undefined> {
  return reports(db).where('report.id', '=', id).executeTakeFirst();
}

/** A report that was just closed, with whom to answer. */
export interface ClosedReport {
  reporterId: string | null;
  email: string | null;
}

/** Closes the open reports of a document, and forgets the addresses of those without an account. */
export async function closeReportsOf(
  db: Writer,
  documentId: string,
  closing: { at: string; outcome: Outcome },
): Promise<ClosedReport[]> {
  const open = await db
    .selectFrom('document_report')
    .where('document_id', '=', documentId)
    .where('closed_at', 'is', null)
    .select(['reporter_id as reporterId', 'email'])
    .orderBy('id')
    .execute();
  await db
    .updateTable('document_report')
    .set({ closed_at: closing.at, outcome: closing.outcome, email: sql`null` })
    .where('document_id', '=', documentId)
    .where('closed_at', 'is', null)
    .execute();
  return open;
}

function reports(db: Reader) {
  return db
    .selectFrom('document_report as report')
    .innerJoin('stored_document as document', 'document.id', 'report.document_id')
    .innerJoin('owner', 'owner.id', 'document.owner_id')
    .leftJoin('owner as reporter', 'reporter.id', 'report.reporter_id')
    .select([
      'report.id',
      'report.kind',
      'report.words',
      'report.reporter_id as reporterId',
      'reporter.namespace as reporter',
      'report.email',
      'report.created_at as createdAt',
      'report.closed_at as closedAt',
      'report.outcome',
      'document.id as documentId',
      'document.kind as documentType',
      'owner.type as ownerType',
      'owner.namespace as ownerNamespace',
      'document.name as documentName',
      'document.taken_down_at as takenDownAt',
      'document.deleted_at as deletedAt',
    ]);
}
