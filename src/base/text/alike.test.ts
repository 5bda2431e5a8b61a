import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
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
    const everywhere = edited([{ op: 'replace', old: '3-5', new: 'x', all: true }]);
    assert.equal('problem' in everywhere && everywhere.problem, 'not-found');
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
      assert.ok(performance.now() - start < 8_000, words.slice(0, 20));
    }
  });
});
