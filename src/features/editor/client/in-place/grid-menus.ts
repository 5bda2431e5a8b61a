import type { Command, EditorView } from '@codemirror/view';
import {
  type Alignment,
  addColumn,
  addRow,
  alignColumn,
  moveColumn,
  moveRow,
  removeColumn,
  removeRow,
} from '../table.ts';
import { onTable, type Place } from '../table-keys.ts';

const align = (alignment: Alignment) =>
  onTable(({ table, row, column }) => ({
    table: alignColumn(table, column, alignment),
    target: { row, column },
  }));

/** Moves the row of the cell with the caret to where `to` says. */
export const moveRowTo = (to: (row: number) => number): Command =>
  onTable(({ table, row, column }) => {
    const next = moveRow(table, row, to(row));
    return { table: next, target: { row: next === table ? row : to(row), column } };
  });

/** Moves the column of the cell with the caret to where `to` says. */
export const moveColumnTo = (to: (column: number) => number): Command =>
  onTable(({ table, row, column }) => ({
    table: moveColumn(table, column, to(column)),
    target: { row, column: to(column) },
  }));

const by = (step: number) => (at: number) => at + step;
export const [rowUp, rowDown] = [moveRowTo(by(-1)), moveRowTo(by(1))];

const newRowAt = (step: number): Command =>
  onTable(({ table, row, column }) => {
    const at = Math.max(1, row + step);
    return { table: addRow(table, at), target: { row: at, column } };
  });

const newColumnAt = (step: number): Command =>
  onTable(({ table, row, column }) => ({
    table: addColumn(table, column + step - 1),
    target: { row, column: column + step },
  }));

const without = (remove: typeof removeRow): Command =>
  onTable(({ table, row, column }: Place) => ({
    table: remove(table, remove === removeRow ? row : column),
    target: { row, column },
  }));

const MENUS: Record<string, [label: string, command: Command][]> = {
  Row: [
    ['Add row above', newRowAt(0)],
    ['Add row below', newRowAt(1)],
    ['Move row up', rowUp],
    ['Move row down', rowDown],
    ['Remove row', without(removeRow)],
  ],
  Column: [
    ['Add column before', newColumnAt(0)],
    ['Add column after', newColumnAt(1)],
    ['Move column back', moveColumnTo(by(-1))],
    ['Move column on', moveColumnTo(by(1))],
    ['Align left', align('left')],
    ['Align center', align('center')],
    ['Align right', align('right')],
    ['Remove column', without(removeColumn)],
  ],
};

/** Adds the menus of the row and the column of the cell that has the focus. */
export function addHandles(frame: HTMLElement, view: EditorView): void {
  for (const [name, acts] of Object.entries(MENUS)) {
    const menu = document.createElement('details');
    menu.className = `menu cm-handle cm-handle-${name.toLowerCase()}`;
    menu.dataset.menu = '';
    const summary = document.createElement('summary');
    summary.setAttribute('aria-label', name);
    summary.title = `${name}: click for its menu, drag to move it`;
    summary.textContent = '⋯';
    const list = document.createElement('ul');
    list.className = 'menu-items';
    for (const [label, command] of acts) {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'menu-item';
      button.textContent = label;
      button.addEventListener('click', () => {
        menu.open = false;
        command(view);
        focusNow(view);
      });
      item.append(button);
      list.append(item);
    }
    menu.append(summary, list);
    menu.addEventListener('toggle', () => menu.open && bringIntoView(list));
    menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return walk(menu, event);
      menu.open = false;
      focusNow(view);
      event.stopPropagation();
    });
    frame.append(menu);
  }
}

/** Gives the focus to the text, or to the cell with the caret, before the next key comes. */
export function focusNow(view: EditorView): void {
  view.focus();
  // Else its listeners hear of it later.
  view.dispatch({});
}

/** Moves a menu to the left of the window's edge, and the text up to its end. */
function bringIntoView(list: HTMLElement): void {
  list.style.left = '';
  const over = list.getBoundingClientRect().right - document.documentElement.clientWidth;
  if (over > 0) list.style.left = `${-over}px`;
  list.scrollIntoView({ block: 'nearest' });
}

/** Opens the menu of the row. */
export function openMenu(frame: HTMLElement): boolean {
  openAt(frame.querySelector('.cm-handle-row'));
  return true;
}

function openAt(menu: Element | null): void {
  if (!(menu instanceof HTMLDetailsElement)) return;
  menu.open = true;
  menu.querySelector<HTMLElement>('.menu-item')?.focus();
}

/** Goes through a menu with the arrow keys, and to the other one. */
function walk(menu: HTMLDetailsElement, event: KeyboardEvent): void {
  if (/^Arrow(?:Left|Right)$/.test(event.key)) {
    menu.open = false;
    openAt(menu.matches('.cm-handle-row') ? menu.nextElementSibling : menu.previousElementSibling);
    event.preventDefault();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  menu.open = true;
  const items = [...menu.querySelectorAll<HTMLElement>('.menu-item')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}

/** Puts the menus beside a cell. */
export function moveHandles(frame: HTMLElement, cell: HTMLTableCellElement): void {
  const outer = frame.getBoundingClientRect();
  const inner = cell.getBoundingClientRect();
  const table = (cell.closest('table') as HTMLElement).getBoundingClientRect();
  const [row, column] = frame.querySelectorAll<HTMLElement>('.cm-handle');
  if (row) row.style.top = `${inner.top - outer.top + inner.height / 2}px`;
  if (column) {
    const middle = Math.min(inner.left + inner.width / 2, outer.right);
    column.style.left = `${middle - outer.left}px`;
    column.style.top = `${table.top - outer.top}px`;
  }
}
