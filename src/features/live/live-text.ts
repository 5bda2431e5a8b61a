import { rebaseUpdates } from '@codemirror/collab';
import { ChangeSet, Text } from '@codemirror/state';
import { FieldError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { KINDS } from '../../base/schema/kind.ts';
import type { Change } from '../../base/text/changes.ts';
import { asInTextArea } from '../../base/text/text-area.ts';

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
}

/** A change set, and the editor that it came from. */
export interface ClientChange {
  clientID: string;
  changes: ChangeSet;
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
  return sent.map(({ clientId, changes: json }) => {
    if (!isChangeSet(json)) throw unfit('must be change sets of text without NUL characters.');
    const changes = ChangeSet.fromJSON(json);
    if (length !== undefined && changes.length !== length) throw unfit('must follow one another.');
    length = changes.newLength;
    return { clientID: clientId, changes };
  });
}

/** The library doesn't check this: a number is a length, a list a length and the lines in its place. */
function isChangeSet(json: unknown): boolean {
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
  return rebaseUpdates(mine, missed);
}

/** Applies changes to a text. @throws BAD_REQUEST if they don't fit, or cut a character in half */
export function applied(
  { text, sizeBytes, ...rest }: LiveText,
  changes: readonly ChangeSet[],
): LiveText {
  let [next, bytes] = [text, sizeBytes];
  for (const change of changes) {
    if (change.length !== next.length) throw unfit('don’t fit the text.');
    const before = next;
    next = change.apply(before);
    change.iterChanges((fromA, toA, fromB, toB) => {
      // With the characters beside it, of which a change can leave half.
      const [was, is] = [around(before, fromA, toA), around(next, fromB, toB)];
      if (!is.isWellFormed() && was.isWellFormed()) throw unfit('must be well-formed Unicode.');
      bytes += Buffer.byteLength(is) - Buffer.byteLength(was);
    }, true);
  }
  return { ...rest, number: rest.number + changes.length, text: next, sizeBytes: bytes };
}

/** Refuses a text that has become longer and is too long. @throws CONTENT_TOO_LARGE */
export function requireFitting(before: LiveText, { sizeBytes }: LiveText, kind: Kind): void {
  const { contentLimitBytes, contentField } = KINDS[kind];
  if (sizeBytes <= contentLimitBytes || sizeBytes <= before.sizeBytes) return;
  const problem = `would be ${sizeBytes} bytes. The limit is ${contentLimitBytes} bytes.`;
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
