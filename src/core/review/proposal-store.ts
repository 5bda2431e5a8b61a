import type { Expression } from 'kysely';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { adjustWriters } from '../quota/usage-store.ts';

/** The text of a proposal, compressed with zstd. */
export interface ProposalText {
  /** Its length in bytes of UTF-8. */
  sizeBytes: number;
  storedBytes: number;
  /** `null` if the row has the body. */
  storagePath: string | null;
  body: Uint8Array | null;
}

/** A proposal's text, and how many lines it adds to its base and removes from it. */
export type NewProposal = ProposalText & { threadId: string; added: number; removed: number };

export async function insertProposal(db: Writer, proposal: NewProposal): Promise<void> {
  const { threadId, sizeBytes, storedBytes, storagePath, body, added, removed } = proposal;
  await db
    .insertInto('proposal')
    .values({
      threadId,
      sizeBytes,
      storedBytes,
      storagePath,
      body,
      added,
      removed,
    })
    .execute();
  await adjustWriters(db, await listProposalBytes(db, [threadId]));
}

/** Adds up what the stored texts of proposals count for their writers. */
async function listProposalBytes(db: Reader, threadIds: readonly string[] | Expression<string>) {
  return db
    .selectFrom('proposal')
    .innerJoin('thread', 'thread.id', 'proposal.threadId')
    .where('thread.id', 'in', threadIds)
    .groupBy('thread.accountId')
    .select(({ fn }) => ['thread.accountId', fn.sum<number>('proposal.storedBytes').as('bytes')])
    .execute();
}

/** Deletes the texts of proposals. @returns their blob keys */
export async function deleteProposals(
  db: Writer,
  threadIds: readonly string[] | Expression<string>,
): Promise<string[]> {
  const writers = await listProposalBytes(db, threadIds);
  const deleted = await db
    .deleteFrom('proposal')
    .where('threadId', 'in', threadIds)
    .returning('storagePath as path')
    .execute();
  await adjustWriters(
    db,
    writers.map(({ accountId, bytes }) => ({ accountId, bytes: -Number(bytes) })),
  );
  return deleted.map(({ path }) => path).filter((path) => path !== null);
}

/** Records whose words a proposal has beside its author's. So its author hasn't seen it whole. */
export async function insertThreadWriters(
  db: Writer,
  threadId: string,
  accountIds: readonly (string | null)[],
): Promise<void> {
  if (accountIds.length === 0) return;
  const rows = accountIds.map((accountId, number) => ({
    threadId,
    number,
    accountId,
  }));
  await db.insertInto('thread_writer').values(rows).execute();
  await db.updateTable('thread').set({ seenBy: null }).where('id', '=', threadId).execute();
}

/** Lists whose words proposals have beside their authors'; `null` for deleted accounts. */
export async function listThreadWriters(
  db: Reader,
  threadIds: readonly string[],
): Promise<(string | null)[]> {
  const writers = db.selectFrom('thread_writer').where('threadId', 'in', threadIds);
  return (await writers.select('accountId').execute()).map(({ accountId }) => accountId);
}

export async function findProposalText(
  db: Reader,
  threadId: string,
): Promise<ProposalText | undefined> {
  return db
    .selectFrom('proposal')
    .where('threadId', '=', threadId)
    .select(['sizeBytes', 'storedBytes', 'storagePath', 'body'])
    .executeTakeFirst();
}

/** Counts the open proposals of a document. @param accountId only those of this account */
export async function countOpenProposals(
  db: Reader,
  documentId: string,
  accountId?: string,
): Promise<number> {
  const { count } = await db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .$if(accountId !== undefined, (query) => query.where('accountId', '=', accountId as string))
    .where('state', '=', 'open')
    .where('kind', '=', 'proposal')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Deletes the texts of a document's closed proposals, except the `keep` that changed last.
 *
 * @returns the blob keys of the texts
 */
export async function deleteClosedProposals(
  db: Writer,
  documentId: string,
  keep: number,
): Promise<string[]> {
  const threads = await db
    .selectFrom('proposal')
    .innerJoin('thread', 'thread.id', 'proposal.threadId')
    .where('thread.documentId', '=', documentId)
    .where('thread.state', '<>', 'open')
    .orderBy('thread.updatedAt', 'desc')
    .select('thread.id')
    .execute();
  const ids = threads.slice(keep).map(({ id }) => id);
  return ids.length === 0 ? [] : deleteProposals(db, ids);
}

/**
 * Deletes the texts of proposals based on these versions, because the proposals repeat most of an
 * erased text.
 *
 * @returns the blob keys of the texts
 */
export async function deleteProposalsTo(
  db: Writer,
  documentId: string,
  versions: { from: number; to: number },
): Promise<string[]> {
  const threads = db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .where('kind', '=', 'proposal')
    .where('madeVersion', '>=', versions.from)
    .where('madeVersion', '<=', versions.to)
    .select('id');
  return deleteProposals(db, threads.$castTo<string>());
}
