import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Call } from '../../core/context.ts';
import { requireDocument, type Seen } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { updateDocument } from '../../core/document/merge-service.ts';
import { saveTyped } from '../../core/live/typed-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { mayPublish, requireTakeAway } from '../../core/owner/policy-service.ts';
import { requirePinnable } from '../../core/review/protection-service.ts';
import { firstWithNotes, mayReadText } from '../../core/revision/readable-text-service.ts';
import type { Revision } from '../../core/revision/revision.ts';
import {
  findRevision,
  listCoWriters,
  listRevisionRows,
  listSittings,
  type RevisionRow,
  updatePinned,
} from '../../core/revision/revision-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import {
  findText,
  listTexts,
  lockText,
  type RevisionTextRow,
} from '../../core/revision/revision-text-store.ts';
import type { WriteNote } from '../../core/revision/write-note.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { eraseWithRepetitions, type Repetitions } from './erasure-service.ts';

/**
 * Lists a document's revisions, newest first. Readers who aren't insiders don't get the messages and
 * names of tokens from before the document became public.
 *
 * @throws NOT_FOUND if the document is missing or the actor can't read it
 */
export async function listRevisions(
  call: Call,
  ref: DocumentRef,
  page: PageRequest,
): Promise<Page<Revision>> {
  const { read } = call.sql;
  const { document } = await requireDocument(read, call.actor, ref, 'read');
  const { items, total } = await listRevisionRows(read, document.id, page);
  const [from, to] = [items.at(-1)?.version ?? 1, items[0]?.version ?? 0];
  const texts = await listTexts(read, document.id, { from, to });
  const notesFrom = await firstWithNotes(read, document);
  const written = await sittingsOf(read, document, items);
  return {
    items: items.map((row) => present(row, texts, document, { notesFrom, written })),
    total,
  };
}

/**
 * Returns a revision with its text. Insiders can read any revision, others only the current and
 * pinned ones.
 *
 * @returns `text: undefined` if the text is gone
 * @throws NOT_FOUND if the document or the revision is missing or the actor can't read it
 */
export async function getRevision(
  call: Call,
  ref: DocumentRef,
  number: number,
): Promise<Seen<DocumentRow> & { revision: Revision; text: string | undefined }> {
  const found = await requireRevision(call, ref, number);
  if (!mayReadText(found.document, number, found.revision.pinned)) throw noRevision(number);
  const text = await loadRevisionText(call, found.document.id, number);
  return { ...found, text };
}

/**
 * Finds a revision without its text.
 *
 * @throws NOT_FOUND if the document or the revision is missing or the actor can't read it
 */
export async function requireRevision(
  call: Call,
  ref: DocumentRef,
  number: number,
): Promise<Seen<DocumentRow> & { revision: Revision }> {
  const { read } = call.sql;
  const seen = await requireDocument(read, call.actor, ref, 'read');
  const row = await findRevision(read, seen.document.id, number);
  if (!row) throw noRevision(number);
  const text = await findText(read, seen.document.id, number);
  const notesFrom = await firstWithNotes(read, seen.document);
  const written = await sittingsOf(read, seen.document, [row]);
  const about = { notesFrom, written };
  return { ...seen, revision: present(row, text ? [text] : [], seen.document, about) };
}

/**
 * Restores the text of an older revision as a new revision. Name and visibility don't change.
 *
 * @param note.shown the current revision as the actor saw it
 * @throws NOT_FOUND; FORBIDDEN if the actor can't edit the text; UNPROCESSABLE if the text is gone;
 *   errors of {@link updateDocument}
 */
export async function restoreRevision(
  call: Call,
  ref: DocumentRef,
  number: number,
  note: Pick<WriteNote, 'message' | 'shown'> = {},
): Promise<WholeDocument> {
  await requireDocument(call.sql.read, call.actor, ref, 'editContent');
  const { text } = await getRevision(call, ref, number);
  if (text === undefined) throw textGone(number);
  const restoring = { ...note, restoredFrom: number };
  return updateDocument(call, ref, { content: text }, undefined, restoring);
}

/**
 * Pins or unpins a revision. A pinned revision's text is never removed to save space, and anyone
 * who can read the document can read that text.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin; UNPROCESSABLE if the text is gone, and
 *   for an unapproved text of a protected document outside the web app
 */
export async function pinRevision(
  call: Call,
  ref: DocumentRef,
  number: number,
  pinned: boolean,
): Promise<Revision> {
  const { document, revision } = await requireRevision(call, ref, number);
  const { id } = document;
  await changeOwned(call, ref.owner, async (tx) => {
    const { document, level } = await requireDocument(tx, call.actor, ref, 'pin');
    if (pinned) {
      await requireStoredText(tx, id, number);
      await requireReadable(tx, document, number);
      await requirePinnable(tx, call.actor, document, { level, number });
    }
    await updatePinned(tx, id, number, pinned);
    if (pinned === revision.pinned) return;
    const action = pinned ? 'document.revision_pinned' : 'document.revision_unpinned';
    const about = { ...aboutDocument(document), detail: { revision: number } };
    await audit(call, tx, { action, actor: call.actor, ...about });
  });
  return { ...revision, pinned };
}

/**
 * Erases a revision's text for good, and unpins the revision. Does the same for its neighbours with
 * the same text, such as renames. A later revision that restored the text keeps it. Also erases the
 * texts of suggestions and proposals that repeat its words, and rejects those that are open.
 *
 * @returns what was erased with it, and what still repeats its words
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin, of the organization where that keeps its
 *   documents (`keepsDocuments`); UNPROCESSABLE for the current text;
 *   errors of `requirePlaced`
 */
export async function eraseRevision(
  call: Call,
  ref: DocumentRef,
  number: number,
): Promise<Repetitions> {
  const { read } = call.sql;
  const { document: before } = await requireDocument(read, call.actor, ref, 'eraseRevision');
  await requireTakeAway(read, before, 'erase texts');
  await saveTyped(call, before.id);
  const { document } = await requireRevision(call, ref, number);
  const text = await findText(read, document.id, number);
  if (!text) {
    throw new FieldError(
      'UNPROCESSABLE',
      'revision',
      `revision ${number} has the current text. Change the ${ref.kind} first.`,
    );
  }
  return eraseWithRepetitions(call, document, text.lastVersion);
}

/**
 * Refuses to let everyone read an old text where policies allow no public documents: one that is still
 * public may have been written in private.
 *
 * @throws UNPROCESSABLE
 */
async function requireReadable(db: Reader, document: DocumentRow, number: number): Promise<void> {
  if (number === document.version) return;
  if (await mayPublish(db, document.ownerId, document.visibility)) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'pinned',
    'this organization allows no public documents, and everyone could read the pinned revision.',
  );
}

/**
 * Requires that a text is stored, and prevents its removal until the transaction ends.
 *
 * @throws UNPROCESSABLE
 */
async function requireStoredText(tx: Writer, id: string, number: number): Promise<void> {
  const replaced = await findText(tx, id, number);
  if (!replaced) return;
  const coding = await lockText(tx, id, replaced.lastVersion);
  if (coding !== undefined && coding !== 'gone') return;
  throw new FieldError(
    'UNPROCESSABLE',
    'pinned',
    `the text of revision ${number} is no longer stored, so it can’t be pinned.`,
  );
}

function noRevision(number: number): FieldError {
  return new FieldError('NOT_FOUND', 'revision', `there is no revision ${number}.`);
}

/** Returns the error for a text that was erased, or removed to save space. */
export function textGone(number: number): FieldError {
  return new FieldError(
    'UNPROCESSABLE',
    'revision',
    `the text of revision ${number} is no longer stored.`,
  );
}

/** Who else wrote revisions, and what sittings they are part of. */
interface Sittings {
  coAuthors: ReadonlyMap<number, string[]>;
  sittings: ReadonlyMap<string, { first: number; last: number }>;
}

async function sittingsOf(
  db: Reader,
  { id }: DocumentRow,
  rows: readonly RevisionRow[],
): Promise<Sittings> {
  const versions = rows.filter(({ sittingId }) => sittingId !== null).map(({ version }) => version);
  if (versions.length === 0) return { coAuthors: new Map(), sittings: new Map() };
  const ids = new Set(rows.flatMap(({ sittingId }) => sittingId ?? []));
  const [writers, sittings] = await Promise.all([
    listCoWriters(db, id, { from: Math.min(...versions), to: Math.max(...versions) }),
    listSittings(db, id, [...ids]),
  ]);
  const byVersion = Map.groupBy(writers, ({ version }) => version);
  return {
    coAuthors: new Map(
      [...byVersion].map(([version, all]) => [version, all.map(({ username }) => username)]),
    ),
    sittings: new Map(sittings.map(({ id, first, last }) => [id, { first, last }])),
  };
}

function present(
  row: RevisionRow,
  texts: readonly RevisionTextRow[],
  document: DocumentRow,
  { notesFrom, written }: { notesFrom: number; written: Sittings },
): Revision {
  const hasNotes = row.version >= notesFrom;
  const text = texts.find(({ lastVersion }) => lastVersion >= row.version);
  const hasText = text?.coding !== 'gone';
  return {
    number: row.version,
    author: row.author,
    coAuthors: written.coAuthors.get(row.version) ?? [],
    via: row.via,
    viaName: hasNotes ? row.viaName : null,
    changed: row.changed.split(' ').filter(Boolean) as Revision['changed'],
    message: hasNotes ? row.message : null,
    basedOn: row.baseVersion,
    merged: row.merged === 1,
    mergedByWords: row.wordLines?.split(' ').map(Number) ?? [],
    restoredFrom: row.restoredFrom,
    sizeBytes: hasText ? (text?.sizeBytes ?? document.sizeBytes) : null,
    hasText,
    pinned: row.pinned === 1,
    sitting: (row.sittingId !== null && written.sittings.get(row.sittingId)) || null,
    createdAt: row.at,
  };
}
