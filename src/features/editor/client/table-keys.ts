import type { EditorState } from '@codemirror/state';
import { type Command, EditorView } from '@codemirror/view';
import { tableEdits } from './edits.ts';
import {
  addColumn,
  alignNext,
  cellRanges,
  formatTable,
  parseTable,
  prefixLength,
  removeColumn,
  removeRow,
  type Table,
  tableAround,
} from './table.ts';
import { isInVerbatimBlock } from './verbatim.ts';

/** A table and the cell with the cursor. */
export interface Place {
  from: number;
  to: number;
  table: Table;
  /** 0 is the header; the delimiter row counts as the header. */
  row: number;
  column: number;
}

/**
 * Returns the table and the cell at the cursor, unless the selection spans several lines or is in
 * code.
 */
export function tablePlace(state: EditorState): Place | undefined {
  const { doc, selection } = state;
  const { head, from, to } = selection.main;
  const line = doc.lineAt(head);
  if (doc.lineAt(from).number !== doc.lineAt(to).number) return undefined;
  const lineAt = (number: number) =>
    number >= 1 && number <= doc.lines ? doc.line(number).text : undefined;
  const around = tableAround(lineAt, line.number);
  if (!around || isInVerbatimBlock(state)) return undefined;
  const { first, last } = around;
  const lines = Array.from({ length: last - first + 1 }, (_, index) => lineAt(first + index) ?? '');
  const ranges = cellRanges(line.text);
  const passed = ranges.findIndex(({ to: end }) => head - line.from <= end + 1);
  return {
    from: doc.line(first).from,
    to: doc.line(last).to,
    table: parseTable(lines),
    row: Math.max(0, line.number - first - 1),
    column: passed === -1 ? ranges.length - 1 : passed,
  };
}

/** Selects the next cell. After the last one, adds a row. */
export const nextCell: Command = (view) => {
  const place = tablePlace(view.state);
  if (!place) return false;
  const { table, row, column } = place;
  const isLast = column >= table.alignments.length - 1;
  const target = isLast ? { row: row + 1, column: 0 } : { row, column: column + 1 };
  const rows = target.row < table.rows.length ? table.rows : [...table.rows, emptyRow(table)];
  write(view, place, { ...table, rows }, target);
  return true;
};

export const previousCell: Command = (view) => {
  const place = tablePlace(view.state);
  if (!place) return false;
  const { table, row, column } = place;
  const before =
    column > 0
      ? { row, column: column - 1 }
      : { row: Math.max(0, row - 1), column: row > 0 ? table.alignments.length - 1 : 0 };
  write(view, place, table, before);
  return true;
};

/**
 * Adds a row below. In an empty last row, removes it and leaves the table. Before the first and after
 * the last cell, Enter is an ordinary line break, so that a table can be typed as it is written.
 */
export const newRow: Command = (view) => {
  const place = tablePlace(view.state);
  if (!place || isBesideCells(view.state)) return false;
  const { table, row } = place;
  const cells = table.rows[row] ?? [];
  if (row > 0 && row === table.rows.length - 1 && cells.every((cell) => cell === '')) {
    // The next text is still in the list that contains the table. Without a blank line, it would be
    // the table's next row.
    const { indent } = table;
    const rest = formatTable({ ...table, rows: table.rows.slice(0, -1) });
    const lines = [...rest, indent.trimEnd(), indent];
    view.dispatch({
      changes: tableEdits(view.state, place, lines),
      selection: { anchor: place.from + lines.join('\n').length },
      userEvent: 'input',
      scrollIntoView: true,
    });
    return true;
  }
  const rows = table.rows.toSpliced(row + 1, 0, emptyRow(table));
  write(view, place, { ...table, rows }, { row: row + 1, column: 0 });
  return true;
};

/** Tells whether the cursor is before the first or after the last cell of its line. */
function isBesideCells({ doc, selection }: EditorState): boolean {
  const { head, empty } = selection.main;
  const { from, text } = doc.lineAt(head);
  const after = text.slice(head - from);
  return empty && (after.trim() === '' || head - from <= prefixLength(text));
}

/**
 * Pastes cells into the table at the cursor: one into the text there, several over the cells from
 * there to the right and down. The table grows as they need.
 */
export function pasteCells(view: EditorView, cells: readonly (readonly string[])[]): void {
  const { state } = view;
  const place = tablePlace(state);
  const [first = []] = cells;
  if (!place || (cells.length === 1 && first.length === 1)) {
    view.dispatch(state.replaceSelection(first[0] ?? ''), {
      userEvent: 'input.paste',
      scrollIntoView: true,
    });
    return;
  }
  const { row, column } = place;
  const columns = column + Math.max(...cells.map(({ length }) => length));
  let { table } = place;
  while (table.alignments.length < columns) table = addColumn(table, table.alignments.length - 1);
  const rows = table.rows.map((each) => [...each]);
  while (rows.length < row + cells.length) rows.push(emptyRow(table));
  for (const [down, line] of cells.entries()) {
    rows[row + down]?.splice(column, line.length, ...line);
  }
  const end = { row: row + cells.length - 1, column: column + (cells.at(-1)?.length ?? 1) - 1 };
  write(view, place, { ...table, rows }, end);
}

export const TABLE_COMMANDS: Record<string, Command> = {
  alignColumn: onColumn(alignNext, 0),
  addColumn: onColumn(addColumn, 1),
  removeColumn: onColumn(removeColumn, -1),
  removeRow: onTable(({ table, row, column }) => ({
    table: removeRow(table, row),
    target: { row, column },
  })),
};

function onColumn(change: (table: Table, column: number) => Table, step: number): Command {
  return onTable(({ table, row, column }) => ({
    table: change(table, column),
    target: { row, column: column + step },
  }));
}

/** Makes a command that changes the table at the cursor, and then selects a cell, as near as there is one. */
export function onTable(
  change: (place: Place) => { table: Table; target: { row: number; column: number } },
): Command {
  return (view) => {
    const place = tablePlace(view.state);
    if (!place) return false;
    const { table, target } = change(place);
    const row = Math.min(table.rows.length - 1, Math.max(0, target.row));
    const column = Math.min(table.alignments.length - 1, Math.max(0, target.column));
    write(view, place, table, { row, column }, changeOf(place, table, { row, column }));
    return true;
  };
}

/** Says what has become of a table, for those who don't see it. */
function changeOf(before: Place, after: Table, { row, column }: { row: number; column: number }) {
  if (after === before.table) return '';
  const rows = after.rows.length;
  const columns = after.alignments.length;
  const more = [rows - before.table.rows.length, columns - before.table.alignments.length];
  const what = (count: number) => (count > 0 ? 'added' : 'removed');
  if (more[0]) return `Row ${what(more[0])}, ${rows} in all`;
  if (more[1]) return `Column ${what(more[1])}, ${columns} in all`;
  if (row !== before.row) return `Row moved: ${row + 1} of ${rows}`;
  if (column !== before.column) return `Column moved: ${column + 1} of ${columns}`;
  return `Column aligned: ${after.alignments[column]}`;
}

/** Rewrites the table with aligned columns and selects a cell. */
function write(
  view: EditorView,
  place: Place,
  table: Table,
  target: { row: number; column: number },
  said = '',
): void {
  const lines = formatTable(table);
  const number = target.row === 0 ? 0 : target.row + 1;
  const start = lines.slice(0, number).reduce((sum, line) => sum + line.length + 1, place.from);
  const cell = cellRanges(lines[number] ?? '')[target.column] ?? { from: 0, to: 0 };
  view.dispatch({
    changes: tableEdits(view.state, place, lines),
    selection: { anchor: start + cell.from, head: start + cell.to },
    effects: said === '' ? [] : EditorView.announce.of(said),
    userEvent: 'input',
    scrollIntoView: true,
  });
}

function emptyRow({ alignments }: Table): string[] {
  return alignments.map(() => '');
}
