import { redo, undo } from '@codemirror/commands';
import { ChangeSet, type ChangeSpec, type Extension } from '@codemirror/state';
import { EditorView, runScopeHandlers, ViewPlugin, WidgetType } from '@codemirror/view';
import { difference, tableEdits } from '../edits.ts';
import { colourOf, othersCarets } from '../others.ts';
import { JOINED_BY_UNDO } from '../source.ts';
import { suggestedIn } from '../suggestion-marks.ts';
import { cellRanges, formatTable, parseTable, type Table } from '../table.ts';
import { newRow, nextCell, pasteCells, tablePlace } from '../table-keys.ts';
import { uploadFiles } from '../uploads.ts';
import { readableCell } from './cell-text.ts';
import { addHandles, moveHandles, openMenu } from './grid-menus.ts';

/** A cell's place in its table: row 0 is the header. */
interface Spot {
  row: number;
  column: number;
}

/** A cell that a suggestion changes, or in which somebody else writes. */
export interface CellMark extends Spot {
  /** The username of who writes there. */
  writer?: string;
}

/** The height of a row, until it is drawn, in pixels. */
const ROW_PX = 38;

/**
 * A table as a grid, whose cells are edited where they stand. The text is the only model: what is typed goes
 * into it at once, the editor's selection is in the cell's Markdown, and the grid follows both.
 */
export class Grid extends WidgetType {
  readonly source: string;
  readonly marks: readonly CellMark[];

  constructor(source: string, marks: readonly CellMark[]) {
    super();
    this.source = source;
    this.marks = marks;
  }

  override eq({ source, marks }: Grid): boolean {
    return source === this.source && JSON.stringify(marks) === JSON.stringify(this.marks);
  }

  override get estimatedHeight(): number {
    return ROW_PX * (this.source.split('\n').length - 1);
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement('div');
    frame.className = 'cm-grid prose';
    const scroll = document.createElement('div');
    scroll.className = 'table-scroll';
    const table = document.createElement('table');
    table.setAttribute('aria-label', 'Table');
    table.setAttribute('role', 'grid');
    scroll.append(table);
    frame.append(scroll);
    addHandles(frame, view);
    connect(frame, view);
    this.show(frame, view);
    return frame;
  }

  override updateDOM(frame: HTMLElement, view: EditorView): boolean {
    if (!frame.matches('.cm-grid')) return false;
    this.show(frame, view);
    return true;
  }

  private show(frame: HTMLElement, view: EditorView): void {
    show(frame, view, parseTable(this.source.split('\n')));
    for (const cell of cellsOf(frame)) {
      const { row, column } = spotOf(cell);
      const here = this.marks.filter((mark) => mark.row === row && mark.column === column);
      const writer = here.find((mark) => mark.writer !== undefined)?.writer;
      const isSuggested = here.some((mark) => mark.writer === undefined);
      cell.className = isSuggested ? 'cm-suggested' : '';
      cell.title = isSuggested ? 'Changed by this suggestion' : '';
      if (writer === undefined) delete cell.dataset.name;
      else {
        cell.classList.add('others-cell', `others-${colourOf(writer)}`);
        cell.dataset.name = writer;
      }
    }
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const cellsOf = (frame: HTMLElement) => [...frame.querySelectorAll<HTMLTableCellElement>('th, td')];

/** Shows a table in a frame. Cells that stay the same aren't touched, and the one that has the focus stays. */
function show(frame: HTMLElement, view: EditorView, table: Table): void {
  const element = frame.querySelector('table') as HTMLTableElement;
  const [head = []] = table.rows;
  const { activeElement: focused } = document;
  const place = tablePlace(view.state);
  const isHere = focused instanceof HTMLTableCellElement && frame.contains(focused) && place;
  const is = isHere ? spotOf(focused) : undefined;
  const [across, down] =
    is && place ? [place.column - is.column, place.row && is.row && place.row - is.row] : [0, 0];
  resize(element.createTHead(), 1, () => document.createElement('tr'));
  const body = element.tBodies[0] ?? element.createTBody();
  resize(body, table.rows.length - 1, () => document.createElement('tr'), down);
  for (const row of element.rows)
    resize(row, head.length, () => newCell(row.parentElement === body ? 'td' : 'th'), across);
  for (const [row, cells] of table.rows.entries()) {
    for (const [column, source] of cells.entries()) {
      const cell = element.rows[row]?.cells[column] as HTMLTableCellElement;
      const side = table.alignments[column] ?? 'none';
      if (side === 'none') cell.removeAttribute('align');
      else cell.setAttribute('align', side);
      fill(cell, source, view);
    }
  }
}

/** Gives an element as many children as it needs, with those that it has moved by some places. */
function resize(parent: Element, count: number, make: () => Element, by = 0): void {
  if (parent.childElementCount !== count) {
    for (let more = by; more > 0; more--) parent.prepend(make());
    for (let less = by; less < 0; less++) parent.firstElementChild?.remove();
  }
  while (parent.childElementCount > count) parent.lastElementChild?.remove();
  while (parent.childElementCount < count) parent.append(make());
}

function newCell(tag: 'th' | 'td'): HTMLTableCellElement {
  const cell = document.createElement(tag);
  cell.contentEditable = 'true';
  try {
    cell.contentEditable = 'plaintext-only';
  } catch {
    // Older browsers have the rich kind, of which nothing but the text is used.
  }
  if (tag === 'th') cell.scope = 'col';
  return cell;
}

/** In a cell, a pipe needs a backslash, which one needn't see. */
const written = (text: string) => text.replace(/\\\|/g, '|');
const escaped = (text: string) =>
  text
    .replace(/\\?\|/g, '\\|')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\u00a0/g, ' ');

const textOf = (cell: HTMLElement) => cell.textContent ?? '';
/** The space before a cell's words, where one begins to type: it isn't in the text. */
const leadOf = (cell: HTMLElement) => escaped(textOf(cell)).search(/\S|$/);
const sourceOffset = (cell: HTMLElement, offset: number) =>
  Math.max(0, escaped(textOf(cell).slice(0, offset)).length - leadOf(cell));

function fill(cell: HTMLElement, source: string, view: EditorView): void {
  if (cell.dataset.composing !== undefined) return;
  const before = cell.dataset.source;
  const isEdited = cell === document.activeElement;
  if (isEdited) {
    if (before !== source && escaped(textOf(cell)).trim() !== source) takeIn(cell, before, source);
  } else if (before !== source || cell.dataset.edited !== undefined) {
    cell.replaceChildren(readableCell(written(source), () => view.requestMeasure()));
    delete cell.dataset.edited;
  }
  cell.dataset.source = source;
}

/**
 * Takes what others changed into the cell in which one writes, with the caret where the last key has put it.
 * Space before and after the words isn't in the text yet, and stays around theirs.
 */
function takeIn(cell: HTMLElement, before = '', after: string): void {
  const [from, to, is] = [written(before), written(after), textOf(cell)];
  const [, lead = '', tail = ''] = /^(\s*).*?(\s*)$/s.exec(is) ?? [];
  const { anchor, head } = caretsIn(cell);
  const theirs = ChangeSet.of(difference(from, to), from.length);
  const moved = (at: number) => {
    const past = at - lead.length - from.length;
    if (at < lead.length || past > 0) return past > 0 ? lead.length + to.length + past : at;
    return lead.length + theirs.mapPos(at - lead.length);
  };
  cell.textContent = lead + to + tail;
  placeCaret(cell, moved(anchor), moved(head));
}

function spotOf(cell: HTMLTableCellElement): Spot {
  const { rowIndex } = cell.parentElement as HTMLTableRowElement;
  return { row: rowIndex, column: cell.cellIndex };
}

/** Returns where a cell's text is; `undefined` if its row is too short. */
function rangeOf(view: EditorView, frame: HTMLElement, { row, column }: Spot) {
  const { doc } = view.state;
  const first = doc.lineAt(view.posAtDOM(frame)).number;
  const number = first + (row === 0 ? 0 : row + 1);
  if (number > doc.lines) return undefined;
  const line = doc.line(number);
  const range = cellRanges(line.text)[column];
  return range && { from: line.from + range.from, to: line.from + range.to };
}

/** Writes a table anew with aligned columns. */
function align(view: EditorView, frame: HTMLElement): void {
  const { doc } = view.state;
  const first = doc.lineAt(view.posAtDOM(frame)).number;
  const last = Math.min(doc.lines, first + (frame.querySelectorAll('tr').length || 1));
  const [from, to] = [doc.line(first).from, doc.line(last).to];
  const after = formatTable(parseTable(doc.sliceString(from, to).split('\n')));
  const changes = tableEdits(view.state, { from, to }, after);
  if (changes.length > 0) view.dispatch({ changes, userEvent: JOINED_BY_UNDO });
}

/** Returns the caret in a cell, in characters of its text. */
function caretsIn(cell: HTMLElement): { anchor: number; head: number } {
  const selection = document.getSelection();
  const offset = (node: Node | null, at: number) => {
    if (!node || !cell.contains(node)) return textOf(cell).length;
    const range = document.createRange();
    range.setStart(cell, 0);
    range.setEnd(node, at);
    return range.toString().length;
  };
  const anchor = offset(selection?.anchorNode ?? null, selection?.anchorOffset ?? 0);
  const head = offset(selection?.focusNode ?? null, selection?.focusOffset ?? 0);
  return { anchor, head };
}

function placeCaret(cell: HTMLElement, anchor: number, head: number): void {
  const node = cell.firstChild instanceof Text ? cell.firstChild : cell;
  const most = node instanceof Text ? node.length : 0;
  document
    .getSelection()
    ?.setBaseAndExtent(node, Math.min(anchor, most), node, Math.min(head, most));
}

/** Puts the editor's selection where the caret is in a cell. */
function follow(view: EditorView, frame: HTMLElement, cell: HTMLTableCellElement): void {
  const range = rangeOf(view, frame, spotOf(cell));
  if (!range) return;
  const { anchor, head } = caretsIn(cell);
  const at = (offset: number) => Math.min(range.to, range.from + sourceOffset(cell, offset));
  const { main } = view.state.selection;
  if (main.anchor === at(anchor) && main.head === at(head)) return;
  view.dispatch({ selection: { anchor: at(anchor), head: at(head) }, userEvent: 'select' });
}

/** Writes what was typed in a cell into the text. */
function write(view: EditorView, frame: HTMLElement, cell: HTMLTableCellElement): void {
  let range = rangeOf(view, frame, spotOf(cell));
  if (!range) {
    align(view, frame);
    range = rangeOf(view, frame, spotOf(cell));
  }
  if (!range) return;
  const insert = escaped(textOf(cell)).trim();
  const now = view.state.sliceDoc(range.from, range.to);
  const before = cell.dataset.source ?? now;
  if (before === insert) return;
  frame.dataset.changed = '';
  cell.dataset.source = insert;
  const { head } = caretsIn(cell);
  const caret = Math.min(insert.length, sourceOffset(cell, head));
  // What others have written while one composes here isn't shown yet.
  const theirs = ChangeSet.of(difference(before, now), before.length);
  const own = ChangeSet.of(difference(before, insert, caret), before.length);
  const changes: ChangeSpec[] = [];
  own.map(theirs, true).iterChanges((from, to, _from, _to, typed) => {
    changes.push({ from: range.from + from, to: range.from + to, insert: typed });
  });
  const anchor = range.from + theirs.map(own).mapPos(caret);
  view.dispatch({ changes, selection: { anchor }, userEvent: 'input.type' });
}

function connect(frame: HTMLElement, view: EditorView): void {
  const cellAt = ({ target }: Event) =>
    (target as Element).closest<HTMLTableCellElement>('th, td') ?? undefined;

  frame.addEventListener('focusin', (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    const source = written(cell.dataset.source ?? '');
    if (textOf(cell) !== source || cell.childElementCount > 0) {
      const { anchor, head } = caretsIn(cell);
      cell.textContent = source;
      placeCaret(cell, anchor, head);
    }
    cell.dataset.edited = '';
    moveHandles(frame, cell);
    if (frame.dataset.placing === undefined) follow(view, frame, cell);
  });

  frame.addEventListener('focusout', (event) => {
    const cell = cellAt(event);
    const { relatedTarget } = event;
    // The editor may be drawing right now.
    setTimeout(() => {
      if (!frame.isConnected) return;
      if (cell?.isConnected && cell !== document.activeElement)
        fill(cell, cell.dataset.source ?? '', view);
      const isLeft =
        !frame.contains(document.activeElement) && !frame.contains(relatedTarget as Node | null);
      if (!isLeft || frame.dataset.changed === undefined) return;
      delete frame.dataset.changed;
      // It would be one of the suggestions, or among what others change here.
      if (suggestedIn(view.state) || othersCarets(view.state).length > 0) return;
      align(view, frame);
    });
  });

  frame.addEventListener('input', (event) => {
    const cell = cellAt(event);
    if (cell) write(view, frame, cell);
  });
  frame.addEventListener('compositionstart', (event) => {
    const cell = cellAt(event);
    if (cell) cell.dataset.composing = '';
  });
  frame.addEventListener('compositionend', (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    delete cell.dataset.composing;
    const range = rangeOf(view, frame, spotOf(cell));
    if (range) fill(cell, view.state.sliceDoc(range.from, range.to), view);
  });
  frame.addEventListener('keydown', (event) => {
    const cell = cellAt(event);
    if (!cell || event.isComposing) return;
    follow(view, frame, cell);
    if (!onKey(view, frame, cell, event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  for (const type of ['keyup', 'mouseup'] as const) {
    frame.addEventListener(type, (event) => {
      const cell = cellAt(event);
      const isComposing = event instanceof KeyboardEvent && event.isComposing;
      const now = () => cell && cell === document.activeElement && follow(view, frame, cell);
      if (!isComposing) now();
      // A click into what is selected moves the caret after this.
      if (type === 'mouseup') setTimeout(now);
    });
  }
  frame.addEventListener('paste', (event) => {
    const cell = cellAt(event);
    const { clipboardData } = event;
    if (!cell || !clipboardData) return;
    event.preventDefault();
    follow(view, frame, cell);
    const text = clipboardData.getData('text/plain').replace(/\r?\n$/, '');
    if (text === '' && clipboardData.files.length > 0) {
      uploadFiles(view, clipboardData.files);
      return;
    }
    const rows = text.includes('\t')
      ? text.split(/\r?\n/).map((line) => line.split('\t'))
      : [[text]];
    pasteCells(
      view,
      rows.map((row) => row.map(escaped)),
    );
  });
  frame.addEventListener('drop', (event) => {
    event.preventDefault();
    const cell = cellAt(event);
    if (!cell || !event.dataTransfer?.files.length) return;
    goTo(view, frame, cell, 'end');
    uploadFiles(view, event.dataTransfer.files);
    view.focus();
  });
}

/** @returns whether the key is used up */
function onKey(
  view: EditorView,
  frame: HTMLElement,
  cell: HTMLTableCellElement,
  event: KeyboardEvent,
): boolean {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) {
    const letter = key.toLowerCase();
    if ((ctrlKey || metaKey) && letter === 'z') {
      (shiftKey ? redo : undo)(view);
      // The browser has a history of its own.
      return true;
    }
    // What moves or deletes within the cell, and what copies, is the browser's.
    const isOwn = /^(?:[acvx]|Arrow(?:Left|Right)|Backspace|Delete|Home|End)$/i.test(key);
    return !isOwn && runScopeHandlers(view, event, 'editor');
  }
  const { row, column } = spotOf(cell);
  const cells = cellsOf(frame);
  const index = cells.indexOf(cell);
  const columns = cell.parentElement?.children.length ?? 1;
  const { anchor, head } = caretsIn(cell);
  const isAtStart = anchor === head && head === 0;
  const isAtEnd = anchor === head && head === textOf(cell).length;
  switch (key) {
    case 'Tab':
      if (shiftKey) return goTo(view, frame, cells[index - 1], 'all') || leave(view, frame, false);
      return goTo(view, frame, cells[index + 1], 'all') || nextCell(view);
    case 'Enter':
      if (shiftKey) return insert(cell, '<br>');
      return goTo(view, frame, cells[index + columns], 'all') || addRow(view, frame);
    case 'ArrowUp':
      return (
        goTo(view, frame, row > 0 ? cells[index - columns] : undefined, 'end') ||
        leave(view, frame, false)
      );
    case 'ArrowDown':
      return goTo(view, frame, cells[index + columns], 'end') || leave(view, frame, true);
    case 'ArrowLeft':
      return (
        isAtStart &&
        !shiftKey &&
        (goTo(view, frame, cells[index - 1], 'end') || leave(view, frame, false))
      );
    case 'ArrowRight':
      return (
        isAtEnd &&
        !shiftKey &&
        (goTo(view, frame, cells[index + 1], 'start') || leave(view, frame, true))
      );
    case 'Escape':
      return leave(view, frame, true, false) || leave(view, frame, false, false);
    case 'F10':
    case 'ContextMenu':
      return (shiftKey || key === 'ContextMenu') && openMenu(frame);
    case 'Backspace':
      return isAtStart && column >= 0;
    case 'Delete':
      return isAtEnd;
    default:
      return false;
  }
}

function addRow(view: EditorView, frame: HTMLElement): boolean {
  const before = frame.querySelectorAll('tr').length;
  newRow(view);
  // An empty last row ends the table.
  if (tablePlace(view.state) === undefined) view.focus();
  return before > 0;
}

function insert(cell: HTMLElement, text: string): boolean {
  const { anchor, head } = caretsIn(cell);
  const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
  const is = textOf(cell);
  cell.textContent = is.slice(0, from) + text + is.slice(to);
  placeCaret(cell, from + text.length, from + text.length);
  cell.dispatchEvent(new InputEvent('input', { bubbles: true }));
  return true;
}

/** Goes to a cell, by the editor's selection alone: nothing is written. */
function goTo(
  view: EditorView,
  frame: HTMLElement,
  cell: HTMLTableCellElement | undefined,
  where: 'start' | 'end' | 'all',
): boolean {
  if (!cell) return false;
  const range = rangeOf(view, frame, spotOf(cell));
  if (!range) align(view, frame);
  const { from, to } = range ?? rangeOf(view, frame, spotOf(cell)) ?? { from: 0, to: 0 };
  const anchor = where === 'end' ? to : from;
  const head = where === 'start' ? from : to;
  view.dispatch({ selection: { anchor, head }, userEvent: 'select.cell', scrollIntoView: true });
  return true;
}

/**
 * Leaves the table for the text above or below it, if there is some.
 *
 * @param isFar whether past the blank line that parts them, to where there may be another table
 */
function leave(view: EditorView, frame: HTMLElement, isDown: boolean, isFar = true): boolean {
  const { doc } = view.state;
  const block = view.lineBlockAt(view.posAtDOM(frame));
  if (isDown ? block.to === doc.length : block.from === 0) return false;
  const line = doc.lineAt(isDown ? block.to + 1 : block.from - 1);
  const beyond = isDown ? line.to + 1 : line.from - 1;
  const isPast = isFar && line.text.trim() === '' && beyond >= 0 && beyond <= doc.length;
  const anchor = isPast ? beyond : line.from;
  view.dispatch({ selection: { anchor }, userEvent: 'select', scrollIntoView: true });
  view.focus();
  return true;
}

/** Notes whether a grid has the focus, before an update takes away what has it. */
const focusBefore = ViewPlugin.define(({ dom }) => ({
  isInGrid: false,
  update() {
    const { activeElement } = document;
    this.isInGrid = dom.contains(activeElement) && activeElement?.closest('.cm-grid') !== null;
  },
}));

/**
 * Moves the focus between the text and the cells: wherever the editor's selection is within one cell of a
 * grid, that cell has the focus.
 */
const followSelection = EditorView.updateListener.of((update) => {
  const { view, selectionSet, docChanged, focusChanged, transactions } = update;
  if (!selectionSet && !docChanged && !focusChanged) return;
  const frames = [...view.dom.querySelectorAll<HTMLElement>('.cm-grid')];
  // To align the columns again would take away what can be redone.
  if (transactions.some((each) => each.isUserEvent('undo') || each.isUserEvent('redo')))
    for (const frame of frames) delete frame.dataset.changed;
  const isInGrid = view.plugin(focusBefore)?.isInGrid;
  if (view.compositionStarted || !(isInGrid || view.hasFocus)) return;
  const place = tablePlace(view.state);
  const frame = place && frames.find((each) => view.posAtDOM(each) === place.from);
  if (place && frame) focusCell(view, frame, place, selectionSet);
  else if (isInGrid) view.focus();
});

export const focusCells: Extension = [focusBefore, followSelection];

function focusCell(view: EditorView, frame: HTMLElement, spot: Spot, isMoved: boolean): void {
  const cell = frame.querySelectorAll('tr')[spot.row]?.children[spot.column];
  const range = rangeOf(view, frame, spot);
  if (!range || !(cell instanceof HTMLTableCellElement)) return;
  // One of its menus may have the focus.
  if (frame.querySelector('details:focus-within')) return;
  const isThere = cell === document.activeElement;
  // What others write leaves the caret alone: a key or a composition has moved it, which the text doesn't
  // know yet.
  if (isThere && (!isMoved || cell.dataset.composing !== undefined)) return;
  if (!isThere) {
    // The caret follows the selection here, not the other way round.
    frame.dataset.placing = '';
    cell.focus({ preventScroll: true });
    delete frame.dataset.placing;
  }
  const { main } = view.state.selection;
  const offset = (at: number) =>
    leadOf(cell) + written(view.state.sliceDoc(range.from, Math.max(range.from, at))).length;
  const [anchor, head] = [offset(main.anchor), offset(main.head)];
  const is = caretsIn(cell);
  // A space at the end, where one is typing, isn't in the text yet.
  const most = offset(range.to);
  if (Math.min(is.anchor, most) === anchor && Math.min(is.head, most) === head) return;
  placeCaret(cell, anchor, head);
}
