import { bestEffortWrite } from '../../core/best-effort-write.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { allow, decide } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { Visit } from '../../core/identity/session-service.ts';
import {
  deleteEditing,
  deleteEndedEditing,
  findEditing,
  listEditors,
  type Open,
  upsertEditing,
} from './editing-store.ts';

/** How long someone counts as editing after their editor's last request. */
export const EDITING_FOR_MS = 60_000;

/** The least time between two writes for a browser, even if it sends requests more often. */
const WRITE_EVERY_MS = 10_000;

/** Someone who has a document open in the editor. */
export interface Editor {
  username: string;
  displayName: string | null;
}

/**
 * Returns the other people who are editing a document and still can. Returns no one to someone
 * without permission to edit it.
 *
 * @param document loaded for the actor
 */
export async function listOtherEditors(
  context: Context,
  actor: Actor,
  document: DocumentRow,
): Promise<Editor[]> {
  if (!allow(actor, 'editContent', document)) return [];
  const now = context.now();
  const since = later(now, -EDITING_FOR_MS);
  const rows = await listEditors(context.sql.read, { documentId: document.id, since, now });
  const others = rows.filter(
    (row) => row.actorId !== actor.id && decide(row, 'editContent') === 'allow',
  );
  const byName = new Map(others.map((row) => [row.username, row]));
  return [...byName.values()].map(({ username, displayName }) => ({ username, displayName }));
}

/**
 * Returns what {@link listOtherEditors} does, for a document by name.
 *
 * @throws NOT_FOUND, FORBIDDEN, DocumentMoved
 */
export async function getOtherEditors(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<Editor[]> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'editContent');
  return listOtherEditors(context, actor, document);
}

/**
 * Records that a browser has a document open in the editor. Doesn't change the document.
 *
 * @returns the other people who are editing it
 * @throws NOT_FOUND, FORBIDDEN, DocumentMoved
 */
export async function beginEditing(
  context: Context,
  { actor, sessionId }: Visit,
  ref: DocumentRef,
): Promise<Editor[]> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'editContent');
  await recordEditing(context, { documentId: document.id, sessionId });
  return listOtherEditors(context, actor, document);
}

async function recordEditing(context: Context, open: Open): Promise<void> {
  const at = context.now();
  const before = await findEditing(context.sql.read, open);
  if (before !== undefined && before > later(at, -WRITE_EVERY_MS)) return;
  await bestEffortWrite(context, () =>
    context.sql.transaction(async (tx) => {
      await deleteEndedEditing(tx, open.sessionId, later(at, -EDITING_FOR_MS));
      await upsertEditing(tx, { ...open, at });
    }),
  );
}

/** Records that a browser has left the editor. @throws NOT_FOUND, FORBIDDEN, DocumentMoved */
export async function endEditing(
  context: Context,
  { actor, sessionId }: Visit,
  ref: DocumentRef,
): Promise<void> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'editContent');
  const open = { documentId: document.id, sessionId };
  if ((await findEditing(context.sql.read, open)) === undefined) return;
  await bestEffortWrite(context, () => context.sql.transaction((tx) => deleteEditing(tx, open)));
}
