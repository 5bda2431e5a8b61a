import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { newChance } from '../../../test/chance.ts';
import { findAlike, fold } from './alike.ts';
import { applyEdits, type Edit } from './edits.ts';
import { findPlaces } from './find.ts';

/** A text, the passage that is searched, and what is taken of the text; `undefined` for nothing. */
const CASES: [text: string, passage: string, taken: string | undefined][] = [
  ['He said “yes” twice.', 'said "yes"', 'said “yes”'],
  ['it’s here', "it's", 'it’s'],
  ["it's here", 'it’s', "it's"],
  ['« oui »', '" oui "', '« oui »'],
  ['pages 3–5', 'pages 3-5', 'pages 3–5'],
  ['pages 3-5', 'pages 3—5', 'pages 3-5'],
  ['wait … no', 'wait ... no', 'wait … no'],
  ['10\u00a0km', '10 km', '10\u00a0km'],
  ['one  two', 'one two', 'one  two'],
  ['one\ttwo', 'one two', 'one\ttwo'],
  ['one two', 'one\u00a0\u00a0two', 'one two'],
  ['a  \nb', 'a\nb', 'a  \nb'],
  ['a\nb', 'a  \nb', 'a\nb'],
  ['a\r\nb', 'a\nb', 'a\r\nb'],
  ['\tif x:\n\t\ty', '  if x:\n    y', '\tif x:\n\t\ty'],
  ['caf\u00e9', 'cafe\u0301', 'caf\u00e9'],
  ['cafe\u0301 au lait', 'caf\u00e9', 'cafe\u0301'],
  ['\ud55c\uae00', '\ud55c\uae00'.normalize('NFD'), '\ud55c\uae00'],
  ['\ud55c\uae00'.normalize('NFD'), '\ud55c\uae00', '\ud55c\uae00'.normalize('NFD')],
  ['soft\u00adhyphen', 'softhyphen', 'soft\u00adhyphen'],
  ['zero\u200bwidth', 'zerowidth', 'zero\u200bwidth'],
  ['warn \u26a0\ufe0f now', 'warn \u26a0 now', 'warn \u26a0\ufe0f now'],
  ['warn \u26a0 now', 'warn \u26a0\ufe0f now', 'warn \u26a0 now'],
  ['a \u2714\ufe0e', 'a \u2714', 'a \u2714\ufe0e'],
  ['a 1\ufe0f\u20e3 b', 'a 1\u20e3 b', 'a 1\ufe0f\u20e3 b'],
  ['“a” and “a”', '"a"', undefined],
  ['…', '..', undefined],
  ['Cafe', 'cafe', undefined],
  ['i-', 'i--', undefined],
  ['`x`', "'x'", undefined],
  ['a\n\nb', 'a\nb', undefined],
  ['a b', 'ab', undefined],
  ['text', ' \u00a0', undefined],
  ['text', '\u200b', undefined],
  ['x “y” z “w”', 'x "y" z "w"', 'x “y” z “w”'],
];

describe('A passage that is written alike', () => {
  it('is found if it is the only one', () => {
    for (const [text, passage, taken] of CASES) {
      const found = findAlike(text, passage);
      const what = `${JSON.stringify(passage)} in ${JSON.stringify(text)}`;
      assert.equal(found && text.slice(found.start, found.end), taken, what);
    }
  });

  it('has the source of each unit', () => {
    const source = 'a…\u00a0 b\u200bc\r\nd';
    const folded = fold(source);
    assert.equal(folded.text, 'a... bc\nd');
    const parts = [...folded.text].map((_, index) => {
      const { start, end } = folded.sourceOf(index);
      return source.slice(start, end);
    });
    assert.deepEqual(parts, ['a', '…', '…', '…', '\u00a0 ', 'b', 'c', '\r\n', 'd']);
  });

  it('is edited, and the result says so', () => {
    const text = '# It’s “done”\n\nPages 3–5.\n';
    const edited = (edits: Edit[]) => applyEdits(text, edits);
    assert.deepEqual(edited([{ op: 'replace', old: 'Pages 3-5', new: 'Page 3' }]), {
      text: '# It’s “done”\n\nPage 3.\n',
      notes: [{ index: 0, note: 'alike', line: 3 }],
    });
    assert.deepEqual(
      edited([
        { op: 'append', content: 'End.\n' },
        { op: 'insert', after: 'It\'s "done"', content: '!' },
      ]),
      {
        text: '# It’s “done”!\n\nPages 3–5.\nEnd.\n',
        notes: [{ index: 1, note: 'alike', line: 1 }],
      },
    );
  });

  it('changes only in what differs between old and new', () => {
    const cases: [text: string, old: string, by: string, after: string][] = [
      [
        'She said, “Hello.” He’s fine.',
        'said, "Hello."',
        'said, "Hi there."',
        'She said, “Hi there.” He’s fine.',
      ],
      [
        'It’s the team’s plan.',
        "It's the team's plan.",
        "It's the team's new plan.",
        'It’s the team’s new plan.',
      ],
      ['range 3–5 … done', 'range 3-5 ... done', 'range 3-6 ... done', 'range 3–6 … done'],
      ['“A” – “B”', '"A" - "B"', '"A" - "C"', '“A” – “C”'],
      [
        're\u0301sume\u0301 a\u200bb',
        'r\u00e9sum\u00e9 ab',
        'r\u00e9sum\u00e9, ab!',
        're\u0301sume\u0301, a\u200bb!',
      ],
      ['x\u00a0y\tz', 'x y z', 'x y! z', 'x\u00a0y!\tz'],
      ['a  \nb', 'a\nb', 'ac\nb', 'ac  \nb'],
      ['a\r\n“b”', 'a\n"b"', 'A\n"b"', 'A\r\n“b”'],
      ['\u26a0\ufe0f now', '\u26a0 now', '\u26a0 later', '\u26a0\ufe0f later'],
      ['\u26a0\ufe0f now', '\u26a0', '!', '! now'],
      ['wait … no', 'wait ... no', 'wait .. no', 'wait .. no'],
      ['“a” b', '"a"', '“c”', '“c” b'],
      ['“a” “b”', '"a" "b"', '"x" "a" "b"', '“x” “a” “b”'],
      ['„a“ b', '"a" b', '"x" "a" b', '„x“ „a“ b'],
      ['“Hello.”', '"Hello."', '"Hello" and "Bye."', '“Hello” and “Bye.”'],
      ['“o”\n“p”', '"o"\n"p"', '"n"\n"o"\n"p"', '“n”\n“o”\n“p”'],
      ['‘don’t’ x', "'don't' x", "'x' 'don't' x", '‘x’ ‘don’t’ x'],
      ['"a"\tb', '“a” b', '“x” “a” b', '"x" "a"\tb'],
      ['‘no’ — twice', "'no' - twice", "'no' -- thrice", '‘no’ -- thrice'],
      ['a – b', 'a - b', 'a --- b', 'a --- b'],
      ['a – b – c', 'a - b - c', 'a - b -- c', 'a – b -- c'],
      ['wait…', 'wait...', 'wait....', 'wait....'],
      ['‘no’', "'no'", "''no''", "''no''"],
      ['a—b', 'a-b', 'a->b', 'a—>b'],
    ];
    for (const [text, old, by, after] of cases) {
      for (const all of [false, true]) {
        const result = applyEdits(text, [{ op: 'replace', old, new: by, all }]);
        assert.equal('text' in result && result.text, after, JSON.stringify([text, old, by]));
      }
    }
    const all = applyEdits('it’s, it’s', [
      { op: 'replace', old: "it's", new: "it's not", all: true },
    ]);
    assert.deepEqual(all, {
      text: 'it’s not, it’s not',
      notes: [{ index: 0, note: 'alike', line: 1 }],
    });
  });

  it('keeps every sign outside of the difference', () => {
    const chance = newChance('differences');
    const signs = [
      'a',
      'b',
      ' ',
      '\n',
      '“',
      '”',
      '’',
      '–',
      '…',
      '\u00a0',
      'e\u0301',
      '\u26a0\ufe0f',
      '# ',
      '- ',
      'word',
    ];
    const draw = (count: number) => Array.from({ length: count }, () => chance.pick(signs));
    for (let run = 0; run < 2_000; run++) {
      const [head, middle, tail] = [draw(8), draw(3), draw(8)].map(
        (each) => `x${each.join('')}x`,
      ) as [string, string, string];
      const plain = (text: string) => fold(text).text;
      const text = head + middle + tail;
      const by = `y${plain(draw(3).join(''))}y`;
      const old = plain(text);
      const result = applyEdits(text, [
        { op: 'replace', old, new: plain(head) + by + plain(tail) },
      ]);
      const made = 'text' in result ? result.text : '';
      const what = JSON.stringify([text, old, by, made]);
      assert.equal(plain(made), plain(head + by + tail), what);
      if (old !== text)
        assert.ok(made.startsWith(head.slice(0, -1)) && made.endsWith(tail.slice(1)), what);
    }
  });
});

describe('Words in a text', () => {
  it('are found with their lines', () => {
    const text = 'One fox.\nNo.\nA “Fox” and a FOX, İfox.\n';
    const all = { start: 0, end: text.length };
    assert.deepEqual(findPlaces(text, 'fox', all, 20), {
      places: [
        { line: 1, column: 5, text: 'One fox.' },
        { line: 3, column: 4, text: 'A “Fox” and a FOX, İfox.' },
      ],
      count: 2,
      next: null,
    });
    assert.deepEqual(findPlaces(text, ' "fox" ', all, 20).places[0]?.line, 3);
    assert.deepEqual(findPlaces(text, 'fox', { start: 9, end: text.length }, 20).count, 1);
    assert.deepEqual(findPlaces(text, 'cat', all, 20), { places: [], count: 0, next: null });
    const first = findPlaces(text, 'fox', all, 1);
    assert.deepEqual([first.places.length, first.next], [1, { line: 3, column: 4 }]);
  });

  it('are found in long lines, with what is around them', () => {
    const text = `${'x '.repeat(200)}needle${' y'.repeat(500)} needle`;
    const { places, count } = findPlaces(text, 'NEEDLE', { start: 0, end: text.length }, 9);
    assert.equal(count, 2);
    assert.match(places[0]?.text ?? '', /^….*x needle y .*…$/);
    assert.match(places[1]?.text ?? '', /^….* y needle$/);
    assert.equal(places[1]?.column, 1 + 400 + 6 + 1000 + 1);
  });

  it('are found in a large page within seconds', () => {
    const page = '<p>a<b>a</b>&nbsp;a</p>'.repeat(200_000);
    for (const words of ['aa a', 'a'.repeat(500)]) {
      const start = performance.now();
      findPlaces(page, words, { start: 0, end: page.length }, 20, 'page');
      assert.ok(performance.now() - start < 30_000, words.slice(0, 20));
    }
  });
});
