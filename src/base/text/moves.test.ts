import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { merge3 } from './merge.ts';
import { inOrderOf, passagesOf } from './moves.ts';
import { checkHistories, checkMerges, EDITS, MOVES } from './moving-texts.testing.ts';

describe('Passages of a text', () => {
  it('are sentences, lines and texts of elements', () => {
    const words = (text: string) => passagesOf(text).map((passage) => passage.words);
    assert.deepEqual(
      words('# Title\n\nOne is here. Two!\n\n- [ ] call\n1. buy e.g. it\n---\n}\n| | |\n'),
      ['Title', 'One is here', 'Two', 'call', 'buy e.g', 'it'],
    );
    assert.deepEqual(words('<p>One</p><p>Two</p>'), ['One', 'Two']);
    assert.deepEqual(words('一つ目です。二つ目です。'), ['一つ目です', '二つ目です']);
    assert.deepEqual(words('\n---\n'), []);
  });

  it('are put in the order of another text', () => {
    for (const [before, after, inOrder] of [
      ['One a.\n\nTwo b.\n', 'Two b.\n\nOne a.\n', 'Two b.\nOne a.\n\n'],
      ['- call them\n- buy it\n- go', '- go\n- call them\n- buy it', '- go- call them\n- buy it\n'],
      ['One a. Two b. Three c.', 'Two b. One a. Three c.', 'Two b. One a. Three c.'],
      [
        'One two three four.\nOther.\n',
        'Other.\nOne two 3 four.\n',
        'Other.\nOne two three four.\n',
      ],
      [
        '| a | b |\n|---|---|\n| one | 1 |\n| two | 2 |\n',
        '| a | b |\n|---|---|\n| two | 2 |\n| one | 1 |\n',
        '| a | b |\n|---|---|\n| two | 2 |\n| one | 1 |\n',
      ],
      [
        'a | b\n--|--\none | 1\ntwo | 2\n\na | b\n--|--\nsix | 6\n',
        'a | b\n--|--\ntwo | 2\n\na | b\n--|--\none | 1\nsix | 6\n',
        'a | b\n--|--\ntwo | 2\n\na | b\n--|--\none | 1\nsix | 6\n',
      ],
      [
        '- [ ] call them\n- [ ] buy it\n',
        '- [x] buy it\n- [ ] call them\n',
        '- [ ] buy it\n- [ ] call them\n',
      ],
      ['One.\n---\nTwo.\n---\n', 'One.\nTwo.\n', 'One.\n---\nTwo.\n---\n'],
    ] as const) {
      const ranges = inOrderOf(before, after);
      assert.equal(ranges.map(({ start, end }) => before.slice(start, end)).join(''), inOrder);
    }
  });
});

describe('A moved passage', () => {
  it('keeps its authors, in random histories', () => {
    checkHistories('moves', 30);
    checkHistories('edits', 15, EDITS);
  });

  it('is never lost, doubled or glued, in random merges', () => {
    checkMerges('edits against edits', 100, [EDITS, EDITS]);
    checkMerges('edits against moves', 200, [EDITS, MOVES]);
    checkMerges('moves against moves', 200, [MOVES, MOVES]);
  });

  const [A, B, C, D] = [
    'Alpha comes first.',
    'Beta follows it.',
    'Gamma is third.',
    'Delta ends it.',
  ];
  const lines = (...all: (string | undefined)[]) => `${all.join('\n\n')}\n`;
  const base = lines(A, B, C, D);
  for (const [name, one, other, expected] of [
    ['both moved it to different places', lines(B, A, C, D), lines(B, C, A, D), null],
    ['one also changed a word', lines(B, 'Alpha was first.', C, D), lines(B, C, A, D), null],
    ['one deleted it', lines(B, C, D), lines(B, C, A, D), null],
    ['one changed a word of it', lines('Alpha was first.', B, C, D), lines(B, C, D, A), null],
    [
      'both moved it to one place',
      lines(B, C, A, D),
      lines(B, C, A, 'Delta'),
      lines(B, C, A, 'Delta'),
    ],
    ['the other moved another', lines(B, A, C, D), lines(A, B, D, C), lines(B, A, D, C)],
    [
      'the other changed others',
      lines(B, C, D, A),
      lines(A, B, C, 'Delta!'),
      lines(B, C, 'Delta!', A),
    ],
  ] as const) {
    it(`is merged where ${name}: ${expected === null ? 'a conflict' : 'merged'}`, () => {
      for (const [current, yours] of [
        [one, other],
        [other, one],
      ] as const) {
        const { text, conflicts } = merge3(base, current, yours);
        assert.equal(text, expected ?? current);
        assert.equal(conflicts.length > 0, expected === null);
      }
    });
  }

  it('is a conflict within one line, too, and in a page', () => {
    const element = (text: string | undefined) => `<li>${text}</li>`;
    for (const join of [
      (all: (string | undefined)[]) => `${all.join(' ')}\n`,
      (all: (string | undefined)[]) => `<ul>${all.map(element).join('')}</ul>`,
      (all: (string | undefined)[]) => `<ul>\n${all.map(element).join('\n')}\n</ul>\n`,
    ]) {
      const moved = join([B, A, C, D]);
      for (const other of [join([B, C, A, D]), join([B, C, D])]) {
        const { text, conflicts } = merge3(join([A, B, C, D]), moved, other);
        assert.equal(text, moved);
        assert.ok(conflicts.length > 0);
      }
    }
  });

  it('is none if it is only signs, or there are several', () => {
    for (const line of ['---', '}', '| | |', '- the same']) {
      const before = lines(A, line, B, line, C, line, D);
      const [one, other] = [lines(A, B, line, C, line, D, line), lines(A, line, B, C, line, D)];
      for (const [current, yours] of [
        [one, other],
        [other, one],
      ] as const) {
        assert.deepEqual(merge3(before, current, yours).conflicts, []);
      }
    }
  });
});
