import { bestEffortWrite } from '../../core/best-effort-write.ts';
import type { Call } from '../../core/context.ts';
import { isInsider } from '../../core/document/access-rules.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import {
  countNewTexts,
  findAccepted,
  findOwnText,
  findSeen,
  upsertSeen,
} from './last-visit-store.ts';

export interface NewSinceVisit {
  /** The version that the reader saw last. */
  since: number;
  /**
   * How many texts were saved since, not counting those by the reader in the web app; at least 1.
   */
  changes: number;
}

/**
 * Returns the version whose text someone saw last in the web app, by reading or writing it, or by
 * accepting suggestions to what they had seen; `undefined` if none is recorded.
 */
export async function findLastVisit(
  { sql, actor }: Call,
  { id: documentId }: DocumentRow,
): Promise<number | undefined> {
  const visitor = { documentId, accountId: actor.id };
  const seen = await findSeen(sql.read, visitor);
  const written = await findOwnText(sql.read, visitor, seen ?? 0);
  if (seen === undefined && written === undefined) return undefined;
  const last = Math.max(seen ?? 0, written ?? 0);
  return (await findAccepted(sql.read, visitor, last)) ?? last;
}

/**
 * Records that a reader opens a document. Only for insiders, because others can't see old texts.
 *
 * @returns the changes since the last visit; `undefined` if there are none, or this is the first
 *   visit
 */
export async function recordVisit(
  call: Call,
  document: DocumentRow,
): Promise<NewSinceVisit | undefined> {
  if (!isInsider(document)) return undefined;
  const { read } = call.sql;
  const { id: documentId, version } = document;
  const visitor = { documentId, accountId: call.actor.id };
  const since = await findSeen(read, visitor);
  if (since !== undefined && since >= version) return undefined;
  const changes = since === undefined ? 0 : await countNewTexts(read, visitor, since);
  await bestEffortWrite(call, () =>
    call.sql.transaction((tx) => upsertSeen(tx, { ...visitor, version })),
  );
  return since === undefined || changes === 0 ? undefined : { since, changes };
}
