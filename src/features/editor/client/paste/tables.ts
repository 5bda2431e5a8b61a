import type { Rule } from 'turndown';
import { type Alignment, formatTable } from '../table.ts';
import { create, isBlank, isBlock, isElement, styleOf } from './dom.ts';

/** Elements that a Markdown cell can't contain. */
const BLOCKS = 'table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6, hr';
/** What layouts contain rather than data. */
const LAYOUT = 'table, h1, h2, h3, h4, h5, h6, hr';
const BORDER = /(?:^|[;\s])(?:mso-)?border(?:-\w+)*:[^;]*(?:solid|dotted|dashed|double)/i;
const MOST_SPAN = 100;

/**
 * Prepares tables: those with data get cells of one line, whatever they contain; those for layout
 * are marked with `data-layout`, and their content is shown one below the other.
 */
export function prepareTables(body: Element): void {
  // Inner tables first, which are cells of outer ones.
  for (const table of [...body.querySelectorAll('table')].reverse()) {
    if (isLayout(table)) table.setAttribute('data-layout', '');
  }
  for (const table of body.querySelectorAll('table:not([data-layout])')) {
    if (table.parentElement?.closest('table:not([data-layout])')) continue;
    for (const cell of (table as HTMLTableElement).querySelectorAll('td, th, caption')) {
      if (cell.closest('table') === table) flatten(cell);
    }
  }
}

function isLayout(table: HTMLTableElement): boolean {
  const role = table.getAttribute('role');
  if (role === 'presentation' || role === 'none') return true;
  const rows = [...table.rows].filter((row) => row.cells.length > 0);
  const columns = Math.max(0, ...rows.map((row) => row.cells.length));
  const own = rows.flatMap((row) => [...row.cells]);
  if (rows.length * columns < 2) return true;
  const isData =
    own.some((cell) => cell.nodeName === 'TH' || BORDER.test(styleOf(cell))) ||
    table.caption !== null ||
    Number(table.getAttribute('border')) > 0 ||
    BORDER.test(styleOf(table));
  if (isData) return false;
  if (table.querySelector(LAYOUT)) return true;
  return (rows.length < 2 || columns < 2) && table.querySelector(BLOCKS) !== null;
}

/** Rewrites a cell as lines with breaks between them. */
export function flatten(cell: Element): void {
  const lines: Node[][] = [[]];
  const newLine = () => {
    if (!(lines.at(-1) as Node[]).every(isBlank)) lines.push([]);
  };
  const add = (node: Node | string) => {
    const content = typeof node === 'string' ? cell.ownerDocument.createTextNode(node) : node;
    lines.at(-1)?.push(content);
  };
  const visit = (node: Node) => {
    if (!isElement(node)) add(node);
    else if (node.nodeName === 'BR') newLine();
    else if (node.nodeName === 'PRE') {
      newLine();
      for (const line of (node.textContent ?? '').replace(/\n$/, '').split('\n')) {
        if (line.trim() !== '') add(create(cell, 'code', line));
        newLine();
      }
    } else if (isBlock(node)) {
      newLine();
      if (/^H[1-6]$/.test(node.nodeName)) add(create(cell, 'strong', ...node.childNodes));
      else {
        if (node.nodeName === 'LI' && node.parentElement?.nodeName === 'OL') {
          const start = Number(node.parentElement.getAttribute('start') ?? 1) || 1;
          add(`${start + [...node.parentElement.children].indexOf(node)}. `);
        }
        for (const [index, child] of [...node.childNodes].entries()) {
          if (node.nodeName === 'TR' && isElement(child)) {
            if (child.previousElementSibling) add(' · ');
            for (const inner of [...child.childNodes]) visitInRow(inner);
          } else if (index === 0 && isElement(child) && child.nodeName === 'P') {
            // An item's first paragraph stays beside its number.
            for (const inner of [...child.childNodes]) visit(inner);
            newLine();
          } else visit(child);
        }
      }
      newLine();
    } else add(node);
  };
  const visitInRow = (node: Node) => {
    if (isElement(node) && (isBlock(node) || node.nodeName === 'BR')) {
      add(' ');
      for (const child of [...node.childNodes]) visitInRow(child);
    } else add(node);
  };
  for (const child of [...cell.childNodes]) visit(child);
  const written = lines.filter((line) => !line.every(isBlank));
  cell.replaceChildren(
    ...written.flatMap((line, index) => (index === 0 ? line : [create(cell, 'br'), ...line])),
  );
}

/** Converts data tables to GFM, and shows the content of other tables one below the other. */
export function tableRule(convert: (cell: HTMLElement) => string): Rule {
  return {
    filter: 'table',
    replacement(content, node) {
      const table = node as HTMLTableElement;
      if (table.hasAttribute('data-layout')) return `\n\n${content}\n\n`;
      const caption = table.caption ? `${convert(table.caption)}\n\n` : '';
      const rows = rowsOf(table, convert);
      const columns = Math.max(0, ...rows.map(({ length }) => length));
      const filled = rows.map((row) => Array.from({ length: columns }, (_, at) => row[at] ?? ''));
      const alignments = Array.from({ length: columns }, (_, at) => alignmentOf(table, at));
      const lines = formatTable({ indent: '', alignments, rows: filled });
      return `\n\n${caption}${lines.join('\n')}\n\n`;
    },
  };
}

/** Returns the cells as Markdown. One that spans columns or rows is followed by empty ones. */
export function rowsOf(
  table: HTMLTableElement,
  convert: (cell: HTMLElement) => string,
): string[][] {
  const rows: string[][] = Array.from(table.rows, () => []);
  for (const [at, row] of [...table.rows].entries()) {
    let column = 0;
    for (const cell of row.cells) {
      while (rows[at]?.[column] !== undefined) column++;
      const width = Math.min(cell.colSpan, MOST_SPAN);
      const height = Math.min(cell.rowSpan, MOST_SPAN);
      for (const below of rows.slice(at, at + height)) {
        for (let beside = 0; beside < width; beside++) below[column + beside] = '';
      }
      // Most cells of spreadsheets are plain, and converting thousands takes seconds.
      const isPlain = cell.firstElementChild === null;
      const text = isPlain ? (cell.textContent ?? '').replace(/\s+/g, ' ') : convert(cell);
      (rows[at] as string[])[column] = cellText(text);
    }
  }
  return rows.filter((row) => row.length > 0);
}

/** Fits a cell's Markdown into one line. */
export function cellText(markdown: string): string {
  return markdown
    .trim()
    .replace(/(?:\\|<br>)?\n\s*/g, '<br>')
    .replace(/\|/g, '\\|');
}

function alignmentOf(table: HTMLTableElement, column: number): Alignment {
  const cell = table.rows[table.rows.length > 1 ? 1 : 0]?.cells[column];
  const style = cell && /text-align:\s*(\w+)/i.exec(styleOf(cell))?.[1];
  const side = (cell?.getAttribute('align') ?? style ?? '').toLowerCase();
  return side === 'center' || side === 'right' ? side : 'none';
}
