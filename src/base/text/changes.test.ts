import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Change, changes } from './changes.ts';
import { lineHunks, linesWithBreaks } from './line-hunks.ts';
import { twoTexts } from './texts.testing.ts';

function applied(text: string, found: readonly Change[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, insert } of found) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

/** Changes in a readable form: removed and added text. */
const inWords = (a: string, b: string) =>
  changes(a, b).map(({ from, to, insert }) => `${a.slice(from, to)}→${insert}`);

describe('changes', () => {
  it('turn the first text into the second', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        assert.equal(applied(a, changes(a, b)), b);
        assert.equal(applied(b, changes(b, a)), a);
      }),
      { numRuns: 1000 },
    );
  });

  it('are in order and disjoint, with text between them, and none is empty', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        let last = -1;
        for (const { from, to, insert } of changes(a, b)) {
          assert.ok(last < from && from <= to && to <= a.length, `${last} ${from} ${to}`);
          assert.notEqual(a.slice(from, to), insert);
          last = to;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('between a text and itself are empty', () => {
    fc.assert(fc.property(twoTexts, ([a]) => assert.deepEqual(changes(a, a), [])));
  });

  it('are the same in every process', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        const copy = (text: string) => Buffer.from(text, 'utf16le').toString('utf16le');
        assert.deepEqual(changes(copy(a), copy(b)), changes(a, b));
      }),
    );
  });

  it('never split a surrogate pair', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        fc.pre(a.isWellFormed() && b.isWellFormed());
        for (const { from, to, insert } of changes(a, b)) {
          assert.ok(insert.isWellFormed());
          assert.ok(a.slice(0, from).isWellFormed() && a.slice(to).isWellFormed());
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('treat surrogate pairs as one character', () => {
    assert.deepEqual(inWords('alpha\u{1f600} beta', 'alpha\u{1f601} beta'), [
      '\u{1f600}→\u{1f601}',
    ]);
  });

  it('cover only white space where only that differs', () => {
    const spaces = fc.array(fc.constantFrom(' ', '\n', '\r\n', '\t\n  '), {
      minLength: 20,
      maxLength: 20,
    });
    fc.assert(
      fc.property(spaces, spaces, (one, other) => {
        const write = (each: string[]) => each.map((space, at) => `word${at}${space}`).join('');
        const a = write(one);
        for (const { from, to, insert } of changes(a, write(other))) {
          assert.equal(a.slice(from, to).trim() + insert.trim(), '');
        }
      }),
    );
  });

  it('are as small as the differing words', () => {
    assert.deepEqual(inWords('The quick brown fox.\n', 'The slow brown fox.\n'), ['quick→slow']);
    assert.deepEqual(inWords('alpha\n\nbeta\n', 'alpha by me\n\nbeta by me\n'), [
      '→ by me',
      '→ by me',
    ]);
    assert.deepEqual(inWords('One line here\nand more\n', 'One line here\nand much more\n'), [
      '→much ',
    ]);
    assert.deepEqual(inWords('Text\n', 'Text\nmore\n'), ['→more\n']);
    assert.deepEqual(inWords('  indented\n', '    indented\n'), ['→  ']);
  });

  it('ignore matches of fewer than three letters', () => {
    assert.deepEqual(inWords('We go to it.\n', 'They ran at it, a b.\n'), [
      'We go to it.→They ran at it, a b.',
    ]);
    assert.deepEqual(inWords('one sentence here.', 'other things there.'), [
      'one sentence here.→other things there.',
    ]);
    assert.deepEqual(inWords('aaaa word bbbb', 'cccc word dddd'), ['aaaa→cccc', 'bbbb→dddd']);
  });

  it('compare rewritten paragraphs separated by blank lines', () => {
    const first = 'The service keeps every text that was saved.';
    const second = 'A reader compares any two of them.';
    assert.deepEqual(
      inWords(
        `${first}\n\n${second}\n`,
        `${first.replace('every', 'each')}\n\nA new paragraph.\n\n${second.replace('any', 'some')}\n`,
      ),
      ['every→each', '→new paragraph.\n\nA ', 'any→some'],
    );
  });

  it('compare inside the lines of minified pages', () => {
    const page = (word: string) =>
      Array.from(
        { length: 200 },
        (_, at) => `<p>Number ${at} ${at === 99 ? word : 'x'} in words</p>`,
      ).join('');
    assert.deepEqual(inWords(page('before'), page('after')), ['before→after']);
  });

  it('find a change beside an image inside the text', () => {
    const page = (alt: string) =>
      `<img src="data:image/png;base64,${'Ab+/'.repeat(200_000)}" alt="${alt} sits">`;
    assert.deepEqual(inWords(page('A cat'), page('A dog')), ['cat→dog']);
  });

  it('find the few lines that changed among many', () => {
    const before = Array.from({ length: 1000 }, (_, index) => (index % 3 ? `line ${index}` : ''));
    const after = before.with(500, 'other').toSpliced(700, 0, 'new', '').toSpliced(100, 2);
    const hunks = lineHunks({
      before: before.join('\n'),
      beforeLines: before,
      after: after.join('\n'),
      afterLines: after,
    });
    assert.deepEqual(
      hunks.map(({ from, to, toFrom, toTo }) => [to - from, toTo - toFrom]),
      [
        [2, 0],
        [1, 1],
        [0, 2],
      ],
    );
  });
});

describe('Hunks of lines', () => {
  for (const [name, cut] of [
    ['without line breaks', (text: string) => text.split('\n')],
    ['with line breaks', linesWithBreaks],
  ] as const) {
    it(`are in order and separate, with equal lines between them: lines ${name}`, () => {
      fc.assert(
        fc.property(twoTexts, ([before, after]) => {
          const [a, b] = [cut(before), cut(after)];
          let [at, atTo] = [0, 0];
          const hunks = lineHunks({ before, after, beforeLines: a, afterLines: b });
          for (const hunk of [...hunks, undefined]) {
            const { from, toFrom } = hunk ?? { from: a.length, toFrom: b.length };
            if (hunk && hunk !== hunks[0]) assert.ok(from > at, 'a line lies between');
            assert.deepEqual(a.slice(at, from), b.slice(atTo, toFrom));
            if (hunk) [at, atTo] = [hunk.to, hunk.toTo];
          }
        }),
        { numRuns: 1000 },
      );
    });
  }
});
