import { sql } from 'kysely';
import { offsetOf, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import { paginate } from '../../storage/sql/paginate.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Outcome } from './report-kinds.ts';

/** A report, with the document as it is now. */
export type ReportRow = RowOf<typeof reports>;

/** The document of a report, as it is now. */
const OF_DOCUMENT = [
  'document.id as documentId',
  'document.kind as documentType',
  'owner.type as ownerType',
  'owner.namespace as ownerNamespace',
  'document.name as documentName',
  'document.takenDownAt',
  'document.deletedAt',
] as const;

export type ReportState = 'open' | 'closed';

/** The reports of one document that are open, or closed. */
export type ReportedRow = Pick<
  ReportRow,
  | 'documentId'
  | 'documentType'
  | 'ownerType'
  | 'ownerNamespace'
  | 'documentName'
  | 'takenDownAt'
  | 'deletedAt'
> & { count: number; firstAt: string; lastAt: string };

/** Stores a report. @returns `false` if the same reporter has an open one of the document */
export async function insertReport(
  db: Writer,
  report: Omit<Row<'document_report'>, 'mailedAt' | 'closedAt' | 'outcome'>,
): Promise<boolean> {
  const inserted = await db
    .insertInto('document_report')
    .values(report)
    .onConflict((conflict) =>
      conflict.columns(['documentId', 'reporterKey']).where('closedAt', 'is', null).doNothing(),
    )
    .returning('id')
    .execute();
  return inserted.length > 0;
}

/** Tells whether administrators were mailed about a report after a time. */
export async function wasMailedSince(db: Reader, time: string): Promise<boolean> {
  const found = await db
    .selectFrom('document_report')
    .where('mailedAt', '>', time)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function updateMailed(db: Writer, id: string, at: string): Promise<void> {
  await db.updateTable('document_report').set({ mailedAt: at }).where('id', '=', id).execute();
}

export async function countOpenReports(db: Reader): Promise<number> {
  const { open } = await db
    .selectFrom('document_report')
    .where('closedAt', 'is', null)
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
  const rows = reports(db).where('report.closedAt', state === 'open' ? 'is' : 'is not', null);
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
    .where('closedAt', state === 'open' ? 'is' : 'is not', null)
    .groupBy('documentId')
    .select(({ fn }) => [
      'documentId',
      fn.countAll<number>().as('count'),
      fn.min('createdAt').as('first_at'),
      fn.max('createdAt').as('last_at'),
    ]);
  const counted = await db
    .selectFrom(groups.as('reported'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await db
    .selectFrom(groups.as('reported'))
    .innerJoin('stored_document as document', 'document.id', 'reported.documentId')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .select(OF_DOCUMENT)
    .select(['reported.count', 'reported.first_at as firstAt', 'reported.last_at as lastAt'])
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
  return paginate(reports(db).where('report.documentId', '=', documentId), 'report.id', page);
}

export async function findReport(db: Reader, id: string): Promise<ReportRow | undefined> {
  return reports(db).where('report.id', '=', id).executeTakeFirst();
}

/** A report that was just closed, with whom to answer. */
export type ClosedReport = Row<'document_report', 'reporterId' | 'email'>;

/** Closes the open reports of a document, and forgets the addresses of those without an account. */
export async function closeReportsOf(
  db: Writer,
  documentId: string,
  closing: { at: string; outcome: Outcome },
): Promise<ClosedReport[]> {
  const open = await db
    .selectFrom('document_report')
    .where('documentId', '=', documentId)
    .where('closedAt', 'is', null)
    .select(['reporterId', 'email'])
    .orderBy('id')
    .execute();
  await db
    .updateTable('document_report')
    .set({ closedAt: closing.at, outcome: closing.outcome, email: sql`null` })
    .where('documentId', '=', documentId)
    .where('closedAt', 'is', null)
    .execute();
  return open;
}

function reports(db: Reader) {
  return db
    .selectFrom('document_report as report')
    .innerJoin('stored_document as document', 'document.id', 'report.documentId')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .leftJoin('owner as reporter', 'reporter.id', 'report.reporterId')
    .select([
      'report.id',
      'report.kind',
      'report.words',
      'report.reporterId',
      // `null` for somebody without an account, and if the account is gone.
      'reporter.namespace as reporter',
      'report.email',
      'report.createdAt',
      'report.closedAt',
      'report.outcome',
    ])
    .select(OF_DOCUMENT);
}
