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
  const state = { at_state: 'unverified', shown_state: 'unverified' } as const;
  return {
    element,
    quote,
    prefix,
    suffix,
    made_start: start,
    made_end: end,
    ...placeColumns(anchor),
    at_around: null,
    ...(isUnverified && state),
  };
}

const NO_PLACE = {
  element: null,
  quote: null,
  prefix: null,
  suffix: null,
  made_start: null,
  made_end: null,
  at_start: null,
  at_end: null,
  at_state: null,
  at_around: null,
  shown_start: null,
  shown_end: null,
  shown_state: null,
};

function placeColumns(anchor: Anchor, shown = anchor) {
  return {
    at_start: anchor.start,
    at_end: anchor.end,
    at_state: anchor.state,
    shown_start: shown.start,
    shown_end: shown.end,
    shown_state: shown.state,
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
      made_version: version,
      at_version: version,
      updated_at: at,
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
  at_version: 'integer',
  at_around: 'text',
  at_start: 'integer',
  at_end: 'integer',
  at_state: 'text',
  shown_start: 'integer',
  shown_end: 'integer',
  shown_state: 'text',
} as const;

/** The position of a thread's passage in a later text. */
export interface Carried {
  id: string;
  /** The position it was carried from. If the row has changed since, nothing is stored. */
  from: { version: number; start: number; quote: string };
  /** The version of the text that `anchor` is in. */
  toVersion: number;
  anchor: Anchor;
  /** The `at_around` of a suggestion that is in the current text. */
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
      at_version: toVersion,
      at_around: around,
      ...placeColumns(anchor, shown),
    }));
    const carried = tableOf('carried', rows, CARRIED);
    await db
      .updateTable('thread')
      .from(carried)
      .set(({ ref }) => ({
        at_version: ref('carried.at_version'),
        at_around: ref('carried.at_around'),
        at_start: ref('carried.at_start'),
        at_end: ref('carried.at_end'),
        at_state: ref('carried.at_state'),
        shown_start: ref('carried.shown_start'),
        shown_end: ref('carried.shown_end'),
        shown_state: ref('carried.shown_state'),
      }))
      .whereRef('thread.id', '=', 'carried.id')
      .whereRef('thread.at_version', '=', 'carried.from_version')
      .whereRef('thread.at_start', '=', 'carried.from_start')
      .whereRef('thread.quote', '=', 'carried.from_quote')
      .execute();
  }
}

/** Lists the versions that open threads of a document quote or propose to change. */
export async function listQuotedVersions(db: Reader, documentId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('thread')
    .where('document_id', '=', documentId)
    .where('state', '=', 'open')
    .where((thread) =>
      thread.or([thread('quote', 'is not', null), thread('kind', '=', 'proposal')]),
    )
    .select('made_version as version')
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
    .where('document_id', '=', documentId)
    .where('quote', 'is not', null)
    .where('made_version', '>=', versions.from)
    .where('made_version', '<=', versions.to);
  await made
    .set(({ ref }) => ({
      made_version: ref('at_version'),
      made_start: ref('at_start'),
      made_end: ref('at_end'),
      prefix: '',
      suffix: '',
    }))
    .where('at_state', '=', 'kept')
    .where('at_version', '>', versions.to)
    .execute();
  await made
    .set(({ ref }) => ({
      quote: '',
      prefix: '',
      suffix: '',
      at_state: 'gone',
      shown_state: 'gone',
      shown_start: ref('at_start'),
      shown_end: ref('at_start'),
      at_end: ref('at_start'),
    }))
    .execute();
}
