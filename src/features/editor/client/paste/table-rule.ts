import type { Rule } from 'turndown';
import { type Alignment, formatTable } from '../table.ts';

/** Elements that a Markdown cell can't contain. Tables with them are layout. */
const BLOCKS = 'table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6, hr';
const MOST_SPAN = 100;

/** Converts data tables to GFM, and shows the content of other tables one below the other. */
export function tableRule(convert: (cell: HTMLElement) => string): Rule {
  return {
    filter: 'table',
    replacement(content, node) {
      const table = node as HTMLTableElement;
      const caption = table.caption ? `${convert(table.caption)}\n\n` : '';
      const rows = rowsOf(table, convert);
      const columns = Math.max(0, ...rows.map(({ length }) => length));
      if (columns < 2 || rows.length < 2 || table.querySelector(BLOCKS))
        return `\n\n${content}\n\n`;
      const filled = rows.map((row) => Array.from({ length: columns }, (_, at) => row[at] ?? ''));
      const alignments = Array.from({ length: columns }, (_, at) => alignmentOf(table, at));
      const lines = formatTable({ indent: '', alignments, rows: filled });
      return `\n\n${caption}${lines.join('\n')}\n\n`;
    },
  };
}

/** Returns the cells as Markdown. One that spans columns or rows is followed by empty ones. */
function rowsOf(table: HTMLTableElement, convert: (cell: HTMLElement) => string): string[][] {
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
      (rows[at] as string[])[column] = textOf(convert(cell));
    }
  }
  return rows.filter((row) => row.length > 0);
}

function textOf(markdown: string): string {
  return markdown
    .trim()
    .replace(/\\?\n\s*/g, '<br>')
    .replace(/(?<!\\)\|/g, '\\|');
}

function alignmentOf(table: HTMLTableElement, column: number): Alignment {
  const cell = table.rows[table.rows.length > 1 ? 1 : 0]?.cells[column];
  const style = /text-align:\s*(\w+)/i.exec(cell?.getAttribute('data-style') ?? '')?.[1];
  const side = (cell?.getAttribute('align') ?? style ?? '').toLowerCase();
  return side === 'center' || side === 'right' ? side : 'none';
}
