import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findSection, outlineOf, pathsOf, shortOutline } from '../../base/text/sections.ts';
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

  it('has no lines of front matter', () => {
    const markdown = '---\ntitle: A\n# a comment\nlabels: x\n---\n\n# B\n\nC\n---\n';
    assert.deepEqual(
      outlineOf(markdown).map(({ line, text }) => [line, text]),
      [
        [7, 'B'],
        [9, 'C'],
      ],
    );
  });

  it('a section ends at the next heading of the same or a higher level', () => {
    const outline = outlineOf('# A\n## B\n### C\n## D\n# E\n## B');
    const rangeOf = (heading: string) => {
      const found = findSection(outline, heading);
      return 'problem' in found ? undefined : [found.heading.line, found.next?.line];
    };
    assert.deepEqual(rangeOf(' ## d '), [4, 5]);
    assert.deepEqual(rangeOf('A'), [1, 5]);
    assert.deepEqual(rangeOf('e'), [5, undefined]);
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
      return 'problem' in found ? found.candidates.map(({ line }) => line) : found.heading.line;
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

  it('a heading is found with other quotes, dashes and spaces, if only one is alike', () => {
    const lines = [
      '# It’s “done” – soon',
      '## 10\u00a0km',
      '## A-b',
      '## A–b',
      '## A - b',
      '## The `code` & **bold**',
    ];
    const outline = outlineOf(lines.join('\n'));
    const lineOf = (heading: string) => {
      const found = findSection(outline, heading);
      if ('problem' in found) return [found.problem, ...found.candidates.map(({ line }) => line)];
      return [found.isAlike, found.heading.line];
    };
    assert.deepEqual(lineOf('it\'s "done" - soon'), [true, 1]);
    assert.deepEqual(lineOf('It’s “done” – soon'), [false, 1]);
    assert.deepEqual(lineOf('it\'s "done"'), [true, 1]);
    assert.deepEqual(lineOf('10 km'), [true, 2]);
    assert.deepEqual(lineOf('2: 10 km'), [true, 2]);
    assert.deepEqual(lineOf('It\'s "done" - soon > 10 km'), [true, 2]);
    assert.deepEqual(lineOf('a-b'), [false, 3]);
    assert.deepEqual(lineOf('A—b'), ['several', 3, 4]);
    assert.deepEqual(lineOf('Its done – soon'), ['none', 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(lineOf('– “'), ['none', 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(lineOf('the code & bold'), [true, 6]);
  });

  it('equal headings are found by line and by path', () => {
    const lines = [
      '# Guide',
      '## Setup',
      '## Usage',
      '### Setup',
      '# Reference',
      '## Setup',
      '## 2. Scope',
      '## A > B',
    ];
    const outline = outlineOf(lines.join('\n'));
    const lineOf = (heading: string) => {
      const found = findSection(outline, heading);
      return 'problem' in found ? found.candidates.map(({ line }) => line) : found.heading.line;
    };
    const cases: [string, number | number[]][] = [
      ['Setup', [2, 4, 6]],
      ['2: Setup', 2],
      ['4: ### Setup', 4],
      ['6: "Setup"', 6],
      ['6: Reference > Setup', 6],
      ['3: Setup', [1, 2, 3, 4, 5, 6, 7, 8]],
      ['Reference > Setup', 6],
      ['Reference>setup', 6],
      ['reference › set', 6],
      ['Guide > Usage > Setup', 4],
      ['Usage > Setup', 4],
      ['Guide > Setup', [2, 4]],
      ['## Guide > ## Setup', [1, 2, 3, 4, 5, 6, 7, 8]],
      ['Usage > Guide', [1, 2, 3, 4, 5, 6, 7, 8]],
      ['2', 7],
      ['A > B', 8],
      ['> Setup', [1, 2, 3, 4, 5, 6, 7, 8]],
    ];
    for (const [heading, line] of cases) assert.deepEqual(lineOf(heading), line, heading);
    for (const [entry, path] of pathsOf(outline)) {
      assert.equal(lineOf(`${entry.line}: ${path}`), entry.line, 'as an error names it');
    }
  });

  it('is shortened by its deepest levels, and says what it leaves out', () => {
    const short = (text: string, count: number) => {
      const { shown, deepest, next } = shortOutline(outlineOf(text), count);
      return [shown.map(({ text }) => text).join(''), deepest, next?.line];
    };
    const text = '# A\n## B\n### C\n# D\n## E';
    assert.deepEqual(short(text, 5), ['ABCDE', undefined, undefined]);
    assert.deepEqual(short(text, 4), ['ABDE', 2, undefined]);
    assert.deepEqual(short(text, 2), ['AD', 1, undefined]);
    assert.deepEqual(short(text, 1), ['A', undefined, 2]);
    const many = `# A\n${'## B\n'.repeat(9)}`;
    assert.deepEqual(short(many, 4), ['ABBB', undefined, 5], 'not the title alone');
  });

  it('a hostile text of 900 KB takes less than a second', () => {
    for (const line of [`# ${' '.repeat(900)}x\n`, '#'.repeat(300), '`'.repeat(900), '= \n- \n']) {
      const hostile = line.repeat(Math.ceil(900_000 / line.length));
      const start = performance.now();
      outlineOf(hostile);
      assert.ok(performance.now() - start < 30_000, line.slice(0, 20));
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
