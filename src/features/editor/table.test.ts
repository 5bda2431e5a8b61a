import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EditorState, Text, type Transaction, type TransactionSpec } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import fc from 'fast-check';
import { newChance } from '../../../test/chance.ts';
import { tableEdits } from './client/edits.ts';
import {
  addColumn,
  addRow,
  alignColumn,
  alignNext,
  cellRanges,
  formatTable,
  isDelimiterRow,
  moveColumn,
  moveRow,
  parseTable,
  removeColumn,
  removeRow,
  type Table,
  tableAround,
} from './client/table.ts';
import { newRow, nextCell, TABLE_COMMANDS } from './client/table-keys.ts';

const texts = (line: string) => cellRanges(line).map(({ from, to }) => line.slice(from, to));

/** Runs a command in a text, with the cursor after the first of some words; returns its transaction. */
function run(command: Command, doc: string, after: string): Transaction | undefined {
  const state = EditorState.create({
    doc,
    selection: { anchor: doc.indexOf(after) + after.length },
  });
  const ran: Transaction[] = [];
  const dispatch = (...specs: TransactionSpec[]) => void ran.push(state.update(...specs));
  command({ state, dispatch } as unknown as EditorView);
  return ran[0];
}

describe('A Markdown table', () => {
  it('is changed where it differs, so that what others type in a cell stays there', () => {
    const doc = '| Name  | Amount |\n| ----- | ------ |\n| Pears | twelve |\n| Figs  | three  |\n';
    const within = doc.indexOf('twelve') + 3;
    for (const [command, word] of [
      [nextCell, 'three'],
      [newRow, 'Fig'],
      [TABLE_COMMANDS.addColumn, 'Am'],
      [TABLE_COMMANDS.removeRow, 'Fig'],
    ] as const) {
      const changed = run(command as Command, doc, word);
      const at = changed?.changes.mapPos(within) ?? 0;
      const after = changed?.newDoc.replace(at, at, Text.of(['!'])).toString() ?? '';
      assert.match(after, /\| Pears \| twe!lve +\|/);
    }
  });

  it('is changed by whole cells, and stays a table where two change it at the same time', () => {
    const chance = newChance('table edits');
    const cell = () => chance.pick(['', 'a', 'b', '12', '3', 'one two', 'x \\| y', '\\']);
    const change = (table: Table) => {
      const [row, column] = [chance.below(table.rows.length), chance.below(3)];
      return chance.pick([
        () => table,
        () => addRow(table, row),
        () => removeRow(table, row),
        () => moveRow(table, row, 1 + chance.below(3)),
        () => addColumn(table, column),
        () => removeColumn(table, column),
        () => moveColumn(table, column, chance.below(3)),
      ])();
    };
    for (let round = 0; round < 2_000; round++) {
      const rows = Array.from({ length: 3 }, () => Array.from({ length: 3 }, cell));
      const lines = [
        '| Aa | Bb | Cc |',
        '|:-:|---|-:|',
        ...rows.map((row) => `| ${row.join(' | ')} |`),
      ];
      const doc = lines.join('\n');
      const state = EditorState.create({ doc });
      const edit = (after: string[]) =>
        state.changes(tableEdits(state, { from: 0, to: doc.length }, after));
      const table = parseTable(lines);
      const changed = change(table);
      const after = formatTable(changed);
      const mine = edit(after);
      assert.equal(mine.apply(state.doc).toString(), after.join('\n'));
      // Somebody else types, or adds a row, too.
      const isAdded = changed.rows.length > table.rows.length || changed === table;
      const at = doc.search(/[ab]/) + chance.below(2);
      const typed = state.changes({ from: at, insert: 'xyz' });
      const theirs = isAdded ? edit(formatTable(addRow(table, chance.below(4)))) : typed;
      const both = mine.compose(theirs.map(mine)).apply(state.doc).toString().split('\n');
      assert.ok(isDelimiterRow(both[1] ?? ''), both.join('\n'));
      const widths = new Set(both.map((line) => cellRanges(line).length));
      assert.equal(widths.size, 1, `${doc}\n\n${after.join('\n')}\n\n${both.join('\n')}`);
    }
  });

  it('has cells with or without outer pipes, and escaped pipes', () => {
    assert.deepEqual(texts('| a | b |'), ['a', 'b']);
    assert.deepEqual(texts('a | b'), ['a', 'b']);
    assert.deepEqual(texts('| a \\| b | c |'), ['a \\| b', 'c']);
    assert.deepEqual(texts('|  |  |'), ['', '']);
    assert.deepEqual(texts('| a |   '), ['a']);
  });

  it('is recognized by its delimiter row', () => {
    for (const line of ['| --- |', '|:-:|--:|', '--- | ---']) assert.ok(isDelimiterRow(line), line);
    for (const line of ['---', '| a |', '| -- a |', '']) assert.ok(!isDelimiterRow(line), line);
    const lines = ['Text', '| a |', '| - |', '| 1 |', '', '| no table |'];
    const lineAt = (number: number) => lines[number - 1];
    assert.deepEqual(tableAround(lineAt, 4), { first: 2, last: 4 });
    assert.equal(tableAround(lineAt, 1), undefined);
    assert.equal(tableAround(lineAt, 6), undefined);
  });

  it('is written in aligned columns', () => {
    const table = parseTable(['|a|b|c|', '|:-|:-:|-:|', '|long|1|2|', '|x|']);
    assert.deepEqual(formatTable(table), [
      '| a    |  b  |   c |',
      '| :--- | :-: | --: |',
      '| long |  1  |   2 |',
      '| x    |     |     |',
    ]);
  });

  it('stays in its list', () => {
    const table = parseTable(['  |a|b|', '  |-|-|', '  |1|2|']);
    const all = [table, alignNext(table, 0), addColumn(table, 0), removeColumn(table, 0)];
    for (const line of all.flatMap(formatTable)) assert.match(line, /^ {2}\| /);
    assert.deepEqual(parseTable(formatTable(table)), table);
  });

  it('stays in its quote or list item, also if it begins there', () => {
    const tables = [
      ['> |a|b|', '> |-|-|', '> |1|2|'],
      ['> - |a|b|', '>   |-|-|', '>   |1|2|'],
      ['1. |a|b|', '   |-|-|', '   |1|2|'],
    ];
    for (const lines of tables) {
      const written = formatTable(parseTable(lines));
      const prefixes = written.map((line) => line.slice(0, line.indexOf('|')));
      assert.deepEqual(
        prefixes,
        lines.map((line) => line.slice(0, line.indexOf('|'))),
      );
      assert.deepEqual(formatTable(parseTable(written)), written);
      const lineAt = (number: number) => lines[number - 1];
      for (const number of [1, 2, 3]) {
        assert.deepEqual(tableAround(lineAt, number), { first: 1, last: 3 });
      }
    }
  });

  it('ends where another block begins, and doesn’t begin with the paragraph above', () => {
    const cases: [lines: string[], number: number, expected: [number, number] | undefined][] = [
      [['x | y', '| a |', '| - |', '| 1 |'], 4, [2, 4]],
      [['x | y', '| a |', '| - |', '| 1 |'], 1, undefined],
      [['| a |', '| - |', '> | 1 |'], 1, [1, 2]],
      [['| a |', '| - |', '> | 1 |'], 3, undefined],
      [['| a |', '| - |', '- | 1 |'], 3, undefined],
      [['- | a |', '|---|'], 1, undefined],
      [['| a |', '- | -'], 1, undefined],
      [['| a |', '| - |', '| - |', '| 1 |'], 4, [1, 4]],
      [['> | a |', '| - |'], 1, undefined],
    ];
    for (const [lines, number, expected] of cases) {
      const found = tableAround((at) => lines[at - 1], number);
      assert.deepEqual(found && [found.first, found.last], expected, lines.join(' / '));
    }
  });

  it('counts wide characters as two and marks as none', () => {
    const [, , row] = formatTable(parseTable(['|四字|b|', '|-|-|', '|e\u0301|b|']));
    assert.equal(row, '| e\u0301    | b   |');
  });

  it('doesn’t change when it is written twice', () => {
    const cell = fc.stringMatching(/^[a-z \\|*四]{0,8}$/).map((text) => text.replace(/\\|\|/g, ''));
    const row = fc.array(cell, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
        const delimiter = `|${rows[0]?.map(() => '---|').join('')}`;
        const once = formatTable(parseTable([lines[0] ?? '', delimiter, ...lines.slice(1)]));
        assert.deepEqual(formatTable(parseTable(once)), once);
      }),
    );
  });

  it('can align, add and remove columns, except the last one', () => {
    const table = parseTable(['|a|b|', '|-|-|']);
    let aligned = table;
    const seen = [];
    for (let use = 0; use < 4; use++) {
      aligned = alignNext(aligned, 1);
      seen.push(aligned.alignments[1]);
    }
    assert.deepEqual(seen, ['left', 'center', 'right', 'none']);
    assert.deepEqual(addColumn(table, 0).rows, [['a', '', 'b']]);
    assert.deepEqual(removeColumn(table, 0).rows, [['b']]);
    const single = removeColumn(table, 0);
    assert.deepEqual(removeColumn(single, 0), single);
    assert.deepEqual(removeRow(table, 0), table);
    const longer = { ...table, rows: [...table.rows, ['c', 'd']] };
    assert.deepEqual(removeRow(longer, 1), table);
  });

  it('gets rows, and moves rows and columns; the header stays the header', () => {
    const table = parseTable(['| a | b |', '| - | -: |', '| 1 | 2 |', '| 3 | 4 |']);
    const texts = (changed: typeof table) => changed.rows.map((row) => row.join(''));
    assert.deepEqual(texts(addRow(table, 0)), ['ab', '', '12', '34']);
    assert.deepEqual(texts(moveRow(table, 1, 2)), ['ab', '34', '12']);
    for (const [row, to] of [
      [0, 1],
      [1, 0],
      [2, 3],
    ] as const) {
      assert.equal(moveRow(table, row, to), table);
    }
    const moved = moveColumn(table, 0, 1);
    assert.deepEqual(
      [texts(moved), moved.alignments],
      [
        ['ba', '21', '43'],
        ['right', 'none'],
      ],
    );
    assert.equal(moveColumn(table, 1, 2), table);
    assert.deepEqual(alignColumn(table, 0, 'center').alignments, ['center', 'right']);
  });
});
