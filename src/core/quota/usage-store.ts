import { type Expression, type RawBuilder, sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Row } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { OwnLimit } from './quota.ts';

export type UsageRow = Omit<Row<'owner_usage'>, 'ownerId'>;

export interface UsageChange {
  documents?: number;
  bytes?: number;
  fileBytes?: number;
}

/** Stands for no limit. No owner has as much. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

type Adjustment = { ownerId: string } & Required<UsageChange>;

const adjusted = prepared<Adjustment, unknown>((db, parameter) =>
  db
    .updateTable('owner_usage')
    .set({
      documents: sql`documents + ${parameter('documents')}`,
      bytes: sql`bytes + ${parameter('bytes')}`,
      fileBytes: sql`"fileBytes" + ${parameter('fileBytes')}`,
    })
    .where('ownerId', '=', parameter('ownerId')),
);

/** Changes what an owner has, whatever it may have. Does nothing for an owner that is gone. */
export async function adjustUsage(
  db: Writer,
  ownerId: string,
  { documents = 0, bytes = 0, fileBytes = 0 }: UsageChange,
): Promise<void> {
  await adjusted(db, { ownerId, documents, bytes, fileBytes });
}

/** What a comment, thread or review counts beside its text: its row, its passage and its events. */
const ROW_BYTES = 1024;

/** Returns what a comment, thread or review with a text counts for its writer. */
export function feedbackBytes(text: string | null): number {
  return ROW_BYTES + Buffer.byteLength(text ?? '');
}

/** The bytes of an account; `null` for a deleted one. */
export interface WriterBytes {
  accountId: string | null;
  bytes: number;
}

/** Adds to what accounts have, or subtracts from it. Ignores deleted ones. */
export async function adjustWriters(db: Writer, writers: readonly WriterBytes[]): Promise<void> {
  const sums = new Map<string, number>();
  for (const { accountId, bytes } of writers) {
    if (accountId !== null) sums.set(accountId, (sums.get(accountId) ?? 0) + Number(bytes));
  }
  // Always in the same order, so that two such changes can't deadlock.
  for (const [accountId, bytes] of [...sums].sort()) {
    if (bytes !== 0) await adjustUsage(db, accountId, { bytes });
  }
}

/** Adds up what comments, suggestions, proposals and reviews count for their writers. */
export async function listFeedbackBytes(
  db: Reader,
  of: { documents: readonly string[] | Expression<string> } | { accountId: string },
): Promise<WriterBytes[]> {
  const isIn = (document: RawBuilder<unknown>, account: RawBuilder<unknown>) => {
    if ('accountId' in of) return sql`${account} = ${of.accountId}`;
    const { documents } = of;
    return 'length' in documents
      ? sql`${document} in (${sql.join(documents)})`
      : sql`${document} in ${documents}`;
  };
  const row = sql.lit(ROW_BYTES);
  const inThread = (account: RawBuilder<unknown>) => isIn(sql`thread."documentId"`, account);
  const { rows } = await sql<WriterBytes>`
    select "accountId", sum(bytes) as bytes from (
      select comment."accountId", ${row} + octet_length(comment.body) as bytes
        from comment join thread on thread.id = comment."threadId"
        where ${inThread(sql`comment."accountId"`)}
      union all
      select thread."accountId", ${row} + octet_length(coalesce(thread.replacement, ''))
        from thread where ${inThread(sql`thread."accountId"`)}
      union all
      select thread."accountId", proposal."storedBytes"
        from proposal join thread on thread.id = proposal."threadId"
        where ${inThread(sql`thread."accountId"`)}
      union all
      select review."accountId", ${row} + octet_length(coalesce(review.body, ''))
        from review where ${isIn(sql`review."documentId"`, sql`review."accountId"`)}
    ) as feedback group by "accountId"`.execute(db);
  return rows.map(({ accountId, bytes }) => ({ accountId, bytes: Number(bytes) }));
}

/** The most of each by default; `null` for no limit. */
export interface DefaultMost {
  documents: number | null;
  bytes: number | null;
  documentsPerDay: number | null;
}

type Charge = Adjustment & {
  created: number;
  maxDocuments: number;
  maxBytes: number;
  maxPerDay: number;
  dayAgo: string;
  now: string;
};

const charged = prepared<Charge, { ownerId: string }>((db, parameter) => {
  const most = (name: OwnLimit, fallback: 'maxDocuments' | 'maxBytes') =>
    sql<number>`coalesce(
      (select coalesce(amount, ${sql.lit(ENDLESS)}) from quota
        where quota."ownerId" = ${parameter('ownerId')} and quota.name = ${sql.lit(name)}),
      ${parameter(fallback)})`;
  const today = sql`case when "dayStart" > ${parameter('dayAgo')} then "dayDocuments" else 0 end`;
  return db
    .updateTable('owner_usage')
    .set({
      documents: sql`documents + ${parameter('documents')}`,
      bytes: sql`bytes + ${parameter('bytes')}`,
      fileBytes: sql`"fileBytes" + ${parameter('fileBytes')}`,
      dayDocuments: sql`${today} + ${parameter('created')}`,
      dayStart: sql`case when "dayStart" > ${parameter('dayAgo')} then "dayStart"
        else ${parameter('now')} end`,
    })
    .where('ownerId', '=', parameter('ownerId'))
    .where(sql<boolean>`(${parameter('documents')} = 0
      or documents + ${parameter('documents')} <= ${most('documents', 'maxDocuments')})`)
    .where(sql<boolean>`(${parameter('bytes')} = 0
      or bytes + ${parameter('bytes')} <= ${most('bytes', 'maxBytes')})`)
    .where(sql<boolean>`(${parameter('created')} = 0
      or ${today} + ${parameter('created')} <= ${parameter('maxPerDay')})`)
    .returning('ownerId');
});

/**
 * Adds to what an owner has, unless it would then have more than it may, in one statement: of several
 * writers at once, none passes a limit.
 *
 * @param change no negative numbers
 * @param options.created how many documents are new, not moved or restored
 * @returns `false` if nothing has changed
 */
export async function chargeUsage(
  db: Writer,
  ownerId: string,
  { documents = 0, bytes = 0, fileBytes = 0 }: UsageChange,
  options: { created: number; most: DefaultMost; now: string; dayAgo: string },
): Promise<boolean> {
  const { created, most, now, dayAgo } = options;
  const rows = await charged(db, {
    ownerId,
    documents,
    bytes,
    fileBytes,
    created,
    maxDocuments: most.documents ?? ENDLESS,
    maxBytes: most.bytes ?? ENDLESS,
    maxPerDay: most.documentsPerDay ?? ENDLESS,
    dayAgo,
    now,
  });
  return rows.length > 0;
}

/** Begins to count what a new owner has. */
export async function insertUsage(db: Writer, ownerId: string): Promise<void> {
  await db
    .insertInto('owner_usage')
    .values({
      ownerId,
      documents: 0,
      bytes: 0,
      fileBytes: 0,
      dayStart: '',
      dayDocuments: 0,
    })
    .onConflict((conflict) => conflict.column('ownerId').doNothing())
    .execute();
}

export async function findUsage(db: Reader, ownerId: string): Promise<UsageRow | undefined> {
  return db
    .selectFrom('owner_usage')
    .where('ownerId', '=', ownerId)
    .select(['documents', 'bytes', 'fileBytes'])
    .select(['dayStart', 'dayDocuments'])
    .executeTakeFirst();
}

/** Changes the bytes of a document's owner. The document must be held ({@link holdDocument}). */
export async function adjustBytesOfDocument(
  db: Writer,
  documentId: string,
  bytes: number,
): Promise<void> {
  if (bytes === 0) return;
  const document = await db
    .selectFrom('stored_document')
    .where('id', '=', documentId)
    .select('ownerId')
    .executeTakeFirst();
  if (document) await adjustUsage(db, document.ownerId, { bytes });
}

/**
 * Keeps a document at its owner until the transaction ends. What changes how its texts are stored
 * locks it first: so does everything else that changes the document.
 */
export async function holdDocument(db: Writer, documentId: string): Promise<void> {
  if (!capabilitiesOf(db).concurrentTransactions) return;
  await db
    .selectFrom('stored_document')
    .where('id', '=', documentId)
    .select('id')
    .forShare()
    .execute();
}

/** Adds up the stored bytes of a document and its old texts. Lock the document before. */
export async function countBytesOfDocument(db: Writer, documentId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom('stored_document')
    .where('id', '=', documentId)
    .select((build) =>
      sql<number>`"sizeBytes" + ${build
        .selectFrom('revision_text')
        .whereRef('revision_text.documentId', '=', 'stored_document.id')
        .select(sql`coalesce(sum("storedBytes"), 0)`.as('old'))}`.as('bytes'),
    )
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Lists owners' ids in their order, after one of them. */
export async function listOwnerIds(db: Reader, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('owner')
    .where('id', '>', after)
    .select('id')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Counts what an owner has anew, from the rows themselves. Others that change it wait meanwhile.
 *
 * @returns what was counted before, and what is there; `undefined` if the owner is gone
 */
export async function recountUsage(
  db: Writer,
  ownerId: string,
): Promise<{ before: UsageRow; after: UsageRow } | undefined> {
  const owner = await db
    .selectFrom('owner')
    .where('id', '=', ownerId)
    .select('id')
    .executeTakeFirst();
  if (!owner) return undefined;
  await insertUsage(db, ownerId);
  // Locks the row, in a statement of its own: the counts of the next one are later than the lock.
  await adjustUsage(db, ownerId, {});
  const before = (await findUsage(db, ownerId)) as UsageRow;
  const counted = await db
    .selectNoFrom((build) => [
      build
        .selectFrom('stored_document')
        .where('ownerId', '=', ownerId)
        .where('deletedAt', 'is', null)
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('documents'),
      build
        .selectFrom('stored_document')
        .where('ownerId', '=', ownerId)
        .select(sql<number>`coalesce(sum("sizeBytes"), 0)`.as('n'))
        .as('texts'),
      build
        .selectFrom('revision_text')
        .innerJoin('stored_document', 'stored_document.id', 'revision_text.documentId')
        .where('stored_document.ownerId', '=', ownerId)
        .select(sql<number>`coalesce(sum(revision_text."storedBytes"), 0)`.as('n'))
        .as('old'),
      build
        .selectFrom('file')
        .where('accountId', '=', ownerId)
        .select(sql<number>`coalesce(sum("sizeBytes"), 0)`.as('n'))
        .as('files'),
    ])
    .executeTakeFirstOrThrow();
  const [texts, old, files] = [counted.texts, counted.old, counted.files].map(Number) as [
    number,
    number,
    number,
  ];
  const [feedback] = await listFeedbackBytes(db, { accountId: ownerId });
  const after = {
    ...before,
    documents: Number(counted.documents),
    bytes: texts + old + files + (feedback?.bytes ?? 0),
    fileBytes: files,
  };
  await db
    .updateTable('owner_usage')
    .set({ documents: after.documents, bytes: after.bytes, fileBytes: after.fileBytes })
    .where('ownerId', '=', ownerId)
    .execute();
  return { before, after };
}
