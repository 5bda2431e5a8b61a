import type { ChangeSet, Text } from '@codemirror/state';
import { FieldError } from '../../base/errors.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { composed } from '../../base/text/collaboration.ts';
import { inLineBreaksOf } from '../../base/text/line-breaks.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { type Actor, type Context, callOf, later } from '../context.ts';
import { withNewBlob } from '../document/blob-lifecycle.ts';
import { storableText, storeContent } from '../document/content.ts';
import { type DocumentRow, findDocumentById } from '../document/document-store.ts';
import { storeChange } from '../document/document-write-store.ts';
import { changeOwned } from '../owner/owner-service.ts';
import { adjustUsage } from '../quota/usage-store.ts';
import { isProtected } from '../review/protection-store.ts';
import { listTextWrites } from '../review/review-store.ts';
import { loadRevisionText } from '../revision/revision-text.ts';
import { insertWrittenSpans, type WrittenSpan } from '../revision/written-span-store.ts';
import {
  type ChangeRow,
  deleteChangesBefore,
  findLive,
  hasOthersSince,
  insertChange,
  insertCoWriters,
  type LiveRow,
  listChanges,
  lockLive,
  updateLive,
  updateVersionOf,
} from './live-store.ts';
import {
  changeSetOf,
  type LiveText,
  storedChanges,
  textOf,
  touchLines,
  writtenBy,
} from './live-text.ts';
import { loadLiveText } from './live-texts.ts';

/** Whose turn it is when texts of lists are compared. */
const LISTS = 'lists';

/** How often a step is tried, because others write meanwhile. */
const ATTEMPTS = 10;

/** How long changes are kept for editors that come back, and lists of documents nobody edits. */
export const KEPT_MS = 60 * 60_000;

/** The most changes that are kept for them. */
const MAX_KEPT = 20_000;

/** Stands for writers whose accounts are gone. */
export const NOBODY_LEFT: Actor = { id: '', username: '', scopes: [], via: VIA_WEB };

/** Someone else changed the list or the document meanwhile. */
class ChangedMeanwhile extends Error {}

/** What people typed in the editor that no revision has yet, and the text with it. */
export interface Typed {
  row: LiveRow;
  document: DocumentRow;
  mine: LiveText;
  /** Who typed, the last one first. */
  writers: Actor[];
  changes: readonly ChangeRow[];
  content: string;
}

/**
 * Makes the words that were typed a revision by the people who typed them.
 *
 * @param cannotSave called instead if the document was protected since, so that its text can't be
 *   changed directly, or the list missed a write while it was
 * @returns the version of the new revision; `undefined` if there is none, also if others write so
 *   often that it has to be tried later: nothing is lost
 */
export async function saveTyped(
  context: Context,
  documentId: string,
  cannotSave?: (typed: Typed) => Promise<void>,
): Promise<number | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const row = await findLive(context.sql.read, documentId);
    if (!row || row.lastNumber === row.textNumber) return undefined;
    // Whatever account is asked for, nobody's standing: the writers had theirs when they typed.
    const document = await findDocumentById(context.sql.read, documentId, '');
    const [mine, changes, current] = await Promise.all([
      loadLiveText(context, documentId),
      listChanges(context.sql.read, documentId, row.textNumber),
      document && loadRevisionText(context, documentId, document.version),
    ]);
    if (!document || !mine || current === undefined) return undefined;
    const own = changes.filter(({ number }) => number <= mine.number);
    const content = contentOf(document, current, mine);
    const typed = { row, document, mine, writers: writersOf(own), changes: own, content };
    if (!(await isFollowed(context.sql.read, row, document))) {
      await cannotSave?.(typed);
      return undefined;
    }
    try {
      return await save(context, typed, content === current);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
  return undefined;
}

/**
 * Tells whether a list has all texts that were written otherwise, and its words can become the
 * document's text: not those of a public document that was protected since.
 */
export async function isFollowed(
  db: Reader,
  { documentId, seenVersion }: LiveRow,
  { ownerId, visibility }: Pick<DocumentRow, 'ownerId' | 'visibility'>,
): Promise<boolean> {
  if (visibility === 'public' && (await isProtected(db, { documentId, ownerId }))) return false;
  if ((await listTextWrites(db, documentId, seenVersion)).length === 0) return true;
  // The list may have got them since the row was read.
  const now = await findLive(db, documentId);
  if (!now || now.seenVersion === seenVersion) return false;
  return isFollowed(db, now, { ownerId, visibility });
}

/**
 * Finds what is being typed in a document and no revision has yet, as those see it who may read the document.
 *
 * @returns `undefined` also if an approval is needed before others see it
 */
export async function findTyped(
  db: Reader,
  document: Pick<DocumentRow, 'id' | 'ownerId' | 'visibility'>,
): Promise<LiveRow | undefined> {
  const row = await findLive(db, document.id);
  if (!row || typedState(row) === null) return undefined;
  return (await isFollowed(db, row, document)) ? row : undefined;
}

/**
 * Names how far somebody has typed: `{list}.{number}`.
 *
 * @returns `null` if a revision has everything
 */
export function typedState(live: LiveRow | undefined): string | null {
  if (!live || live.lastNumber === live.textNumber) return null;
  return `${live.listId}.${live.lastNumber}`;
}

/** Returns the text with the line breaks of the current one, unless they make it too long. */
function contentOf({ kind }: DocumentRow, current: string, { text }: LiveText): string {
  const plain = text.toString();
  const content = inLineBreaksOf(current, plain);
  const isTooLong = Buffer.byteLength(content) > KINDS[kind].contentLimitBytes;
  return storableText(kind, isTooLong ? plain : content);
}

/** Who wrote changes, the last writer first. */
function writersOf(changes: readonly ChangeRow[]): Actor[] {
  const writers = new Map<string, Actor>();
  for (const { clientId, accountId, author, via, viaName } of changes.toReversed()) {
    if (clientId === '' || accountId === null || writers.has(accountId)) continue;
    writers.set(accountId, {
      id: accountId,
      username: author ?? '',
      scopes: [],
      via: { means: via ?? 'web', name: viaName },
    });
  }
  return [...writers.values()];
}

/** Returns who typed which part of a text. */
function spansOf(changes: readonly ChangeRow[], writers: readonly Actor[]): WrittenSpan[] {
  const byId = new Map(writers.map((writer) => [writer.id, writer]));
  const writerOf = ({ clientId, accountId }: ChangeRow) =>
    clientId === '' || accountId === null ? undefined : byId.get(accountId);
  return writtenBy(changes, writerOf).map(({ start, end, origin: { id, via } }) => {
    return { start, length: end - start, accountId: id, via: via.means, viaName: via.name };
  });
}

/**
 * Stores the text as a revision, or only notes that the current one has it.
 *
 * @returns the version of the new revision
 */
async function save(
  context: Context,
  { row, document, mine, writers, changes, content }: Typed,
  isSame: boolean,
): Promise<number | undefined> {
  const { id: documentId, kind, ownerId } = document;
  const [writer = NOBODY_LEFT, ...others] = writers;
  const stored = isSame ? undefined : await storeContent(callOf(context, writer), kind, content);
  const spans = spansOf(changes, writers);
  const made = await withNewBlob(context, stored?.storagePath, () =>
    changeOwned(context, document.ownerNamespace, async (tx) => {
      const current = await findDocumentById(tx, documentId, '');
      const live = await lockLive(tx, documentId);
      const isAsSeen =
        current?.ownerId === ownerId &&
        live?.listId === row.listId &&
        live.textNumber === row.textNumber &&
        (await isFollowed(tx, live, current));
      if (!isAsSeen) throw new ChangedMeanwhile();
      const at = context.now();
      const version = current.version + Number(!isSame);
      const own = { accountId: writer.id, upTo: mine.number };
      const hasOthersWords = await hasOthersSince(tx, live, own);
      if (stored) {
        const revision = {
          documentId,
          version,
          changed: 'content',
          accountId: writers.length > 0 ? writer.id : null,
          via: writer.via.means,
          viaName: writer.via.name,
          message: null,
          baseVersion: null,
          merged: hasOthersWords ? 1 : 0,
          wordLines: null,
          restoredFrom: null,
          seenBy: null,
          sittingId: live.sittingId,
          at,
        } as const;
        const by = { actorId: revision.accountId, now: at };
        await storeChange(tx, current, { content: stored }, by, { revision });
        // What was written is never lost. Limits refuse what comes after it.
        await adjustUsage(tx, ownerId, { bytes: stored.sizeBytes });
        const coWriters = others.map(({ id }) => id);
        await insertCoWriters(tx, { documentId, version }, coWriters);
        await insertWrittenSpans(tx, { documentId, version }, spans);
      }
      await updateLive(tx, {
        ...live,
        textNumber: mine.number,
        textVersion: version,
        seenVersion: version,
        unsavedSince: live.lastNumber > mine.number ? at : null,
        changedAt: at,
      });
      await updateVersionOf(tx, { documentId, number: mine.number, version });
      const old = { before: later(at, -KEPT_MS), upTo: mine.number, last: MAX_KEPT };
      await deleteChangesBefore(tx, documentId, old);
      return isSame ? undefined : version;
    }),
  );
  if (!isSame) context.wakeIndexer();
  return made;
}

/** A text that is written otherwise than by typing, as a change of a document's list. */
export interface Following {
  listId: string;
  /** The version whose text is replaced, which the list has. */
  seenVersion: number;
  before: Text;
  changes: ChangeSet;
  /** What of the list no revision has: the change from `before` to the list's text at `number`. */
  typed: ChangeSet | undefined;
  number: number;
}

/**
 * Prepares the change that a written text is for a document's list, before the transaction, which
 * must not wait for comparing.
 *
 * @returns `undefined` if nobody edits the document
 */
export async function prepareFollowing(
  context: Context,
  documentId: string,
  written: string,
): Promise<Following | undefined> {
  const row = await findLive(context.sql.read, documentId);
  if (!row) return undefined;
  const { listId, seenVersion } = row;
  // Not the last text that had all typed words: the list can have writes since, which would be added again.
  const seen = await loadRevisionText(context, documentId, seenVersion);
  const mine = await loadLiveText(context, documentId);
  if (seen === undefined || mine?.listId !== listId) return undefined;
  const before = textOf(seen);
  const changeTo = async (text: Text) => {
    const texts = [before, text].map(String) as [string, string];
    return changeSetOf(await context.texts.run(LISTS, 'changes', texts), before.length);
  };
  return {
    listId,
    seenVersion,
    before,
    changes: await changeTo(textOf(written)),
    typed: mine.text.eq(before) ? undefined : await changeTo(mine.text),
    number: mine.number,
  };
}

/**
 * Adds a write to the document's list, in the write's transaction, so that editors show it with its
 * author and what is typed next is merged with it. Call before the document's row is changed.
 *
 * @param write.version the version that the document will have
 * @param write.following `undefined` if the text doesn't change
 * @throws TypedIn if the text was prepared for another state of the list, or somebody has typed in
 *   the same lines since
 */
export async function followWrite(
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  write: { version: number; following: Following | undefined; isNewText: boolean; at: string },
): Promise<void> {
  const { version, following, isNewText, at } = write;
  const { id: documentId } = document;
  const live = await lockLive(tx, documentId);
  // A protected text is never typed in; what was typed before becomes a proposal.
  if (!live || !(await isFollowed(tx, live, document))) return;
  const isSaved = live.lastNumber === live.textNumber;
  let { lastNumber } = live;
  if (isNewText) {
    const { listId, seenVersion } = following ?? {};
    const isAsPrepared = following && live.listId === listId && live.seenVersion === seenVersion;
    if (!isAsPrepared) throw new TypedIn(document);
    const since = await listChanges(tx, documentId, following.number);
    const all = since.map((each) => storedChanges(each.changes));
    if (following.typed) all.unshift(following.typed);
    const typed = all.length > 0 && composed(all);
    if (typed && touchLines(following.before, following.changes, typed)) {
      throw new TypedIn(document);
    }
    const changes = typed ? following.changes.map(typed) : following.changes;
    lastNumber += Number(!changes.empty);
    if (!changes.empty) {
      await insertChange(tx, {
        documentId,
        number: lastNumber,
        clientId: '',
        accountId: actor.id,
        via: actor.via.means,
        viaName: actor.via.name,
        changes: JSON.stringify(changes),
        at,
      });
    }
  }
  const saved = isSaved ? { number: lastNumber, version } : undefined;
  await updateLive(tx, {
    ...live,
    lastNumber,
    seenVersion: version,
    textNumber: saved?.number ?? live.textNumber,
    textVersion: saved?.version ?? live.textVersion,
    changedAt: at,
  });
  if (saved) await updateVersionOf(tx, { documentId, ...saved });
}

/** Somebody is typing where a write changes the text, so that both have to be merged first. */
export class TypedIn extends FieldError {
  /** The version that was to be changed: the last one that the writer could read. */
  readonly version: number;

  constructor({ version }: DocumentRow) {
    const problem = 'somebody is typing in this text. Read it again, then retry.';
    super('PRECONDITION_FAILED', 'If-Match', problem);
    this.version = version;
  }
}
