import type { EditorState } from '@codemirror/state';
import { diffArrays } from 'diff';
import { type Change, changes } from '../../../base/text/changes.ts';

/** Returns the smallest changes that make a range another text, so that what others write in it stays there. */
export function edits(
  state: EditorState,
  { from, to }: { from: number; to: number },
  after: string,
): Change[] {
  const moved = (edit: Change) => ({ ...edit, from: from + edit.from, to: from + edit.to });
  return changes(state.sliceDoc(from, to), after).map(moved);
}

/**
 * Returns the one change between two states of a field, of as few characters as possible: others may be
 * writing in the same word.
 *
 * @param caret where what was typed ends, which tells it from equal letters beside it
 */
export function difference(before: string, after: string, caret = after.length): Change {
  let same = before.endsWith(after.slice(caret)) ? after.length - caret : 0;
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most - same && before[from] === after[from]) from++;
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same++;
  // Never between the two units of a character.
  if (/[\uD800-\uDBFF]/.test(before[from - 1] ?? '')) from--;
  if (/[\uDC00-\uDFFF]/.test(before.at(-same) ?? '') && same > 0) same--;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

/**
 * Returns the changes that make a table these lines: of whole rows and cells, and where only space or the
 * number of dashes differs, of that alone. What others write in the table at the same time stays whole.
 */
export function tableEdits(
  state: EditorState,
  { from, to }: { from: number; to: number },
  after: readonly string[],
): Change[] {
  const rows = (lines: readonly string[]) =>
    lines.map((line, index) => (index < lines.length - 1 ? `${line}\n` : line));
  const before = state.sliceDoc(from, to).split('\n');
  const found = pieceEdits(from, rows(before), rows(after), (start, row, other) =>
    pieceEdits(start, cells(row), cells(other), cellEdits),
  );
  const joined: Change[] = [];
  for (const edit of found) {
    const last = joined.at(-1);
    if (last?.to === edit.from) [last.to, last.insert] = [edit.to, last.insert + edit.insert];
    else joined.push({ ...edit });
  }
  const isPipe = (at: number) => at >= from && state.sliceDoc(at, at + 1) === '|';
  return joined.map((edit) => {
    if (edit.insert !== '') return edit;
    // What others typed meanwhile in what is removed comes into a cell beside it, not between two.
    const by = [1, -1].find((step) => {
      const [first, next] = step > 0 ? [edit.from, edit.to] : [edit.from - 1, edit.to - 1];
      return isPipe(first) && isPipe(next);
    });
    return { ...edit, from: edit.from + (by ?? 0), to: edit.to + (by ?? 0) };
  });
}

/** A row's parts, each with the pipe before it. */
const cells = (row: string) => row.match(/\|?(?:\\.|[^|\\]|\\$)+|\|/gs) ?? [];

function cellEdits(start: number, cell: string, other: string): Change[] {
  // Dashes are added before the last one, because two people can do so while others add space.
  const parts = (text: string) => /^(\|?\s*)(.*?)(\S?\s*)$/s.exec(text)?.slice(1) ?? [];
  const others = parts(other);
  let from = start;
  return parts(cell).map((part, index) => {
    const edit = difference(part, others[index] ?? '');
    const moved = { ...edit, from: from + edit.from, to: from + edit.to };
    from += part.length;
    return moved;
  });
}

/** Compares pieces regardless of space and of the number of dashes. */
function pieceEdits(
  start: number,
  before: readonly string[],
  after: readonly string[],
  within: (start: number, piece: string, other: string) => Change[],
): Change[] {
  const keys = (pieces: readonly string[]) =>
    pieces.map((piece) => piece.replace(/-+/g, '-').replace(/\s+/g, ''));
  const parts = diffArrays(keys(before), keys(after));
  const found: Change[] = [];
  let [from, is, to] = [start, 0, 0];
  for (const [index, { added, removed, count }] of parts.entries()) {
    const next = parts[index + 1];
    const isReplaced = removed && next?.added && next.count === count;
    if (added) {
      const isPaired = parts[index - 1]?.removed && parts[index - 1]?.count === count;
      if (isPaired) continue;
      found.push({ from, to: from, insert: after.slice(to, to + count).join('') });
      to += count;
      continue;
    }
    for (const piece of before.slice(is, is + count)) {
      const other = removed && !isReplaced ? undefined : after[to++];
      if (other === undefined) found.push({ from, to: from + piece.length, insert: '' });
      else if (piece !== other) found.push(...within(from, piece, other));
      from += piece.length;
    }
    is += count;
  }
  return found.filter((edit) => edit.from < edit.to || edit.insert !== '');
}
