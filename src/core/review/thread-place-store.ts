import type { Anchor } from '../../base/text/anchor.ts';
import { inParts, tableOf } from '../../storage/sql/row-list.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A place that someone chose for a thread. */
export interface NewPlace {
  anchor: Anchor;
  element: string | null;
  /** Whether the text doesn't contain the quote. If so, 0 is stored as its position. */
  isUnverified: boolean;
}

/** Returns the columns of a thread about a place, or about the whole document. */
export function newPlaceColumns(place: NewPlace | null) {
  if (!place) return NO_PLACE;
  const { element, anchor, isUnverified } = place;
  const { quote, prefix, suffix, start, end } = anchor;
  const state = { atState: 'unverified', shownState: 'unverified' } as const;
  return {
    element,
    quote,
    prefix,
    suffix,
    madeStart: start,
    madeEnd: end,
    ...placeColumns(anchor),
    atAround: null,
    ...(isUnverified && state),
  };
}

const NO_PLACE = {
  element: null,
  quote: null,
  prefix: null,
  suffix: null,
  madeStart: null,
  madeEnd: null,
  atStart: null,
  atEnd: null,
  atState: null,
  atAround: null,
  shownStart: null,
  shownEnd: null,
  shownState: null,
};

function placeColumns(anchor: Anchor, shown = anchor) {
  return {
    atStart: anchor.start,
    atEnd: anchor.end,
    atState: anchor.state,
    shownStart: shown.start,
    shownEnd: shown.end,
    shownState: shown.state,
  };
}

/** Moves a thread to another place, with its suggested text as it is to be written there. */
export async function updatePlace(
  db: Writer,
  id: string,
  moved: { place: NewPlace & { replacement: string | null }; version: number; at: string },
): Promise<void> {
  const { place, version, at } = moved;
  await db
    .updateTable('thread')
    .set({
      madeVersion: version,
      atVersion: version,
      updatedAt: at,
      replacement: place.replacement,
      ...newPlaceColumns(place),
    })
    .where('id', '=', id)
    .execute();
}

const CARRIED = {
  id: 'text',
  from_version: 'integer',
  from_start: 'integer',
  from_quote: 'text',
  atVersion: 'integer',
  atAround: 'text',
  atStart: 'integer',
  atEnd: 'integer',
  atState: 'text',
  shownStart: 'integer',
  shownEnd: 'integer',
  shownState: 'text',
} as const;

/** The position of a thread's passage in a later text. */
export interface Carried {
  id: string;
  /** The position it was carried from. If the row has changed since, nothing is stored. */
  from: { version: number; start: number; quote: string };
  /** The version of the text that `anchor` is in. */
  toVersion: number;
  anchor: Anchor;
  /** The `atAround` of a suggestion that is in the current text. */
  around: string | null;
  /** What to show; only read if `toVersion` is the current one. */
  shown: Anchor;
}

export async function updatePlaces(db: Writer, places: readonly Carried[]): Promise<void> {
  for (const part of inParts(places)) {
    const rows = part.map(({ id, from, toVersion, anchor, around, shown }) => ({
      id,
      from_version: from.version,
      from_start: from.start,
      from_quote: from.quote,
      atVersion: toVersion,
      atAround: around,
      ...placeColumns(anchor, shown),
    }));
    const carried = tableOf('carried', rows, CARRIED);
    await db
      .updateTable('thread')
      .from(carried)
      .set(({ ref }) => ({
        atVersion: ref('carried.atVersion'),
        atAround: ref('carried.atAround'),
        atStart: ref('carried.atStart'),
        atEnd: ref('carried.atEnd'),
        atState: ref('carried.atState'),
        shownStart: ref('carried.shownStart'),
        shownEnd: ref('carried.shownEnd'),
        shownState: ref('carried.shownState'),
      }))
      .whereRef('thread.id', '=', 'carried.id')
      .whereRef('thread.atVersion', '=', 'carried.from_version')
      .whereRef('thread.atStart', '=', 'carried.from_start')
      .whereRef('thread.quote', '=', 'carried.from_quote')
      .execute();
  }
}

/** Lists the versions that open threads of a document quote or propose to change. */
export async function listQuotedVersions(db: Reader, documentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('thread')
    .where('documentId', '=', documentId)
    .where('state', '=', 'open')
    .where((thread) =>
      thread.or([thread('quote', 'is not', null), thread('kind', '=', 'proposal')]),
    )
    .select('madeVersion as version')
    .distinct()
    .execute();
  return rows.map(({ version }) => version);
}

/**
 * Removes the quotes of an erased text from the threads that were created in its versions. If a
 * later text also has a quote, the thread quotes that text instead.
 */
export async function eraseQuotes(
  db: Writer,
  documentId: string,
  versions: { from: number; to: number },
): Promise<void> {
  const made = db
    .updateTable('thread')
    .where('documentId', '=', documentId)
    .where('quote', 'is not', null)
    .where('madeVersion', '>=', versions.from)
    .where('madeVersion', '<=', versions.to);
  await made
    .set(({ ref }) => ({
      madeVersion: ref('atVersion'),
      madeStart: ref('atStart'),
      madeEnd: ref('atEnd'),
      prefix: '',
      suffix: '',
    }))
    .where('atState', '=', 'kept')
    .where('atVersion', '>', versions.to)
    .execute();
  await made
    .set(({ ref }) => ({
      quote: '',
      prefix: '',
      suffix: '',
      atState: 'gone',
      shownState: 'gone',
      shownStart: ref('atStart'),
      shownEnd: ref('atStart'),
      atEnd: ref('atStart'),
    }))
    .execute();
}
