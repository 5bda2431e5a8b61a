import { hash } from 'node:crypto';
import { RETRY_AFTER_S, ServiceError } from '../../base/errors.ts';
import { type Anchor, type AnchorState, isUnlike } from '../../base/text/anchor.ts';
import { bestEffortWrite } from '../best-effort-write.ts';
import type { Call, Context } from '../context.ts';
import { type DocumentRow, findStoredContent } from '../document/document-store.ts';
import { loadRevisionText } from '../revision/revision-text.ts';
import { listTexts } from '../revision/revision-text-store.ts';
import { EVERYTHING } from './sight.ts';
import { type Carried, updatePlaces } from './thread-place-store.ts';
import { findThreads, listBehind, type ThreadRow } from './thread-store.ts';

/** The most texts to carry a thread through one by one. If there are more, some are skipped. */
const MAX_STEPS = 200;

/**
 * How much work one request does, in the unit of `costOfComparing`; it can exceed this by one step.
 * The carrier does the rest. A count, not a time, so the results are the same everywhere.
 */
const BUDGET = 8_000_000;

/** The most threads that are carried together. */
const MAX_TOGETHER = 1_000;

/** Whose turn it is when the carrier compares texts. */
const CARRIER = 'carrier';

type Anchored = ThreadRow & { quote: string; atState: AnchorState };

/** The version of a document that threads are carried to. */
type Target = Pick<DocumentRow, 'id' | 'version'>;

function isBehind<Row extends ThreadRow>(
  { version }: Pick<Target, 'version'>,
  thread: Row,
): thread is Row & Anchored {
  const { quote, atState, atVersion } = thread;
  const isKnown =
    atVersion >= version && (thread.kind !== 'replacement' || thread.atAround !== null);
  return quote !== null && atState !== 'unverified' && !isKnown;
}

/**
 * Carries threads through every text that was saved since they were last carried, up to the current
 * one, and stores the result. Compares texts on a worker thread. If that is more than
 * {@link BUDGET}, the carrier does the rest in the background.
 *
 * @returns the threads with their positions in `document.version`; `pending` if that isn't known yet
 */
export async function carryThreads<Row extends ThreadRow>(
  call: Call,
  document: DocumentRow,
  threads: readonly Row[],
): Promise<Row[]> {
  const isLate = (thread: Row) => isBehind(document, thread);
  if (!threads.some(isLate)) return threads.map((thread) => placedIn(document, thread));
  const { carryQueue } = call;
  let rows = [...threads];
  const carry = async () => {
    const carried = await carrySome(call, call.actor.id, document, rows);
    // Reading comments must work even if nothing can be written.
    await bestEffortWrite(call, () => call.sql.transaction((tx) => updatePlaces(tx, carried)));
    return withPlaces(rows, carried);
  };
  if (!carryQueue.has(document.id)) {
    const carried = await carryQueue.alone(document.id, carry);
    rows = carried ?? (await loadAgain(call, document, rows));
    // Another request has carried other threads.
    if (!carried && rows.some(isLate) && !carryQueue.has(document.id)) rows = await carry();
  }
  const late = rows.filter(isLate);
  if (late.length > 0) {
    carryQueue.add(
      document.id,
      late.map(({ state }) => state),
    );
  }
  return rows.map((row) => placedIn(document, row));
}

/**
 * Carries threads of the document that has waited longest, as much as one request would.
 *
 * @returns whether no document waits
 * @throws any error, after removing the document from the queue
 */
export async function carryWaiting(context: Context): Promise<boolean> {
  const { carryQueue, sql } = context;
  const waiting = carryQueue.next();
  if (!waiting) return true;
  const { id, states } = waiting;
  try {
    const { version = 0 } = (await findStoredContent(sql.read, id)) ?? {};
    const behind = await listBehind(sql.read, id, [...states], version);
    const carried = await carryQueue.alone(id, async () => {
      const carried = await carrySome(context, CARRIER, { id, version }, behind);
      await sql.transaction((tx) => updatePlaces(tx, carried));
      return carried;
    });
    if (carried?.length === 0) carryQueue.delete(id);
  } catch (error) {
    carryQueue.delete(id);
    throw error;
  }
  return false;
}

/**
 * Returns the thread; if its position is in an older text, as `pending`. A proposal is about the
 * whole text, so it is always in the current one.
 */
export function placedIn<Row extends ThreadRow>(document: DocumentRow, thread: Row): Row {
  if (thread.kind === 'proposal') return { ...thread, atVersion: document.version };
  if (!isBehind(document, thread)) return thread;
  return { ...thread, atState: 'pending', shownState: 'pending', shownStart: 0, shownEnd: 0 };
}

/**
 * Requires that the positions of threads are known.
 *
 * @param outcome says what didn't happen: a sentence
 * @throws RATE_LIMITED
 */
export function requirePlaced(threads: readonly ThreadRow[], outcome: string): void {
  if (threads.every(({ shownState }) => shownState !== 'pending')) return;
  throw new ServiceError(
    'RATE_LIMITED',
    `After many changes, the passages of some comments are still being found. ${outcome} Try ` +
      `again in ${RETRY_AFTER_S} seconds.`,
    RETRY_AFTER_S,
  );
}

function withPlaces<Row extends ThreadRow>(
  threads: readonly Row[],
  carried: readonly Carried[],
): Row[] {
  const byId = new Map(carried.map((each) => [each.id, each]));
  return threads.map((thread) => {
    const found = byId.get(thread.id);
    if (!found) return thread;
    const { toVersion, anchor, around, shown } = found;
    return {
      ...thread,
      atVersion: toVersion,
      atStart: anchor.start,
      atEnd: anchor.end,
      atState: anchor.state,
      atAround: around,
      shownStart: shown.start,
      shownEnd: shown.end,
      shownState: shown.state,
    };
  });
}

/** Loads the positions of threads again. */
async function loadAgain<Row extends ThreadRow>(
  { sql }: Context,
  { id }: Target,
  threads: readonly Row[],
): Promise<Row[]> {
  const ids = threads.map((thread) => thread.id);
  const found = await findThreads(sql.read, id, EVERYTHING, ids, 0);
  const byId = new Map(found.map((thread) => [thread.id, thread]));
  return threads.map((thread) => {
    const now = byId.get(thread.id);
    // Without its suggested text, which isn't loaded again.
    return now ? { ...thread, ...now, replacement: thread.replacement } : thread;
  });
}

/** A text of a document, and the last version that has it. */
interface TextAt {
  version: number;
  text: string;
}

/**
 * Carries threads as far as {@link BUDGET} allows, at least one step.
 *
 * @param key whose turn it is to compare texts
 * @returns the threads that were carried to the current text, or to an older one
 */
async function carrySome(
  context: Context,
  key: string,
  { id, version }: Target,
  all: readonly ThreadRow[],
): Promise<Carried[]> {
  const threads = all.filter((thread) => isBehind({ version }, thread)).slice(0, MAX_TOGETHER);
  if (threads.length === 0) return [];
  const starts = await startsOf(context, id, version, threads);
  const versions = await textVersions(context, id, version, starts);
  const anchors = new Map<string, Anchor>();
  /** Where the threads were before the step to the current text. */
  let before: { version: number; anchors: Map<string, Anchor> } | undefined;
  let left = BUDGET;
  let batch: TextAt[] = [];
  // A thread joins the others at the text that its position is in. From there on, all are carried
  // together.
  for (const [index, textVersion] of versions.entries()) {
    const text = await loadRevisionText(context, id, textVersion);
    if (text === undefined) continue;
    batch.push({ version: textVersion, text });
    const joining = threads.filter(({ id }) => starts.get(id)?.textVersion === textVersion);
    const read = batch.reduce((sum, { text }) => sum + 2 * text.length, 0);
    const isNearEnd = index >= versions.length - 2;
    if (joining.length === 0 && !isNearEnd && read < left) continue;
    const { reached, cost } = await portAll(context, key, batch, anchors, left);
    left -= cost;
    if (reached.version !== textVersion) return placesAt(threads, reached.version, anchors);
    for (const thread of joining) anchors.set(thread.id, starts.get(thread.id)?.anchor as Anchor);
    if (textVersion === version) {
      return placesInCurrent(context, key, { id, version, text }, threads, {
        anchors,
        before,
        left,
      });
    }
    if (left <= 0) return placesAt(threads, textVersion, anchors);
    before = { version: textVersion, anchors: new Map(anchors) };
    batch = [{ version: textVersion, text }];
  }
  // The text was erased while we read. The next request will carry the threads.
  return [];
}

/** Returns the places of threads in a text that isn't the current one. */
function placesAt(
  threads: readonly Anchored[],
  toVersion: number,
  anchors: ReadonlyMap<string, Anchor>,
): Carried[] {
  return threads.flatMap((thread) => {
    const anchor = anchors.get(thread.id);
    return anchor ? placeOf(thread, toVersion, anchor) : [];
  });
}

/**
 * Returns the places of threads that were carried to the current text. Where there is no budget for
 * finding out what to show, the thread stays in the text before.
 */
async function placesInCurrent(
  context: Context,
  key: string,
  current: Target & { text: string },
  threads: readonly Anchored[],
  state: {
    anchors: ReadonlyMap<string, Anchor>;
    before: { version: number; anchors: ReadonlyMap<string, Anchor> } | undefined;
    left: number;
  },
): Promise<Carried[]> {
  const { anchors, before, left } = state;
  const { shown, late } = await shownOf(context, key, current, threads, anchors, left);
  const ranges = threads.map(({ id }) => anchors.get(id) ?? { start: 0, end: 0 });
  const marks = threads.some(({ kind }) => kind === 'replacement')
    ? await context.texts.run(key, 'marks', [current.text, ranges])
    : [];
  return threads.flatMap((thread, index) => {
    const anchor = anchors.get(thread.id);
    if (!anchor) return [];
    if (!late.has(thread.id)) {
      const around =
        thread.kind === 'replacement'
          ? hash('sha256', marks[index] ?? '', 'base64url').slice(0, 22)
          : null;
      return { ...placeOf(thread, current.version, anchor, shown.get(thread.id)), around };
    }
    const earlier = before?.anchors.get(thread.id);
    return before && earlier ? placeOf(thread, before.version, earlier) : [];
  });
}

function placeOf(thread: Anchored, toVersion: number, anchor: Anchor, shown = anchor): Carried {
  const from = { version: thread.atVersion, start: thread.atStart ?? 0, quote: thread.quote };
  return { id: thread.id, from, toVersion, anchor, around: null, shown };
}

/** Where to start carrying a thread. */
interface Start {
  /**
   * The last version of the text that the anchor is in. For the current text, the current version.
   */
  textVersion: number;
  anchor: Anchor;
}

/**
 * Returns where to start carrying threads: their last position, or where they were created if that
 * text is gone. If both texts are gone, so is the passage, because an offset means nothing in any
 * other text.
 */
async function startsOf(
  context: Context,
  documentId: string,
  current: number,
  threads: readonly Anchored[],
): Promise<Map<string, Start>> {
  const oldest = Math.min(
    ...threads.map(({ atVersion, madeVersion }) => Math.min(atVersion, madeVersion)),
  );
  const texts = await listTexts(context.sql.read, documentId, { from: oldest, to: current });
  const textOf = (version: number): number | undefined => {
    const text = texts.find(({ lastVersion }) => lastVersion >= version);
    if (!text || text.lastVersion >= current) return current;
    return text.coding === 'gone' ? undefined : text.lastVersion;
  };
  const starts = threads.map((thread): [string, Start] => {
    const at = textOf(thread.atVersion);
    if (at !== undefined) return [thread.id, { textVersion: at, anchor: anchorOf(thread) }];
    const made = textOf(thread.madeVersion);
    if (made !== undefined) return [thread.id, { textVersion: made, anchor: madeAnchorOf(thread) }];
    const anchor: Anchor = { ...anchorOf(thread), start: 0, end: 0, state: 'gone' };
    return [thread.id, { textVersion: current, anchor }];
  });
  return new Map(starts);
}

/**
 * Carries anchors through texts, in place, until the budget is used up.
 *
 * @returns the text that they are in, and what it cost
 */
async function portAll(
  context: Context,
  key: string,
  batch: readonly TextAt[],
  anchors: Map<string, Anchor>,
  budget: number,
): Promise<{ reached: TextAt; cost: number }> {
  const last = batch.at(-1) as TextAt;
  if (batch.length < 2 || anchors.size === 0) return { reached: last, cost: 0 };
  const texts = batch.map(({ text }) => text);
  const ported = await context.texts.run(key, 'port', [texts, [...anchors.values()], budget]);
  for (const [index, id] of [...anchors.keys()].entries()) {
    anchors.set(id, ported.anchors[index] as Anchor);
  }
  return { reached: batch[ported.reached] ?? last, cost: ported.cost };
}

/**
 * Finds what to show for threads whose passage differs much from their quote, at least one of them.
 * Elements are found by `id`, even if they have changed. A path alone isn't enough, because it can
 * lead to a different element by now.
 *
 * @returns `late` has the threads that are beyond the budget
 */
async function shownOf(
  context: Context,
  key: string,
  current: { id: string; text: string },
  threads: readonly Anchored[],
  anchors: ReadonlyMap<string, Anchor>,
  budget: number,
): Promise<{ shown: Map<string, Anchor>; late: Set<string> }> {
  const { texts } = context;
  const shown = new Map<string, Anchor>();
  const late = new Set<string>();
  let left = Math.max(budget, 1);
  const unlike = threads.filter(({ id }) => {
    const anchor = anchors.get(id);
    return anchor && anchor.quote !== '' && isUnlike(current.text, anchor);
  });
  for (const thread of unlike) {
    if (!thread.element?.includes('#')) continue;
    if (left <= 0) {
      late.add(thread.id);
      continue;
    }
    const found = await texts.run(key, 'pageElement', [current.text, thread.element]);
    left -= current.text.length;
    if (!found) continue;
    const { start, end } = found;
    shown.set(thread.id, { ...madeAnchorOf(thread), start, end, state: 'changed' });
  }
  const others = unlike.filter(({ id }) => !shown.has(id) && !late.has(id));
  for (const [version, group] of Map.groupBy(others, ({ madeVersion }) => madeVersion)) {
    if (left <= 0) {
      for (const { id } of group) late.add(id);
      continue;
    }
    const made = await loadRevisionText(context, current.id, version);
    if (made === undefined) continue;
    const pairs = group.map((thread) => ({
      made: madeAnchorOf(thread),
      carried: anchors.get(thread.id) as Anchor,
    }));
    const found = await texts.run(key, 'show', [made, current.text, pairs]);
    left -= found.cost;
    for (const [index, { id }] of group.entries()) shown.set(id, found.anchors[index] as Anchor);
  }
  return { shown, late };
}

/**
 * Returns the last versions of the texts to carry threads through, oldest first: the texts that the
 * threads start in, at most {@link MAX_STEPS} others, and the current text.
 */
async function textVersions(
  context: Context,
  documentId: string,
  current: number,
  starts: ReadonlyMap<string, Start>,
): Promise<number[]> {
  const needed = new Set(Array.from(starts.values(), ({ textVersion }) => textVersion));
  const from = Math.min(...needed);
  const texts = await listTexts(context.sql.read, documentId, { from, to: current });
  const versions = texts
    .filter(({ coding, lastVersion }) => coding !== 'gone' && lastVersion < current)
    .map(({ lastVersion }) => lastVersion);
  const step = Math.ceil(versions.length / MAX_STEPS);
  const some = versions.filter((version, index) => index % step === 0 || needed.has(version));
  return [...some, current];
}

function anchorOf({ quote, prefix, suffix, atStart, atEnd, atState }: Anchored): Anchor {
  return {
    quote,
    prefix: prefix ?? '',
    suffix: suffix ?? '',
    start: atStart ?? 0,
    end: atEnd ?? 0,
    state: atState ?? 'gone',
  };
}

function madeAnchorOf({ quote, prefix, suffix, madeStart, madeEnd }: Anchored): Anchor {
  return {
    quote,
    prefix: prefix ?? '',
    suffix: suffix ?? '',
    start: madeStart ?? 0,
    end: madeEnd ?? 0,
    state: 'kept',
  };
}
