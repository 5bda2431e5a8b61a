import { ChangeSet, Text } from '@codemirror/state';
import { FieldError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { KINDS } from '../../base/schema/kind.ts';
import {
  carried,
  type Edit,
  type Span,
  type Written,
  writtenOf,
} from '../../base/text/authorship.ts';
import type { Change } from '../../base/text/changes.ts';
import { type ClientChange, composed, movedOver } from '../../base/text/collaboration.ts';
import { tooLarge } from '../../base/text/size.ts';
import { asInTextArea } from '../../base/text/text-area.ts';

/** The most changed places that an editor can send at once. */
const MAX_PLACES = 100_000;

/** Above this many changed places, building the whole text anew takes less time. */
const MANY_PLACES = 5_000;

/** The text after a change of a document's list. */
export interface LiveText {
  listId: string;
  number: number;
  text: Text;
  sizeBytes: number;
}

/** A change as editors send and get it: a change set of CodeMirror as JSON. */
export interface SentChange {
  clientId: string;
  changes: unknown;
  /** Whether it puts a version of a passage in place of others’ newer one. */
  replaces?: boolean;
}

/** Returns a text as editors have it: with line feeds, cut into lines. */
export function textOf(content: string): Text {
  return Text.of(asInTextArea(content).split('\n'));
}

export function sizeOf(text: Text): number {
  return Buffer.byteLength(text.toString());
}

/** Reads a change set that the service stored. */
export function storedChanges(json: string): ChangeSet {
  return ChangeSet.fromJSON(JSON.parse(json));
}

/** Returns differences as a change set. */
export function changeSetOf(differences: readonly Change[], length: number): ChangeSet {
  return ChangeSet.of([...differences], length);
}

/**
 * Reads what an editor sent.
 *
 * @throws BAD_REQUEST if these are no change sets that follow one another
 */
export function readChanges(sent: readonly SentChange[]): ClientChange[] {
  let length: number | undefined;
  let places = 0;
  return sent.map(({ clientId, changes: json }) => {
    if (!isChangeSet(json)) throw unfit('must be change sets of text without NUL characters.');
    places += json.length;
    if (places > MAX_PLACES) throw unfit(`must change fewer than ${MAX_PLACES} places.`);
    const changes = ChangeSet.fromJSON(json);
    if (length !== undefined && changes.length !== length) throw unfit('must follow one another.');
    length = changes.newLength;
    return { clientID: clientId, changes };
  });
}

/** The library doesn't check this: a number is a length, a list a length and the lines in its place. */
function isChangeSet(json: unknown): json is unknown[] {
  const isLength = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 30;
  const isLine = (value: unknown) => typeof value === 'string' && !/[\0\n\r]/.test(value);
  return (
    Array.isArray(json) &&
    json.every((part) =>
      Array.isArray(part) ? isLength(part[0]) && part.slice(1).every(isLine) : isLength(part),
    )
  );
}

/**
 * Moves changes over those that came between, and leaves out what was accepted already.
 *
 * @param missed the accepted changes that the editor hadn't seen
 * @param length of the text that the first of all of them changes
 * @throws BAD_REQUEST if the changes don't fit
 */
export function rebase(
  mine: readonly ClientChange[],
  missed: readonly ClientChange[],
  length: number,
): readonly ClientChange[] {
  if ((mine[0]?.changes.length ?? length) !== length) throw unfit('don’t fit the text.');
  return movedOver(mine, missed).mine;
}

/**
 * Tells whether a program has changed the places of an editor's changes meanwhile, which the editor
 * has to merge itself: moved by positions, what was typed would stand in other words, or alone.
 *
 * @param missed as for {@link rebase}; those of programs have no client id
 */
export function isOverwritten(
  mine: readonly ClientChange[],
  missed: readonly ClientChange[],
): boolean {
  if (mine.length === 0 || !missed.some(({ clientID }) => clientID === '')) return false;
  let own = composed(mine.map(({ changes }) => changes));
  for (const { clientID, changes } of missed) {
    if (clientID === mine[0]?.clientID) return false;
    let isTouched = false;
    own.iterChangedRanges((from, to) => {
      isTouched ||= changes.touchesRange(from, to) !== false;
    });
    if (clientID === '' && isTouched) return true;
    own = own.map(changes);
  }
  return false;
}

/**
 * Applies changes to a text.
 *
 * @throws BAD_REQUEST if they don't fit, or leave half of a character
 */
export function applied(before: LiveText, changes: readonly ChangeSet[]): LiveText {
  if (changes.length === 0) return before;
  let { length } = before.text;
  for (const change of changes) {
    if (change.length !== length) throw unfit('don’t fit the text.');
    length = change.newLength;
  }
  const change = composed(changes);
  const text = textAfter(before.text, change);
  let { sizeBytes } = before;
  change.iterChanges((fromA, toA, fromB, toB) => {
    // With the characters beside it, of which a change can leave half.
    const [was, is] = [around(before.text, fromA, toA), around(text, fromB, toB)];
    if (!is.isWellFormed() && was.isWellFormed()) throw unfit('must be well-formed Unicode.');
    sizeBytes += Buffer.byteLength(is) - Buffer.byteLength(was);
  }, true);
  return { ...before, number: before.number + changes.length, text, sizeBytes };
}

/** Does the same as `change.apply`, which copies a line for each place in it that changes. */
function textAfter(text: Text, change: ChangeSet): Text {
  const ranges: { from: number; to: number; pieces: string[] }[] = [];
  let lineEnd = -1;
  change.iterChanges((from, to, _from, _to, inserted) => {
    const last = ranges.at(-1);
    if (last && from <= lineEnd) {
      last.pieces.push(text.sliceString(last.to, from), inserted.toString());
      last.to = to;
    } else ranges.push({ from, to, pieces: [inserted.toString()] });
    if (to > lineEnd) lineEnd = text.lineAt(to).to;
  });
  if (ranges.length <= MANY_PLACES) {
    return ranges.reduceRight(
      (next, { from, to, pieces }) => next.replace(from, to, Text.of(pieces.join('').split('\n'))),
      text,
    );
  }
  const old = text.toString();
  let at = 0;
  const all = ranges.flatMap(({ from, to, pieces }) => {
    const kept = old.slice(at, from);
    at = to;
    return [kept, ...pieces];
  });
  return Text.of([...all, old.slice(at)].join('').split('\n'));
}

/** Tells whether two changes of one text have a line in common, which one of them could tear. */
export function touchLines(text: Text, one: ChangeSet, other: ChangeSet): boolean {
  const ranges: [from: number, to: number][] = [];
  one.iterChangedRanges((from, to) => {
    ranges.push([text.lineAt(from).from, text.lineAt(to).to]);
  });
  let isTouched = false;
  other.iterChangedRanges((from, to) => {
    const [start, end] = [text.lineAt(from).from, text.lineAt(to).to];
    isTouched ||= ranges.some((range) => range[0] <= end && start <= range[1]);
  });
  return isTouched;
}

/**
 * Tells who wrote which part of the text after changes that follow one another.
 *
 * @param writerOf who wrote a change; `undefined` for those that aren't to be told
 */
export function writtenBy<Change extends { changes: string }, Writer>(
  changes: readonly Change[],
  writerOf: (change: Change) => Writer | undefined,
): Written<Writer>[] {
  let spans: Span<Writer | undefined>[] | undefined;
  for (const change of changes) {
    const set = storedChanges(change.changes);
    spans ??= [[set.length, undefined]];
    const edits: Edit[] = [];
    set.iterChanges((from, to, start, end) => edits.push({ from, to, length: end - start }), true);
    spans = carried(spans, edits, writerOf(change));
  }
  return writtenOf(spans ?? []);
}

/** Refuses a text that has become longer and is too long. @throws CONTENT_TOO_LARGE */
export function requireFitting(before: LiveText, { sizeBytes }: LiveText, kind: Kind): void {
  const { contentLimitBytes, contentField } = KINDS[kind];
  if (sizeBytes <= contentLimitBytes || sizeBytes <= before.sizeBytes) return;
  const problem = tooLarge('the text would have', sizeBytes, contentLimitBytes);
  throw new FieldError('CONTENT_TOO_LARGE', contentField, problem);
}

/** Returns a range with whole characters around it. */
function around(text: Text, from: number, to: number): string {
  let [start, end] = [from, to];
  if (start > 0) start -= 1;
  if (start > 0 && isLow(text.sliceString(start, start + 1))) start -= 1;
  if (end < text.length) end += 1;
  if (end < text.length && isHigh(text.sliceString(end - 1, end))) end += 1;
  return text.sliceString(start, end);
}

const isLow = (unit: string) => unit >= '\udc00' && unit <= '\udfff';
const isHigh = (unit: string) => unit >= '\ud800' && unit <= '\udbff';

function unfit(problem: string): FieldError {
  return new FieldError('BAD_REQUEST', 'updates', problem);
}
