import type { Actor, Context } from '../context.ts';
import { mapPage, type Page, type PageRequest } from '../pagination/result-page.ts';
import { requireDocument } from './authorize.ts';
import { KEPT_CHANGES, listChangesOf } from './document-change-store.ts';
import type { DocumentRef } from './document-ref.ts';

/** A write of a document after the first. */
export interface DocumentChangeItem {
  /** The version that it made; versions count from 1. */
  version: number;
  /** A username; `null` when the account is gone. */
  changedBy: string | null;
  /** What it changed; nothing where it wrote what was there. */
  changed: ('content' | 'name' | 'visibility')[];
  changedAt: string;
}

/**
 * Who wrote a document, newest first: the latest 200 writes, without the one that made it.
 *
 * @param page all of them unless told
 * @throws NOT_FOUND when it is missing or the actor may not read it
 */
export async function listChanges(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  page: PageRequest = { number: 1, size: KEPT_CHANGES },
): Promise<Page<DocumentChangeItem>> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'read');
  const changes = await listChangesOf(context.sql.read, document.id, page);
  return mapPage(changes, ({ version, username, changed, at }) => ({
    version,
    changedBy: username,
    changed: changed.split(' ').filter(Boolean) as DocumentChangeItem['changed'],
    changedAt: at,
  }));
}
