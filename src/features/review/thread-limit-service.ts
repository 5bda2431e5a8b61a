import { FieldError } from '../../base/errors.ts';
import { countOpenProposals } from '../../core/review/proposal-store.ts';
import { REVIEW_LIMITS, type ThreadKind } from '../../core/review/thread.ts';
import { countThreads } from '../../core/review/thread-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/**
 * Requires room for one more open thread on a document.
 *
 * @param field the request's field that opens the thread
 * @throws UNPROCESSABLE
 */
export async function requireRoomForOpen(
  db: Reader,
  documentId: string,
  kind: ThreadKind,
  field: string,
): Promise<void> {
  const { openThreads, openProposals } = REVIEW_LIMITS;
  const { open } = await countThreads(db, documentId);
  if (open >= openThreads) refuse(field, `there are ${open} open threads. Resolve some first.`);
  if (kind !== 'proposal') return;
  const proposals = await countOpenProposals(db, documentId);
  if (proposals < openProposals) return;
  refuse(field, `there are ${proposals} open proposals. Accept or reject some first.`);
}

/** Requires room for one more thread on a document, open or closed. @throws UNPROCESSABLE */
export async function requireRoomForNew(db: Reader, documentId: string, field: string) {
  const { all } = await countThreads(db, documentId);
  if (all >= REVIEW_LIMITS.threads)
    refuse(field, `this document has had ${all} threads, the most it can have.`);
}

function refuse(field: string, problem: string): never {
  throw new FieldError('UNPROCESSABLE', field, problem);
}
