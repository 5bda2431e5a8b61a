import type { ChangeSet } from '@codemirror/state';
import { KINDS } from '../../base/schema/kind.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import { inLineBreaksOf } from '../../base/text/line-breaks.ts';
import { type Actor, type Context, later } from '../../core/context.ts';
import { withNewBlob } from '../../core/document/blob-lifecycle.ts';
import { storableText, storeContent } from '../../core/document/content.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import { storeChange } from '../../core/document/document-write-store.ts';
import { insertEvent } from '../../core/event/event-store.ts';
import { revisionEvent } from '../../core/event/new-event.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { adjustUsage } from '../../core/quota/usage-store.ts';
import { isProtected } from '../../core/review/protection-store.ts';
import { listTextWrites } from '../../core/review/review-store.ts';
import {
  findRevisionOfText,
  listCoWriters,
  listSittings,
  nameRevision,
} from '../../core/revision/revision-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { insertWrittenSpans, type WrittenSpan } from '../../core/revision/written-span-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { proposeText } from '../review/proposal-service.ts';
import {
  type ChangeRow,
  deleteChangesBefore,
  deleteLive,
  findLastOfSitting,
  findLive,
  hasOthersSince,
  insertChange,
  insertCoWriters,
  type LiveRow,
  listChanges,
  listIdle,
  lockLive,
  updateLive,
  updateVersionOf,
} from './live-store.ts';
import { applied, changeSetOf, type LiveText, textOf, writtenBy } from './live-text.ts';
import { changesAfter, forgetText, keepText, loadLiveText } from './live-texts.ts';

/** Whose turn it is when texts of lists are compared. */
const LISTS = 'lists';

/** How often a step is tried, because others write meanwhile. */
const ATTEMPTS = 10;

/** How long someone's changes may wait for a process that keeps the document's editors. */
const LEFT_BEHIND_MS = 60_000;

/** After this long without a change, a sitting has ended. */
const SITTING_MS = 5 * 60_000;

/** How long changes are kept for editors that come back, and lists of documents nobody edits. */
const KEPT_MS = 60 * 60_000;

/** The most changes that are kept for them. */
const MAX_KEPT = 20_000;

/** The most lists that one tidying looks at. */
const MAX_TIDIED = 100;

/** Someone else changed the list or the document meanwhile. */
class ChangedMeanwhile extends Error {}

/**
 * Runs a step again when others have written meanwhile.
 *
 * @returns `false` also if others write so often that it has to be tried later; nothing is lost
 */
async function untilDone(step: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
  }
  return false;
}

/** Whatever account is asked for, nobody's standing: the list's writers had theirs when they wrote. */
const documentOf = (context: Context, documentId: string) =>
  findDocumentById(context.sql.read, documentId, '');

/**
 * Adds to a document's list what was written otherwise since: by tools, a restore, an accepted
 * suggestion. Changes that no revision has yet stay in the text.
 *
 * @returns whether there was such a text; what is written while it runs may be missing
 */
export function catchUp(context: Context, documentId: string): Promise<boolean> {
  const running = catchingUp.get(context) ?? new Map<string, Promise<boolean>>();
  catchingUp.set(context, running);
  const going = running.get(documentId) ?? catchUpNow(context, documentId);
  running.set(documentId, going);
  const end = () => running.delete(documentId);
  going.then(end, end);
  return going;
}

/** The documents that are catching up in this process: once each, whoever asks for it. */
const catchingUp = new WeakMap<Context, Map<string, Promise<boolean>>>();

function catchUpNow(context: Context, documentId: string): Promise<boolean> {
  return untilDone(async () => {
    const row = await findLive(context.sql.read, documentId);
    const document = row && (await documentOf(context, documentId));
    if (!document || row.seenVersion >= document.version) return false;
    const { version } = document;
    const mine = await loadLiveText(context, documentId);
    const [before, after] = await Promise.all([
      loadRevisionText(context, documentId, row.seenVersion),
      loadRevisionText(context, documentId, version),
    ]);
    // A text that the list needs was erased, so editors get the current one.
    if (!mine || before === undefined || after === undefined) {
      await context.sql.transaction((tx) => deleteLive(tx, row));
      forgetText(context, documentId);
      return true;
    }
    const base = textOf(before).toString();
    const written = await differences(context, base, textOf(after).toString());
    const own = await differences(context, base, mine.text.toString());
    const writer = await findRevisionOfText(context.sql.read, documentId, version);
    const writes = await listTextWrites(context.sql.read, documentId, row.seenVersion);
    const accountId = writes.at(-1)?.writers[0] ?? null;
    const added = await context.sql.transaction<ChangeSet[]>(async (tx) => {
      const now = await lockLive(tx, documentId);
      if (now?.listId !== row.listId || now.seenVersion !== row.seenVersion) {
        throw new ChangedMeanwhile();
      }
      // What editors have sent while the texts were compared.
      const since = await changesAfter(tx, documentId, mine.number);
      const changes = since.reduce((moved, each) => moved.map(each), written.map(own));
      const isSaved = now.lastNumber === now.textNumber;
      const lastNumber = now.lastNumber + Number(!changes.empty);
      const at = context.now();
      if (!changes.empty) {
        const { via = null, viaName = null } = writer ?? {};
        const by = { accountId, via, viaName, at };
        const json = JSON.stringify(changes);
        await insertChange(tx, {
          ...by,
          documentId,
          number: lastNumber,
          clientId: '',
          changes: json,
        });
      }
      await updateLive(tx, {
        ...now,
        lastNumber,
        seenVersion: version,
        ...(isSaved && { textNumber: lastNumber, textVersion: version }),
        changedAt: at,
      });
      if (isSaved) await updateVersionOf(tx, { documentId, number: lastNumber, version });
      return changes.empty ? since : [...since, changes];
    });
    keepText(context, documentId, applied(mine, added));
    return true;
  });
}

async function differences(context: Context, from: string, to: string) {
  const found = await context.texts.run(LISTS, 'changes', [from, to]);
  return changeSetOf(found, from.length);
}

/**
 * Makes the changes that no revision has yet a revision by the people who made them. If the document
 * was protected meanwhile, they become a proposal.
 *
 * @returns whether there were such changes
 */
export function checkpoint(context: Context, documentId: string): Promise<boolean> {
  return untilDone(async () => {
    await catchUp(context, documentId);
    const row = await findLive(context.sql.read, documentId);
    const document = row && (await documentOf(context, documentId));
    if (!document || row.lastNumber === row.textNumber) return false;
    const [mine, changes, current] = await Promise.all([
      loadLiveText(context, documentId),
      listChanges(context.sql.read, documentId, row.textNumber),
      loadRevisionText(context, documentId, document.version),
    ]);
    if (!mine || current === undefined) return false;
    const own = changes.filter(({ number }) => number <= mine.number);
    const content = contentOf(document, current, mine);
    const made = { row, document, mine, writers: writersOf(own), changes: own, content };
    if (await mustPropose(context.sql.read, document)) {
      await proposeInstead(context, made);
    } else {
      await save(context, made, made.content === current);
    }
    return true;
  });
}

/** Tells whether a text needs an approval before it can be the document's. */
export async function mustPropose(
  db: Reader,
  { id: documentId, ownerId, visibility }: DocumentRow,
): Promise<boolean> {
  return visibility === 'public' && (await isProtected(db, { documentId, ownerId }));
}

/** A list's text as it will be stored, and who wrote what is new in it. */
interface Made {
  row: LiveRow;
  document: DocumentRow;
  mine: LiveText;
  writers: Actor[];
  changes: readonly ChangeRow[];
  content: string;
}

/** Returns the text with the line breaks of the current one, unless they make it too long. */
function contentOf({ kind }: DocumentRow, current: string, { text }: LiveText): string {
  const plain = text.toString();
  const content = inLineBreaksOf(current, plain);
  const isTooLong = Buffer.byteLength(content) > KINDS[kind].contentLimitBytes;
  return storableText(kind, isTooLong ? plain : content);
}

/**
 * Says something about a sitting's last revision that has nothing said about it yet.
 *
 * @param accountId who says it: one of its writers
 * @returns whether there is such a revision
 */
export async function nameLast(
  context: Context,
  documentId: string,
  { accountId, message }: { accountId: string; message: string },
): Promise<boolean> {
  return context.sql.transaction(async (tx) => {
    const live = await lockLive(tx, documentId);
    const last = live?.sittingId && (await findLastOfSitting(tx, documentId, live.sittingId));
    if (!last || last.version !== live.textVersion) return false;
    const { version } = last;
    const others = await listCoWriters(tx, documentId, { from: version, to: version });
    const isWriter =
      last.accountId === accountId || others.some((other) => other.accountId === accountId);
    return isWriter && nameRevision(tx, { documentId, version, message });
  });
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

/** Returns what of a text the writers beside its author wrote. */
function spansOf(changes: readonly ChangeRow[], others: readonly Actor[]): WrittenSpan[] {
  const byId = new Map(others.map((other) => [other.id, other]));
  const writerOf = ({ clientId, accountId }: ChangeRow) =>
    clientId === '' || accountId === null ? undefined : byId.get(accountId);
  return writtenBy(changes, writerOf).map(({ start, end, origin: { id, via } }) => {
    return { start, length: end - start, accountId: id, via: via.means, viaName: via.name };
  });
}

/** Stores the text as a revision, or only notes that the current one has it. */
async function save(
  context: Context,
  { row, document, mine, writers, changes, content }: Made,
  isSame: boolean,
): Promise<void> {
  const { id: documentId, kind, ownerId } = document;
  const [writer = NOBODY_LEFT, ...others] = writers;
  const stored = isSame ? undefined : await storeContent(context, writer, kind, content);
  const spans = others.length > 0 ? spansOf(changes, others) : [];
  await withNewBlob(context, stored?.storagePath, () =>
    changeOwned(context, document.ownerNamespace, async (tx) => {
      const current = await findDocumentById(tx, documentId, '');
      const live = await lockLive(tx, documentId);
      const isAsSeen =
        current?.ownerId === ownerId &&
        !(await mustPropose(tx, current)) &&
        live?.listId === row.listId &&
        live.textNumber === row.textNumber &&
        (await listTextWrites(tx, documentId, live.seenVersion)).length === 0;
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
    }),
  );
  if (!isSame) context.wakeIndexer();
}

/** Stands for writers whose accounts are gone. */
const NOBODY_LEFT: Actor = { id: '', username: '', scopes: [], via: VIA_WEB };

/** Keeps what was written before the document was protected as a proposal, and begins the list anew. */
async function proposeInstead(
  context: Context,
  { row, document, writers: [writer], content }: Made,
): Promise<void> {
  const { id, kind, ownerNamespace: owner, name, version: baseRevision } = document;
  if (writer) {
    const body = 'Written before this document was protected.';
    await proposeText(context, writer, { kind, owner, name }, { content, baseRevision, body });
  }
  await context.sql.transaction((tx) => deleteLive(tx, row));
  forgetText(context, id);
}

/** Ends a sitting: those who watch the document are told of it once, with its last revision. */
export async function endSitting(context: Context, documentId: string): Promise<void> {
  await checkpoint(context, documentId);
  const document = await documentOf(context, documentId);
  if (!document) return;
  await context.sql.transaction(async (tx) => {
    const live = await lockLive(tx, documentId);
    if (!live?.sittingId || live.unsavedSince !== null) return;
    const last = await findLastOfSitting(tx, documentId, live.sittingId);
    if (last?.accountId) {
      const via = { means: last.via ?? 'web', name: last.viaName };
      const writer = { ...NOBODY_LEFT, id: last.accountId, via };
      const { ownerId } = document;
      const { version, at } = last;
      const [sitting] = await listSittings(tx, documentId, [live.sittingId]);
      const firstVersion = sitting?.first ?? version;
      const write = { documentId, ownerId, version, firstVersion, changed: ['content'], at };
      await insertEvent(tx, revisionEvent(context, writer, write));
    }
    await updateLive(tx, { ...live, sittingId: null });
  });
  context.wakeFeed();
}

/**
 * Finishes what processes have left behind, ends sittings that are over, and deletes lists that
 * nobody needs any more.
 *
 * @param onFailure called for each document that can't be finished now
 */
export async function tidyLists(
  context: Context,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const now = context.now();
  const [left, over, old] = [LEFT_BEHIND_MS, SITTING_MS, KEPT_MS].map((ms) => later(now, -ms));
  const idle = { left: left ?? now, over: over ?? now, old: old ?? now };
  for (const row of await listIdle(context.sql.read, idle, MAX_TIDIED)) {
    try {
      if (row.unsavedSince !== null) await checkpoint(context, row.documentId);
      if (row.changedAt < idle.over) await endSitting(context, row.documentId);
      if (row.changedAt < idle.old) await deleteIdle(context, row);
    } catch (error) {
      onFailure(error);
    }
  }
}

async function deleteIdle(context: Context, { documentId }: LiveRow): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const live = await lockLive(tx, documentId);
    if (live?.unsavedSince === null) await deleteLive(tx, live);
  });
  forgetText(context, documentId);
}
