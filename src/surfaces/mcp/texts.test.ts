import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findSection, outlineOf, shortOutline } from '../../base/text/sections.ts';
import { excerpt } from './excerpt.ts';
import { documentUri, parseDocumentUri } from './uri.ts';

const START = { line: 1, column: 1 };

/** Texts of many short lines, with characters of one to four bytes. */
const text = fc.string({
  unit: fc.constantFrom('a', '\n', 'é', '€', '😀', ' ', '#'),
  maxLength: 80,
});

describe('A part of a text', () => {
  it('parts of any size add up to the whole', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 40 }), (whole, maxBytes) => {
        let read = '';
        for (let place: typeof START | null = START; place; ) {
          const part = excerpt(whole, place, Number.MAX_SAFE_INTEGER, maxBytes);
          assert.ok(part);
          assert.ok(Buffer.byteLength(part.content) <= maxBytes);
          assert.ok(part.content.isWellFormed());
          assert.equal(part.fromLine, place.line);
          read += part.content;
          assert.ok(read.length <= whole.length);
          place = part.next;
        }
        assert.equal(read, whole);
      }),
    );
  });

  it('lines are counted as in an editor, and a start past the end returns nothing', () => {
    const lines = (from: number, to: number) =>
      excerpt('a\nbb\nccc\n', { line: from, column: 1 }, to, 99);
    assert.deepEqual(lines(2, 2), {
      content: 'bb\n',
      fromLine: 2,
      toLine: 2,
      totalLines: 3,
      next: null,
    });
    assert.equal(lines(2, 99)?.content, 'bb\nccc\n');
    assert.equal(lines(4, 4), undefined);
    assert.equal(excerpt('ab\nc', { line: 1, column: 9 }, 1, 99), undefined);
    assert.equal(excerpt('', START, 1, 99)?.content, '');
  });
});

describe('The outline of a brief', () => {
  it('has ATX and setext headings, and nothing from code', () => {
    const markdown = [
      '# One #',
      'text',
      '```sh',
      '# no heading',
      '~~~',
      '```',
      'Two',
      '===',
      '- item',
      '---',
      '   ### Three ###',
      '#tag',
      '    # code',
      'Four\r',
      '--',
      '##',
    ].join('\n');
    assert.deepEqual(
      outlineOf(markdown).map(({ line, level, text }) => [line, level, text]),
      [
        [1, 1, 'One'],
        [7, 1, 'Two'],
        [11, 3, 'Three'],
        [14, 2, 'Four'],
        [16, 2, ''],
      ],
    );
  });

  it('a section ends at the next heading of the same or a higher level', () => {
    const outline = outlineOf('# A\n## B\n### C\n## D\n# E\n## B');
    assert.deepEqual(findSection(outline, ' ## d '), { fromLine: 4, bodyLine: 5, toLine: 4 });
    assert.deepEqual(findSection(outline, 'A'), { fromLine: 1, bodyLine: 2, toLine: 4 });
    assert.deepEqual(findSection(outline, 'e'), {
      fromLine: 5,
      bodyLine: 6,
      toLine: Number.MAX_SAFE_INTEGER,
    });
    const linesOf = (found: ReturnType<typeof findSection>) =>
      'problem' in found && [found.problem, ...found.candidates.map(({ line }) => line)];
    assert.deepEqual(linesOf(findSection(outline, 'B')), ['several', 2, 6]);
    assert.deepEqual(linesOf(findSection(outline, 'F')), ['none', 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(linesOf(findSection([], 'F')), ['none']);
  });

  it('a section is found by text, anchor or unique start', () => {
    const lines = ['# Goals & *aims*', '## Why', '## Why not', '## Costs: 2026', '## Why'];
    const outline = outlineOf(lines.join('\n'));
    const lineOf = (heading: string) => {
      const found = findSection(outline, heading);
      return 'problem' in found ? found.candidates.map(({ line }) => line) : found.fromLine;
    };
    const cases: [string, number | number[]][] = [
      ['goals & *AIMS*', 1],
      ['goals--aims', 1],
      ['#goals--aims', 1],
      ['Goals', 1],
      ['## Why not', 3],
      ['why n', 3],
      ['why', [2, 5]],
      ['why-1', 5],
      ['#user-content-why-1', 5],
      ['costs', 4],
      ['costs-2026', 4],
      ['w', [2, 3, 5]],
      ['', [1, 2, 3, 4, 5]],
      ['osts', [1, 2, 3, 4, 5]],
    ];
    for (const [heading, line] of cases) assert.deepEqual(lineOf(heading), line, heading);
  });

  it('is shortened by its deepest levels first', () => {
    const outline = outlineOf('# A\n## B\n### C\n# D\n## E');
    assert.deepEqual(
      shortOutline(outline, 4)
        .map(({ text }) => text)
        .join(''),
      'ABDE',
    );
    assert.deepEqual(
      shortOutline(outline, 1)
        .map(({ text }) => text)
        .join(''),
      'A',
    );
  });

  it('a hostile text of 900 KB takes less than a second', () => {
    for (const line of [`# ${' '.repeat(900)}x\n`, '#'.repeat(300), '`'.repeat(900), '= \n- \n']) {
      const hostile = line.repeat(Math.ceil(900_000 / line.length));
      const start = performance.now();
      outlineOf(hostile);
      assert.ok(performance.now() - start < 1_000, line.slice(0, 20));
    }
  });
});

describe('The address of a resource', () => {
  it('names the document it was created from', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => one.isWellFormed());
    fc.assert(
      fc.property(fc.constantFrom('brief' as const, 'page' as const), name, (kind, given) => {
        const ref = { kind, owner: 'ada', name: given };
        assert.deepEqual(parseDocumentUri(documentUri(ref)), ref);
      }),
    );
  });

  it('is rejected if it isn’t a document’s', () => {
    const others = ['brief://ada', 'brief://ada/x/y', 'file:///etc/passwd', 'brief://ada/%zz', ''];
    for (const uri of others) assert.equal(parseDocumentUri(uri), undefined, uri);
  });
});
