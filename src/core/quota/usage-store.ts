import { type Expression, type RawBuilder, sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** What an owner has. */
export interface UsageRow {
  documents: number;
  bytes: number;
  fileBytes: number;
  /** When the 24 hours began in which `dayDocuments` were created; '' if there were none. */
  dayStart: string;
  dayDocuments: number;
}

/** Changes of what an owner has. */
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
      file_bytes: sql`file_bytes + ${parameter('fileBytes')}`,
    })
    .where('owner_id', '=', parameter('ownerId')),
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
  const inThread = (account: RawBuilder<unknown>) => isIn(sql`thread.document_id`, account);
  const { rows } = await sql<WriterBytes>`
    select account_id as "accountId", sum(bytes) as bytes from (
      select comment.account_id, ${row} + octet_length(comment.body) as bytes
        from comment join thread on thread.id = comment.thread_id
        where ${inThread(sql`comment.account_id`)}
      union all
      select thread.account_id, ${row} + octet_length(coalesce(thread.replacement, ''))
        from thread where ${inThread(sql`thread.account_id`)}
      union all
      select thread.account_id, proposal.stored_bytes
        from proposal join thread on thread.id = proposal.thread_id
        where ${inThread(sql`thread.account_id`)}
      union all
      select review.account_id, ${row} + octet_length(coalesce(review.body, ''))
        from review where ${isIn(sql`review.document_id`, sql`review.account_id`)}
    ) as feedback group by account_id`.execute(db);
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

const charged = prepared<Charge, { owner_id: string }>((db, parameter) => {
  const most = (name: string, fallback: 'maxDocuments' | 'maxBytes' | 'maxPerDay') =>
    sql<number>`coalesce(
      (select coalesce(amount, ${sql.lit(ENDLESS)}) from quota
        where quota.owner_id = ${parameter('ownerId')} and quota.name = ${sql.lit(name)}),
      ${parameter(fallback)})`;
  const today = sql`case when day_start > ${parameter('dayAgo')} then day_documents else 0 end`;
  return db
    .updateTable('owner_usage')
    .set({
      documents: sql`documents + ${parameter('documents')}`,
      bytes: sql`bytes + ${parameter('bytes')}`,
      file_bytes: sql`file_bytes + ${parameter('fileBytes')}`,
      day_documents: sql`${today} + ${parameter('created')}`,
      day_start: sql`case when day_start > ${parameter('dayAgo')} then day_start
        else ${parameter('now')} end`,
    })
    .where('owner_id', '=', parameter('ownerId'))
    .where(sql<boolean>`(${parameter('documents')} = 0
      or documents + ${parameter('documents')} <= ${most('documents', 'maxDocuments')})`)
    .where(sql<boolean>`(${parameter('bytes')} = 0
      or bytes + ${parameter('bytes')} <= ${most('bytes', 'maxBytes')})`)
    .where(sql<boolean>`(${parameter('created')} = 0
      or ${today} + ${parameter('created')} <= ${most('documentsPerDay', 'maxPerDay')})`)
    .returning('owner_id');
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
      owner_id: ownerId,
      documents: 0,
      bytes: 0,
      file_bytes: 0,
      day_start: '',
      day_documents: 0,
    })
    .onConflict((conflict) => conflict.column('owner_id').doNothing())
    .execute();
}

export async function findUsage(db: Reader, ownerId: string): Promise<UsageRow | undefined> {
  return db
    .selectFrom('owner_usage')
    .where('owner_id', '=', ownerId)
    .select(['documents', 'bytes', 'file_bytes as fileBytes'])
    .select(['day_start as dayStart', 'day_documents as dayDocuments'])
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
    .select('owner_id')
    .executeTakeFirst();
  if (document) await adjustUsage(db, document.owner_id, { bytes });
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
      sql<number>`size_bytes + ${build
        .selectFrom('revision_text')
        .whereRef('revision_text.document_id', '=', 'stored_document.id')
        .select(sql`coalesce(sum(stored_bytes), 0)`.as('old'))}`.as('bytes'),
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
        .where('owner_id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .as('documents'),
      build
        .selectFrom('stored_document')
        .where('owner_id', '=', ownerId)
        .select(sql<number>`coalesce(sum(size_bytes), 0)`.as('n'))
        .as('texts'),
      build
        .selectFrom('revision_text')
        .innerJoin('stored_document', 'stored_document.id', 'revision_text.document_id')
        .where('stored_document.owner_id', '=', ownerId)
        .select(sql<number>`coalesce(sum(revision_text.stored_bytes), 0)`.as('n'))
        .as('old'),
      build
        .selectFrom('file')
        .where('account_id', '=', ownerId)
        .select(sql<number>`coalesce(sum(size_bytes), 0)`.as('n'))
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
    .set({ documents: after.documents, bytes: after.bytes, file_bytes: after.fileBytes })
    .where('owner_id', '=', ownerId)
    .execute();
  return { before, after };
}
