import type { Actor, Context } from '../../context.ts';
import { bestEffortWrite } from '../../runtime/best-effort-write.ts';
import { type Anchor, type AnchorState, isUnlike } from '../../text/anchor.ts';
import type { DocumentRow } from '../document-store.ts';
import { loadRevisionText } from '../revision/revision-text.ts';
import { listTexts } from '../revision/revision-text-store.ts';
import { type Carried, updatePlaces } from './thread-place-store.ts';
import type { ThreadRow } from './thread-store.ts';

/** The most texts to carry a thread through one by one. If there are more, some are skipped. */
const MAX_STEPS = 200;

/** How much text to collect before a worker thread gets a task, in UTF-16 code units. */
const MAX_TASK = 4_000_000;

type Anchored = ThreadRow & { quote: string; atState: AnchorState };

function isAnchored(thread: ThreadRow): thread is Anchored {
  return thread.quote !== null && thread.atState !== 'unverified';
}

/**
 * Carries threads through every text that was saved since they were last carried, up to the current
 * one, and stores the result. Compares texts on a worker thread.
 *
 * @returns the threads with their positions in `document.version`
 */
export async function carryThreads<Row extends ThreadRow>(
  context: Context,
  actor: Actor,
  document: DocumentRow,
  threads: readonly Row[],
): Promise<Row[]> {
  const behind = threads.filter(
    (thread) => isAnchored(thread) && thread.atVersion < document.version,
  ) as (Row & Anchored)[];
  if (behind.length === 0) return [...threads];
  const carried = await carry(context, actor, document, behind);
  // Reading comments must work even if nothing can be written.
  await bestEffortWrite(context, () => context.sql.transaction((tx) => updatePlaces(tx, carried)));
  const byId = new Map(carried.map((each) => [each.id, each]));
  return threads.map((thread) => {
    const found = byId.get(thread.id);
    return found ? { ...thread, ...placeOf(found) } : thread;
  });
}

function placeOf({ toVersion, anchor, shown }: Carried) {
  return {
    ...{ atVersion: toVersion, atStart: anchor.start, atEnd: anchor.end, atState: anchor.state },
    ...{ shownStart: shown.start, shownEnd: shown.end, shownState: shown.state },
  };
}

async function carry(
  context: Context,
  actor: Actor,
  { id, version }: DocumentRow,
  threads: readonly Anchored[],
): Promise<Carried[]> {
  const starts = await startsOf(context, id, version, threads);
  const versions = await textVersions(context, id, version, starts);
  const anchors = new Map<string, Anchor>();
  let text: string | undefined;
  let [texts, batched]: [string[], number] = [[], 0];
  // A thread joins the others at the text that its position is in. From there on, all are carried
  // together.
  for (const textVersion of versions) {
    text = await loadRevisionText(context, id, textVersion);
    if (text === undefined) continue;
    const joining = threads.filter(({ id }) => starts.get(id)?.textVersion === textVersion);
    texts.push(text);
    batched += text.length;
    if (joining.length > 0 || batched > MAX_TASK) {
      await portAll(context, actor, texts, anchors);
      [texts, batched] = [[text], text.length];
    }
    for (const thread of joining) anchors.set(thread.id, starts.get(thread.id)?.anchor as Anchor);
  }
  // The text was erased while we read. The next request will carry the threads.
  if (text === undefined) return [];
  await portAll(context, actor, texts, anchors);
  const shown = await shownOf(context, actor, { id, text }, threads, anchors);
  return threads.flatMap((thread) => {
    const anchor = anchors.get(thread.id);
    if (!anchor) return [];
    return {
      ...{ id: thread.id, toVersion: version },
      from: { version: thread.atVersion, start: thread.atStart ?? 0, quote: thread.quote },
      ...{ anchor, shown: shown.get(thread.id) ?? anchor },
    };
  });
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

/** Carries anchors through texts, in place. */
async function portAll(
  context: Context,
  actor: Actor,
  texts: string[],
  anchors: Map<string, Anchor>,
): Promise<void> {
  if (texts.length < 2 || anchors.size === 0) return;
  const ported = await context.texts.run(actor.id, 'port', [texts, [...anchors.values()]]);
  for (const [index, id] of [...anchors.keys()].entries()) anchors.set(id, ported[index] as Anchor);
}

/** Returns what to show for threads whose passage differs much from their quote. */
async function shownOf(
  context: Context,
  actor: Actor,
  current: { id: string; text: string },
  threads: readonly Anchored[],
  anchors: ReadonlyMap<string, Anchor>,
): Promise<Map<string, Anchor>> {
  const shown = new Map<string, Anchor>();
  const unlike = threads.filter(({ id }) => {
    const anchor = anchors.get(id);
    return anchor && anchor.quote !== '' && isUnlike(current.text, anchor);
  });
  await findElements(context, actor, current.text, unlike, shown);
  for (const [version, group] of Map.groupBy(
    unlike.filter(({ id }) => !shown.has(id)),
    ({ madeVersion }) => madeVersion,
  )) {
    const made = await loadRevisionText(context, current.id, version);
    if (made === undefined) continue;
    const pairs = group.map((thread) => ({
      made: madeAnchorOf(thread),
      carried: anchors.get(thread.id) as Anchor,
    }));
    const found = await context.texts.run(actor.id, 'show', [made, current.text, pairs]);
    for (const [index, { id }] of group.entries()) shown.set(id, found[index] as Anchor);
  }
  return shown;
}

/**
 * Finds elements by `id`, even if they have changed. A path alone isn't enough, because it can lead
 * to a different element by now.
 */
async function findElements(
  { texts }: Context,
  actor: Actor,
  text: string,
  threads: readonly Anchored[],
  shown: Map<string, Anchor>,
): Promise<void> {
  for (const thread of threads) {
    if (!thread.element?.includes('#')) continue;
    const found = await texts.run(actor.id, 'pageElement', [text, thread.element]);
    if (!found) continue;
    const { start, end } = found;
    shown.set(thread.id, { ...madeAnchorOf(thread), start, end, state: 'changed' });
  }
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
    ...{ quote, prefix: prefix ?? '', suffix: suffix ?? '' },
    ...{ start: atStart ?? 0, end: atEnd ?? 0, state: atState ?? 'gone' },
  };
}

function madeAnchorOf({ quote, prefix, suffix, madeStart, madeEnd }: Anchored): Anchor {
  return {
    ...{ quote, prefix: prefix ?? '', suffix: suffix ?? '' },
    ...{ start: madeStart ?? 0, end: madeEnd ?? 0, state: 'kept' },
  };
}
