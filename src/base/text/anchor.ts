import { isDeepStrictEqual } from 'node:util';
import { changes, costOfComparing } from './changes.ts';
import { likeness } from './closest.ts';
import {
  createAlikeSearch,
  findAround,
  findCorrected,
  findPassages,
  insertedBy,
  type Quote,
  type Sought,
} from './moved.ts';
import { createPort, type Ported, type Range } from './port.ts';
import { REACH, surroundingsIn, type TextAround } from './surroundings.ts';
import { withoutSpace } from './without-space.ts';

/**
 * How sure the place of a comment is:
 *
 * - `kept`: the quote, character by character
 * - `changed`: from the first to the last part of the quote that is left
 * - `moved`: a passage like the quote, elsewhere; show that this is a guess
 * - `gone`: the quote is gone; the range has what replaced it and can be empty
 */
export type AnchorState = 'kept' | 'changed' | 'moved' | 'gone';

/** Where a comment is in one text, and the passage it was made on. */
export interface Anchor extends Range, Quote {
  state: AnchorState;
}

/** The longest quote. A longer passage is anchored by its beginning. In UTF-16 code units. */
export const MAX_QUOTE = 1_000;

/** How much text on either side is stored, in UTF-16 code units. */
export const CONTEXT = 32;

/**
 * If less of the quote than this survives a save, the match is a coincidence and the quote is gone.
 */
const LEAST_SURVIVING = 1 / 3;

/**
 * Below this similarity of passage and quote, the text that the comment was made in is compared
 * directly with the current one.
 */
const LEAST_ALIKE = 0.6;

/** Below this similarity, a passage that is left is worse than the whole quote elsewhere. */
const LEAST_ALIKE_BESIDE = 0.9;

/** Above this similarity, what stands between the same words as a passage did is what became of it. */
const LEAST_ALIKE_INSTEAD = 1 / 2;

/** Creates the anchor of a new comment on a passage of a text. */
export function anchorAt(text: string, { start, end }: Range): Anchor {
  const last = wholeCharacter(text, Math.min(end, start + MAX_QUOTE));
  return {
    quote: text.slice(start, last),
    prefix: text.slice(wholeCharacter(text, Math.max(0, start - CONTEXT)), start),
    suffix: text.slice(last, wholeCharacter(text, Math.min(text.length, last + CONTEXT))),
    start,
    end: last,
    state: 'kept',
  };
}

/** Moves an index out of a surrogate pair, to its end. */
function wholeCharacter(text: string, index: number): number {
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(index - 1, index + 1));
  return index > 0 && isInPair ? index + 1 : index;
}

/**
 * Carries anchors through one save. The same texts and anchors always give the same result.
 *
 * Where what is around a passage has changed, or the diff lost it, all places with its words
 * compete ({@link findPassages}). If none has them, searches the inserted text for a passage like
 * it, then for a small correction. Does the same for passages that earlier saves changed or removed,
 * so an undo restores them.
 * Compares the texts once for all anchors; takes as long as `changes` and little more.
 */
export function portAnchors(before: string, after: string, anchors: readonly Anchor[]): Anchor[] {
  if (before === after || anchors.length === 0) return [...anchors];
  const found = changes(before, after);
  const port = createPort(before, found);
  const inserted = insertedBy(after, found);
  const searchAlike = createAlikeSearch(inserted);

  const ported = anchors.map((anchor) => {
    const next = nextOf(before, anchor, port(anchor), after);
    if (next.state !== 'changed') return next;
    const place = findAround(after, next.quote, next);
    return place ? keptAt(next, place) : next;
  });
  const [old, now] = [surroundingsIn(before), surroundingsIn(after)];
  const doubtful = [...ported.keys()].filter((index) => {
    const [was, next] = [anchors[index] as Anchor, ported[index] as Anchor];
    if (next.quote.trim() === '') return false;
    if (next.state !== 'kept') {
      return next.state === 'moved' || isUnlike(after, next, LEAST_ALIKE_BESIDE);
    }
    return isWhole(before, was) && !isDeepStrictEqual(old.around(was), now.around(next));
  });
  const sought = doubtful.map((index) =>
    soughtOf(old, anchors[index] as Anchor, after, ported[index] as Anchor),
  );
  const places = findPassages(old, now, port, sought);
  for (const [position, index] of doubtful.entries()) {
    const [was, next] = [anchors[index] as Anchor, ported[index] as Anchor];
    const place = places[position];
    const isWorse = place?.state === 'moved' && next.state === 'changed' && !isUnlike(after, next);
    if (place && !isWorse) ported[index] = { ...next, ...place };
    const now = ported[index] as Anchor;
    if (now.state === 'kept' || (now.state === 'moved' && place)) continue;
    const alike = isUnlike(after, now) ? searchAlike(now.quote) : undefined;
    if (alike) ported[index] = { ...now, ...alike, state: 'moved' };
    else if (now.state === 'gone' && !place && isWhole(before, was)) {
      const corrected = findCorrected(inserted, now.quote, now);
      if (corrected) ported[index] = { ...now, ...corrected, state: 'changed' };
    }
  }
  return ported;
}

/** Describes a passage to find among equal ones: by the text before or, if it isn't there, as made. */
function soughtOf(old: TextAround, was: Anchor, after: string, next: Anchor): Sought {
  const { quote, prefix, suffix } = was;
  const isThere = old.text.slice(was.start, was.end) === quote;
  const to = after.slice(next.start, next.end) === quote ? next.start : undefined;
  const from = isThere ? was.start : undefined;
  if (isWhole(old.text, was)) {
    return { ...anchorAt(old.text, was), around: old.around(was), reach: REACH, from, to };
  }
  const range = { start: prefix.length, end: prefix.length + quote.length };
  const around = surroundingsIn(prefix + quote + suffix).around(range);
  return { quote, prefix, suffix, around, reach: CONTEXT, from, to };
}

/** Anchors that were carried through some texts of a series. */
export interface PortedThrough {
  anchors: Anchor[];
  /** The index of the text that they are in. */
  reached: number;
  /** What that cost, in the unit of `costOfComparing`. */
  cost: number;
}

/**
 * Carries anchors through a series of texts, from the first to the last. A long series can be split
 * over several calls, each of which begins with the last text of the previous one.
 *
 * @param budget after this cost, no further step begins; the first one always does
 */
export function portThrough(
  texts: readonly string[],
  anchors: readonly Anchor[],
  budget = Number.POSITIVE_INFINITY,
): PortedThrough {
  let current = [...anchors];
  let [reached, cost] = [0, 0];
  for (const [index, text] of texts.entries()) {
    const previous = texts[index - 1];
    if (previous === undefined) continue;
    if (index > 1 && cost >= budget) break;
    current = portAnchors(previous, text, current);
    cost += costOfComparing(previous, text);
    reached = index;
  }
  return { anchors: current, reached, cost };
}

/**
 * Tells whether an anchor is gone, or its passage and its quote are less than 60 % alike. Then
 * {@link shownAnchors} may find a better passage.
 *
 * @param least another share instead
 */
export function isUnlike(
  text: string,
  { state, start, end, quote }: Anchor,
  least = LEAST_ALIKE,
): boolean {
  return state === 'gone' || alike(text, { start, end }, quote) < least;
}

/**
 * Returns what to show for anchors that differ much from their quotes: their passage, or a better
 * one found by comparing the text that they were made in directly with the current one.
 *
 * @param made the text that the comments were made in
 * @param pairs each anchor as it was made, and as carried through every save since
 */
export function shownAnchors(
  made: string,
  current: string,
  pairs: readonly { made: Anchor; carried: Anchor }[],
): Anchor[] {
  const direct = portAnchors(
    made,
    current,
    pairs.map((pair) => pair.made),
  );
  return pairs.map(({ carried }, index) => {
    const other = direct[index] as Anchor;
    return scoreOf(current, other) > scoreOf(current, carried) ? other : carried;
  });
}

function scoreOf(text: string, { state, start, end, quote }: Anchor): number {
  return state === 'gone' ? 0 : alike(text, { start, end }, quote);
}

function alike(text: string, { start, end }: Range, quote: string): number {
  if (end - start > 4 * quote.length) return 0;
  return likeness(text.slice(start, end), quote);
}

/** Tells whether an anchor's whole quote stands at its place. */
function isWhole(text: string, { state, quote, start, end }: Anchor): boolean {
  return state === 'kept' && text.slice(start, end) === quote;
}

function keptAt(anchor: Anchor, { start, end }: Range): Anchor {
  return { ...anchor, start, end, state: 'kept' };
}

/** Returns an anchor as the diff leaves it. */
function nextOf(before: string, anchor: Anchor, ported: Ported, after: string): Anchor {
  const { state, start, end, instead = ported } = ported;
  if (isLost(anchor, ported)) {
    const isBetween =
      instead.start < instead.end &&
      before.slice(0, anchor.start).endsWith(after.slice(start, instead.start)) &&
      before.startsWith(after.slice(instead.end, end), anchor.end);
    const place = isBetween ? instead : { start, end };
    const isAlike = isBetween && alike(after, instead, anchor.quote) >= LEAST_ALIKE_INSTEAD;
    if (!isAlike || anchor.state === 'gone') return { ...anchor, ...place, state: 'gone' };
    return { ...anchor, ...place, state: anchor.state === 'moved' ? 'moved' : 'changed' };
  }
  const isQuote = after.slice(start, end) === anchor.quote;
  if (isQuote && anchor.state !== 'moved') return keptAt(anchor, { start, end });
  if (state === 'kept' || isQuote) return { ...anchor, start, end };
  const rest = withoutSpace(after, { start, end });
  return { ...anchor, ...rest, state: anchor.state === 'moved' ? 'moved' : 'changed' };
}

function isLost({ state, quote }: Anchor, ported: Ported): boolean {
  if (state === 'gone' || ported.state === 'replaced' || ported.state === 'gone') return true;
  return ported.state === 'changed' && ported.survived < LEAST_SURVIVING * quote.length;
}
