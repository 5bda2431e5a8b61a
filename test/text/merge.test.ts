import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { changesBetween, diffLines } from '../../src/text/line-diff.ts';
import { merge3 } from '../../src/text/merge.ts';

/** Few different lines, so that many are the same. */
const someText = fc
  .array(fc.constantFrom('', 'a', 'b', 'c', 'd', '\r', '# e'), { maxLength: 30 })
  .map((lines) => lines.join('\n'));

/** A text and one made of it, as people change texts: most of it stays. */
const changed = (text: string) =>
  fc
    .array(fc.tuple(fc.nat(40), fc.nat(3), fc.array(fc.constantFrom('', 'a', 'x', 'y'))), {
      maxLength: 4,
    })
    .map((edits) => {
      const lines = text.split('\n');
      for (const [at, removed, added] of edits) {
        lines.splice(at % (lines.length + 1), removed, ...added);
      }
      return lines.join('\n');
    });
const threeTexts = someText.chain((base) =>
  fc.tuple(fc.constant(base), fc.oneof(changed(base), someText), fc.oneof(changed(base), someText)),
);

function applied(text: string, changes: ReturnType<typeof changesBetween>): string {
  let result = '';
  let at = 0;
  for (const { from, to, insert } of changes) {
    assert.ok(at <= from && from <= to && to <= text.length);
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

describe('The diff by line', () => {
  it('gives hunks that are in order and apart, with equal lines between them', () => {
    fc.assert(
      fc.property(threeTexts, ([before, after]) => {
        const [a, b] = [before.split('\n'), after.split('\n')];
        let [at, atTo] = [0, 0];
        for (const hunk of [...diffLines(a, b), undefined]) {
          const { from, toFrom } = hunk ?? { from: a.length, toFrom: b.length };
          if (hunk && at > 0) assert.ok(from > at, 'a line lies between');
          assert.deepEqual(a.slice(at, from), b.slice(atTo, toFrom));
          if (hunk) [at, atTo] = [hunk.to, hunk.toTo];
        }
      }),
    );
  });

  it('gives changes of characters that make one text of the other', () => {
    fc.assert(
      fc.property(threeTexts, ([before, after]) => {
        assert.equal(applied(before, changesBetween(before, after)), after);
        assert.deepEqual(changesBetween(after, after), []);
      }),
    );
  });

  it('finds the few lines that changed', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => (index % 3 ? `line ${index}` : ''));
    const after = lines.with(500, 'other').toSpliced(700, 0, 'new', '').toSpliced(100, 2);
    assert.deepEqual(
      diffLines(lines, after).map(({ from, to, toFrom, toTo }) => [to - from, toTo - toFrom]),
      [
        [2, 0],
        [1, 1],
        [0, 2],
      ],
    );
  });
});

describe('merge3', () => {
  it('takes what one side changed, and what both changed alike', () => {
    fc.assert(
      fc.property(threeTexts, ([base, text]) => {
        const none = { text, conflicts: [] };
        assert.deepEqual(merge3(base, text, base), none);
        assert.deepEqual(merge3(base, base, text), none);
        assert.deepEqual(merge3(base, text, text), none);
      }),
    );
  });

  it('comes to the same whichever side is which', () => {
    fc.assert(
      fc.property(threeTexts, ([base, one, other]) => {
        const there = merge3(base, one, other);
        const back = merge3(base, other, one);
        if (there.conflicts.length === 0) assert.equal(there.text, back.text);
        assert.deepEqual(
          there.conflicts.map(({ base, current, mine }) => ({ base, current, mine })),
          back.conflicts.map(({ base, current, mine }) => ({ base, current: mine, mine: current })),
        );
      }),
    );
  });

  it('loses no line that either side wrote', () => {
    fc.assert(
      fc.property(threeTexts, ([base, current, mine]) => {
        const known = new Set(base.split('\n'));
        const { text, conflicts } = merge3(base, current, mine);
        const left = new Set([text.split('\n'), ...conflicts.map((each) => each.mine)].flat());
        for (const line of [...current.split('\n'), ...mine.split('\n')]) {
          assert.ok(known.has(line) || left.has(line), line);
        }
      }),
    );
  });

  it('has at each conflict the lines of the current text, where it says', () => {
    fc.assert(
      fc.property(threeTexts, ([base, current, mine]) => {
        const { text, conflicts } = merge3(base, current, mine);
        const lines = text.split('\n');
        let last = 0;
        for (const conflict of conflicts) {
          assert.ok(conflict.line >= last);
          last = conflict.line + conflict.current.length;
          assert.deepEqual(lines.slice(conflict.line, last), conflict.current);
          assert.notDeepEqual(conflict.current, conflict.mine);
        }
      }),
    );
  });

  it('makes every change of either side where they are of different lines', () => {
    const op = fc.constantFrom('keep', 'keep', 'replace', 'delete', 'insert');
    const ops = fc.array(fc.tuple(op, fc.boolean()), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(ops, (plan) => {
        /** Between any two lines that may change there is one that stays. */
        const write = (isMine: (flag: boolean) => boolean) =>
          plan
            .flatMap(([what, flag], index) => {
              const line = `line ${index}`;
              const stays = `stays ${index}`;
              if (!isMine(flag) || what === 'keep') return [line, stays];
              if (what === 'delete') return [stays];
              if (what === 'insert') return [line, `new ${index}`, stays];
              return [`other ${index}`, stays];
            })
            .join('\n');
        const base = write(() => false);
        const [current, mine] = [write((flag) => flag), write((flag) => !flag)];
        const both = { text: write(() => true), conflicts: [] };
        assert.deepEqual(merge3(base, current, mine), both);
        assert.deepEqual(merge3(base, mine, current), both);
      }),
    );
  });

  const cases: [string, string, string, string, string | [string, string]][] = [
    [
      'a change of line 1 and an appended line',
      'one\ntwo',
      'ONE\ntwo',
      'one\ntwo\nthree',
      'ONE\ntwo\nthree',
    ],
    ['neighbouring lines', 'one\ntwo\n', 'ONE\ntwo\n', 'one\nTWO\n', 'ONE\nTWO\n'],
    [
      'a change and an insertion behind it',
      'one\ntwo\n',
      'ONE\ntwo\n',
      'one\nnew\ntwo\n',
      'ONE\nnew\ntwo\n',
    ],
    [
      'a change and an insertion before it',
      'one\ntwo\n',
      'one\nTWO\n',
      'one\nnew\ntwo\n',
      'one\nnew\nTWO\n',
    ],
    ['the same addition', 'one\n', 'one\ntwo\n', 'one\ntwo\n', 'one\ntwo\n'],
    ['an empty text that both filled alike', '', 'x', 'x', 'x'],
    ['the same line', 'one\ntwo\n', 'ONE\ntwo\n', 'Uno\ntwo\n', ['ONE', 'Uno']],
    ['two additions at one point', 'one\n', 'one\ntwo\n', 'one\nthree\n', ['two', 'three']],
    ['a deletion and a change in it', 'a\nb\nc\nd', 'a\nd', 'a\nb\nC\nd', ['', 'b\nC']],
    ['a deletion and an insertion in it', 'a\nb\nc\nd', 'a\nd', 'a\nb\nx\nc\nd', ['', 'b\nx\nc']],
  ];
  for (const [name, base, current, mine, expected] of cases) {
    it(`${name}: ${typeof expected === 'string' ? 'merged' : 'a conflict'}`, () => {
      const { text, conflicts } = merge3(base, current, mine);
      if (typeof expected === 'string') {
        assert.deepEqual([text, conflicts], [expected, []]);
        return;
      }
      const sides = conflicts.map((each) => [each.current.join('\n'), each.mine.join('\n')]);
      assert.deepEqual(sides, [expected]);
    });
  }
});

/** Texts of as many characters as a brief may have bytes. */
const LENGTH = 900 * 1024;
const repeated = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);
const numberedLines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** Long enough for the slowest machine; what is not bounded takes minutes. */
const PATIENCE_MS = 10_000;

for (const [name, base, current, mine] of [
  ['line breaks alone', '\n'.repeat(LENGTH), '\n'.repeat(LENGTH / 2), `x${'\n'.repeat(LENGTH)}`],
  ['two lines in turns', repeated('a\nb\n'), repeated('b\na\n'), repeated('a\na\nb\n')],
  [
    'unique lines in another order',
    numberedLines(150_000, (index) => `${index}`),
    numberedLines(150_000, (index) => `${150_000 - index}`),
    numberedLines(150_000, (index) => `${(index * 7919) % 150_000}`),
  ],
  [
    'many gaps that have no anchors',
    numberedLines(200_000, (index) => (index % 9 ? `${index % 3}` : `u${index}`)),
    numberedLines(200_000, (index) => (index % 9 ? `${(index * index) % 3}` : `u${index}`)),
    numberedLines(200_000, (index) => (index % 9 ? `${(index * 7) % 4}` : `u${index}`)),
  ],
  [
    'anchors within anchors',
    numberedLines(150_000, (index) => `${index >> 1}`),
    numberedLines(150_000, (index) => `${(150_000 - index) >> 1}`),
    numberedLines(150_000, (index) => `${index % 75_000}`),
  ],
  ['one line', repeated('a'), repeated('b'), repeated('c')],
] as const) {
  test(`a hostile text of 900 KB is merged in bounded time: ${name}`, () => {
    const start = performance.now();
    merge3(base, current, mine);
    const took = performance.now() - start;
    assert.ok(took < PATIENCE_MS, `${took} ms`);
  });
}
