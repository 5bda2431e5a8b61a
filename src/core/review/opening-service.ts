import type { Reader, Writer } from '../../storage/sql/sql.ts';
import type { Context } from '../context.ts';
import type { DocumentRow } from '../document/document-store.ts';
import { countLinksOf } from '../document/link-store.ts';
import { findReviewSettings, upsertReviewSettings } from './review-setting-store.ts';
import { isOpenToReaders } from './sight.ts';
import { countHiddenThreads } from './thread-store.ts';

/**
 * Hides earlier threads and reviews from readers, in the transaction that opens a document to more
 * readers who see threads.
 */
export async function hideEarlierThreads(
  tx: Writer,
  documentId: string,
  openedAt: string,
): Promise<void> {
  const settings = await findReviewSettings(tx, documentId);
  await upsertReviewSettings(tx, documentId, { ...settings, threadsSince: openedAt });
}

/** Does {@link hideEarlierThreads} for a document that becomes public, if its readers see threads. */
export async function openToPublic(tx: Writer, documentId: string, at: string): Promise<void> {
  const { comments } = await findReviewSettings(tx, documentId);
  if (comments === 'readers') await hideEarlierThreads(tx, documentId, at);
}

/** The threads that readers don't see. */
export interface HiddenThreads {
  /** Readers see threads opened since. */
  since: string;
  count: number;
}

/**
 * Finds the threads that readers who aren't insiders don't see.
 *
 * @returns `undefined` if there are none, or no such reader sees any threads
 */
export async function findHiddenThreads(
  { sql: { read }, now }: Context,
  { id, visibility }: Pick<DocumentRow, 'id' | 'visibility'>,
): Promise<HiddenThreads | undefined> {
  const { comments, opening } = await findReviewSettings(read, id);
  if (opening === null || !(await isOpen(read, { id, visibility, comments, now: now() }))) {
    return undefined;
  }
  const count = await countHiddenThreads(read, id, opening);
  return count === 0 ? undefined : { since: opening.at, count };
}

async function isOpen(
  db: Reader,
  document: Pick<DocumentRow, 'id' | 'visibility'> & { comments: string; now: string },
): Promise<boolean> {
  const links = await countLinksOf(db, document.id, document.now);
  return isOpenToReaders({
    isPublic: document.visibility === 'public',
    forReaders: document.comments === 'readers',
    links: { any: links.all > 0, comment: links.comment > 0 },
  });
}
