import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareTexts, type Row, type ShownLine } from './comparison.ts';
import { unifiedDiff } from './unified-diff.ts';

const all = { maxLength: Number.POSITIVE_INFINITY };

/** `1 a[b]c`: a line's number, and its parts with changed ones in brackets. */
function shown(line: ShownLine | undefined): string {
  if (!line) return '';
  const parts = line.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text));
  return `${line.number} ${parts.join('')}`;
}

function rowsOf(before: string, after: string): [string, string][] {
  const { groups } = compareTexts(before, after, all);
  return groups.flat().map((row) => [shown(row.before), shown(row.after)]);
}

describe('The side-by-side comparison', () => {
  it('marks changed words in paired lines', () => {
    assert.deepEqual(rowsOf('same\nthe old word here\n', 'same\nthe new word here\n'), [
      ['1 same', '1 same'],
      ['2 the [old] word here', '2 the [new] word here'],
    ]);
  });

  it('pairs lines that share words, and shows others alone', () => {
    assert.deepEqual(
      rowsOf(
        'first line stays\nlast line ends\n',
        'a new one\nfirst line stayed\nlast line ends\n',
      ),
      [
        ['', '1 [a new one]'],
        ['1 first line [stays]', '2 first line [stayed]'],
        ['2 last line ends', '3 last line ends'],
      ],
    );
    assert.deepEqual(rowsOf('one\ntwo\n', 'two\n'), [
      ['1 [one]', ''],
      ['2 two', '1 two'],
    ]);
  });

  it('omits lines far from every change', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line number ${index + 1}`);
    const changed = lines.with(4, 'x').with(29, 'y');
    const { groups, added, removed } = compareTexts(lines.join('\n'), changed.join('\n'), all);
    assert.deepEqual(
      groups.map((rows) => [rows[0]?.before?.number, rows.at(-1)?.before?.number]),
      [
        [2, 8],
        [27, 33],
      ],
    );
    assert.deepEqual([added, removed], [2, 2]);
  });

  it('shows only the changed part of a long line', () => {
    const long = 'word '.repeat(10_000);
    const [row] = compareTexts(`${long}old ${long}`, `${long}new ${long}`, all).groups.flat();
    const text = shown(row?.after);
    assert.match(text, /^1 {2}… .*word \[new\] word .* … $/);
    assert.ok(text.length < 500, text);
  });

  it('stops at its limit, and says so', () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `before ${index}`).join('\n');
    const { groups, isCut, removed } = compareTexts(before, 'after', { maxLength: 10_000 });
    assert.deepEqual([isCut, removed], [true, 5_000]);
    assert.ok(groups.flat().length < 200);
  });

  it('shows every line of the unified diff, in order, with its text', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'a', '  ', '👩‍🚀', '');
    const line = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
    const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { groups, isCut, ...counts } = compareTexts(before, after, all);
        const rows = groups.flat();
        const signs = rows.flatMap(signsOf).sort();
        const names: [string, string] = ['a', 'b'];
        const diff = unifiedDiff(before, after, { names, maxLength: Number.POSITIVE_INFINITY });
        const lines = diff.unified.split('\n').slice(2);
        const printed = lines.filter((each) => /^[-+ ]/.test(each));
        assert.deepEqual(signs, printed.sort());
        assert.deepEqual(counts, { added: diff.added, removed: diff.removed });
        assert.equal(isCut, false);
        for (const side of ['before', 'after'] as const) {
          const numbers = rows.flatMap((row) => row[side]?.number ?? []);
          assert.deepEqual(
            numbers,
            [...new Set(numbers)].sort((a, b) => a - b),
          );
        }
      }),
    );
  });
});

/** A row as a unified diff prints it. */
function signsOf({ before, after, isChanged }: Row): string[] {
  const textOf = (line: ShownLine) => line.parts.map(({ text }) => text).join('');
  if (!isChanged) return [` ${textOf(before as ShownLine)}`];
  return [...(before ? [`-${textOf(before)}`] : []), ...(after ? [`+${textOf(after)}`] : [])];
}
