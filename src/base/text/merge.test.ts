import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { withLineFeeds } from './line-breaks.ts';
import { merge3 } from './merge.ts';
import { threeTexts } from './texts.testing.ts';

const linesIn = (text: string) => withLineFeeds(text).split('\n');

describe('merge3', () => {
  it('takes changes of one side, and identical changes of both', () => {
    fc.assert(
      fc.property(threeTexts, ([base, text]) => {
        const none = { text, conflicts: [] };
        assert.deepEqual(merge3(base, text, base), none);
        assert.deepEqual(merge3(base, text, text), none);
        const taken = merge3(base, base, text);
        assert.deepEqual(taken.conflicts, []);
        assert.equal(withLineFeeds(taken.text), withLineFeeds(text));
      }),
    );
  });

  it('is symmetric', () => {
    fc.assert(
      fc.property(threeTexts, ([base, one, other]) => {
        const there = merge3(base, one, other);
        const back = merge3(base, other, one);
        const [text, swapped] = [there.text, back.text].map(withLineFeeds);
        if (there.conflicts.length === 0) assert.equal(text, swapped);
        assert.deepEqual(
          there.conflicts.map(({ base, current, yours }) => [base, current, yours]),
          back.conflicts.map(({ base, current, yours }) => [base, yours, current]),
        );
      }),
    );
  });

  it('loses no line of either side', () => {
    fc.assert(
      fc.property(threeTexts, ([base, current, mine]) => {
        const known = new Set(linesIn(base));
        const { text, conflicts } = merge3(base, current, mine);
        const left = new Set([linesIn(text), ...conflicts.map((each) => each.yours)].flat());
        for (const line of [...linesIn(current), ...linesIn(mine)]) {
          assert.ok(known.has(line) || left.has(line), line);
        }
      }),
    );
  });

  it('has the current lines at each conflict, at the given position', () => {
    fc.assert(
      fc.property(threeTexts, ([base, current, mine]) => {
        const { text, conflicts } = merge3(base, current, mine);
        const lines = linesIn(text);
        let last = 0;
        for (const conflict of conflicts) {
          const at = conflict.line - 1;
          assert.ok(at >= last);
          last = at + conflict.current.length;
          assert.deepEqual(lines.slice(at, last), conflict.current);
          const from = conflict.currentLine - 1;
          const there = linesIn(current).slice(from, from + conflict.current.length);
          assert.deepEqual(there, conflict.current);
          assert.notDeepEqual(conflict.current, conflict.yours);
        }
      }),
    );
  });

  it('doesn’t change lines that neither side changed', () => {
    const numbers = (value: fc.Arbitrary<string>) =>
      fc.dictionary(fc.nat(19).map(String), value, { maxKeys: 5 });
    const side = numbers(fc.constantFrom('', 'another line', 'two\nlines'));
    fc.assert(
      fc.property(side, side, (current, yours) => {
        const write = (changes: Record<string, string>) =>
          Array.from({ length: 20 }, (_, at) => changes[at] ?? `line number ${at}`).join('\n');
        const { text } = merge3(write({}), write(current), write(yours));
        const untouched = write({ ...current, ...yours })
          .split('\n')
          .filter((line) => line.startsWith('line number'));
        const lines = text.split('\n').filter((line) => untouched.includes(line));
        assert.deepEqual(lines, untouched);
      }),
    );
  });

  it('makes all changes of both sides to different lines', () => {
    const op = fc.constantFrom('keep', 'keep', 'replace', 'delete', 'insert');
    const ops = fc.array(fc.tuple(op, fc.boolean()), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(ops, (plan) => {
        /** Between any two lines that can change, one stays. */
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
    [
      'words added to the same and to other paragraphs',
      'alpha\n\nbeta\n\ngamma\n',
      'alpha by her\n\nbeta by her\n\ngamma\n',
      'alpha\n\nbeta by me\n\ngamma by me\n',
      ['beta by her', 'beta by me'],
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
      const sides = conflicts.map((each) => [each.current.join('\n'), each.yours.join('\n')]);
      assert.deepEqual(sides, [expected]);
    });
  }
});
