import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newChance } from '../../../test/chance.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { addLater, applyEdits, type Edit, type EditOptions } from './edits.ts';

/** The edited text, or the failed edit, its problem, and the named lines. */
function edited(text: string, edits: Edit[], options?: EditOptions) {
  const result = applyEdits(text, edits, options);
  if ('text' in result) return result.text;
  return [result.index, result.problem, ...result.candidates.map(({ line }) => line)];
}

const markdown = { isMarkdown: true };
const BRIEF =
  '# Plan\n\nIntro.\n\n## Goals\n\nOld goals.\n\n### Later\n\nx\n\nCosts\n-----\n\nMuch.\n';

describe('Edits', () => {
  it('replace exactly if indexOf finds a single occurrence', () => {
    const small = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20 });
    const passage = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(small, passage, small, (text, old, by) => {
        const first = text.indexOf(old);
        const isUnique = first >= 0 && text.indexOf(old, first + 1) < 0;
        const result = applyEdits(text, [{ op: 'replace', old, new: by }]);
        if (isUnique) {
          const expected = text.slice(0, first) + by + text.slice(first + old.length);
          assert.deepEqual(result, { text: expected, notes: [] });
        } else {
          assert.equal('problem' in result && result.problem, first < 0 ? 'not-found' : 'several');
        }
        const all = applyEdits(text, [{ op: 'replace', old, new: by, all: true }]);
        if (first >= 0) {
          assert.deepEqual(all, { text: text.replaceAll(old, () => by), notes: [] });
        }
      }),
    );
  });

  it('apply in order', () => {
    const edits: Edit[] = [
      { op: 'insert', after: 'one', content: ', two' },
      { op: 'insert', before: 'two', content: 'and ' },
      { op: 'prepend', content: 'zero, ' },
      { op: 'append', content: '!' },
    ];
    assert.equal(edited('one', edits), 'zero, \none, and two\n!');
  });

  it('are applied all or none', () => {
    const edits: Edit[] = [
      { op: 'append', content: ' more' },
      { op: 'replace', old: 'absent entirely', new: '' },
    ];
    assert.deepEqual(edited('text', edits), [1, 'not-found']);
  });

  it('list the passages closest to a missing one', () => {
    const text = `${'Filler of other words.\n'.repeat(50)}The quick brown fox jumps.\nEnd.\n`;
    const edit: Edit = { op: 'replace', old: 'The quick  brown "fox" leaps.', new: '' };
    const result = applyEdits(text, [edit]);
    assert.ok('candidates' in result);
    assert.equal(result.candidates[0]?.line, 51);
    assert.match(result.candidates[0]?.text ?? '', /quick brown fox/);
    assert.deepEqual(edited('nothing in common', [{ op: 'replace', old: 'xyz', new: '' }]), [
      0,
      'not-found',
    ]);
  });

  it('find a passage in which every word differs by a letter', () => {
    const text = `${'Filler of other words.\n'.repeat(50)}It says: (Three, changed) twice.\n`;
    const result = applyEdits(text, [{ op: 'replace', old: 'Thre, changd', new: '' }]);
    assert.deepEqual('candidates' in result && result.candidates[0], {
      line: 51,
      text: 'Three, changed',
    });
  });

  it('list the lines of a passage that occurs several times', () => {
    const result = applyEdits('a b\n\nb c\n', [{ op: 'insert', after: 'b', content: '' }]);
    assert.deepEqual(result, {
      index: 0,
      problem: 'several',
      candidates: [
        { line: 1, text: 'a b' },
        { line: 3, text: 'b c' },
      ],
    });
  });

  it('tell if line breaks are written out', () => {
    const notesOf = (text: string, edit: Edit, isMarkdown = true) => {
      const result = applyEdits(text, [edit], { isMarkdown });
      return 'notes' in result && result.notes.map(({ note }) => note);
    };
    const append = (content: string): Edit => ({ op: 'append', content });
    assert.deepEqual(notesOf('a', append('\\n- one\\n- two\n')), ['escaped']);
    assert.deepEqual(notesOf('a', { op: 'replace', old: 'a', new: 'b\\n\\nC' }), ['escaped']);
    for (const meant of ['\\nabla', 'C:\\new', 'b\nc\nprint("\\n")', '\\\\n']) {
      assert.deepEqual(notesOf('a', append(meant)), [], meant);
    }
    assert.deepEqual(notesOf('\\n', append('\\nB')), [], 'the text has some');
    assert.deepEqual(notesOf('<p>', append('<script>a.split("\\n")'), false), []);
    assert.deepEqual(notesOf('<p>', append('</p>\\n<p>b</p>'), false), ['escaped']);
  });

  it('change sections', () => {
    const section = (heading: string, mode: 'replace' | 'append' | 'delete', content = '') =>
      edited(BRIEF, [{ op: 'section', heading, mode, content }], markdown);
    const [start, costs] = [BRIEF.slice(0, BRIEF.indexOf('Old')), 'Costs\n-----\n\n'];
    assert.equal(section('Goals', 'replace', 'New.\n'), `${start}New.\n\n${costs}Much.\n`);
    assert.equal(section('costs', 'replace', 'Few.'), BRIEF.replace('Much.', 'Few.'));
    assert.equal(section('## Goals', 'append', 'And y.'), BRIEF.replace('x\n', 'x\n\nAnd y.\n'));
    assert.equal(section('Costs', 'append', 'End.'), `${BRIEF}\nEnd.\n`);
    assert.equal(section('Later', 'delete'), BRIEF.replace('### Later\n\nx\n\n', ''));
    for (const own of [
      '## Goals\n\nNew.',
      '\n# Goals\nNew.',
      'Goals\n---\nNew.',
      '## Goals ##\n\nNew.',
    ]) {
      assert.equal(section('Goals', 'replace', own), `${start}New.\n\n${costs}Much.\n`, own);
    }
    const renamed = BRIEF.slice(0, BRIEF.indexOf('## Goals'));
    for (const heading of ['## Aims', 'Aims\n----']) {
      assert.equal(
        section('Goals', 'replace', `\n${heading}\n\nNew.`),
        `${renamed}${heading}\n\nNew.\n\n${costs}Much.\n`,
        'another heading of the level takes its place',
      );
    }
    assert.equal(
      section('Costs', 'replace', '## Price'),
      BRIEF.replace(/Costs[\s\S]*/, '## Price\n'),
    );
    const curly: Edit = { op: 'section', heading: "It's", mode: 'replace', content: "# It's\n\nb" };
    assert.equal(edited('# It’s\n\na\n', [curly], markdown), '# It’s\n\nb\n', 'its own heading');
    assert.match(section('Goals', 'replace', '### Goals\n\nNew.') as string, /### Goals/);
    assert.match(section('Goals', 'replace', 'New.\n\n## Goals') as string, /New\.\n\n## Goals/);
    const long = `# A\n\n## B\n\n${'word '.repeat(11_000)}\n\n## C\n`;
    const cut = applyEdits(long, [{ op: 'section', heading: 'B', mode: 'replace', content: 'x' }], {
      isMarkdown: true,
    });
    assert.deepEqual('notes' in cut && cut.notes, [{ index: 0, note: 'long-section', line: 3 }]);
    assert.deepEqual(section('Risks', 'delete'), [0, 'no-section', 1, 5, 9, 13]);
    const twice: Edit = { op: 'section', heading: 'A', mode: 'delete' };
    assert.deepEqual(edited('# A\n# A\n', [twice], markdown), [0, 'several-sections', 1, 2]);
    assert.equal(
      edited('# A\n\nold\n', [{ op: 'section', heading: 'A', content: 'new' }], markdown),
      '# A\n\nnew\n',
    );
  });

  it('change sections of pages, and nothing around them', () => {
    const page = [
      '<body><h1>Plan</h1><p>Intro</p>',
      '<section><header><h2 id=r>Risks</h2></header>',
      '<p>Old</p>',
      '</section>',
      '<h2>Costs</h2>',
      '<p>10</p>',
      '<footer>Foot</footer>',
      '<script>draw()</script>',
      '</body>',
    ];
    const html = page.join('\n');
    const after = (edit: object) => edited(html, [{ op: 'section', ...edit } as Edit]);
    const replaced = (line: number, by: string, end = line) =>
      [...page.slice(0, line), by, ...page.slice(end + 1)].join('\n');
    assert.equal(after({ heading: 'Risks', content: '<p>New</p>' }), replaced(2, '<p>New</p>'));
    const asRead = '<h2 id=r>Risks</h2></header>\n<p>New</p>\n</section>';
    assert.equal(after({ heading: 'Risks', content: asRead }), replaced(2, '<p>New</p>'));
    const renamed = replaced(2, '<p>New</p>').replace('<h2 id=r>Risks', '<h2>Dangers');
    assert.equal(after({ heading: 'Risks', content: '<h2>Dangers</h2><p>New</p>' }), renamed);
    assert.equal(after({ heading: 'Costs', content: '<p>20' }), replaced(5, '<p>20'));
    assert.equal(
      after({ heading: 'Costs', mode: 'append', content: '<p>20</p>' }),
      replaced(5, '<p>10</p>\n<p>20</p>'),
    );
    assert.equal(
      after({ heading: 'Risks', mode: 'delete' }),
      html.replace(/<section>[\s\S]*<\/section>/, ''),
    );
    assert.deepEqual(after({ heading: 'None', content: 'x' }), [0, 'no-section', 1, 2, 5]);
    const empty = '<div><h2>A</h2></div><h2>B</h2>';
    const filled = edited(empty, [{ op: 'section', heading: 'A', content: '<p>x' }]);
    assert.equal(filled, '<div><h2>A</h2>\n<p>x\n</div><h2>B</h2>');
  });

  it('restore a revision, and refuse one without a text', () => {
    const revisions = new Map([[3, 'old text']]);
    const restore = (revision: number): Edit => ({ op: 'restore', revision });
    const append: Edit = { op: 'append', content: '!' };
    assert.equal(edited('new', [restore(3), append], { revisions }), 'old text\n!');
    assert.deepEqual(edited('new', [append, restore(2)], { revisions }), [1, 'no-revision']);
  });

  it('don’t care about line breaks, and keep those of the text', () => {
    const text = '# T\r\n\r\nfirst line\r\nsecond line\r\n';
    const cases: [string, Edit, string][] = [
      [
        text,
        { op: 'replace', old: 'first line\nsecond line', new: 'one\ntwo' },
        '# T\r\n\r\none\r\ntwo\r\n',
      ],
      [text, { op: 'append', content: 'x\n' }, `${text}\r\nx\r\n`],
      [text, { op: 'prepend', content: 'x\n\n' }, `x\r\n\r\n${text}`],
      [
        text,
        { op: 'insert', after: '# T\n', content: '\nx\n' },
        '# T\r\n\r\nx\r\n\r\nfirst line\r\nsecond line\r\n',
      ],
      [
        text,
        { op: 'section', heading: 'T', mode: 'replace', content: 'a\nb' },
        '# T\r\n\r\na\r\nb\r\n',
      ],
      [text, { op: 'section', heading: 'T', mode: 'append', content: 'a' }, `${text}\r\na\r\n`],
      [
        text,
        { op: 'replace', old: '\n', new: '\n\n', all: true },
        text.replaceAll('\r\n', '\r\n\r\n'),
      ],
      ['a\nb\n', { op: 'replace', old: 'a\r\nb', new: 'c\r\nd' }, 'c\nd\n'],
      ['a\r\nb\nc\r\nd\r\n', { op: 'replace', old: 'c\nd', new: 'C\nD' }, 'a\r\nb\nC\r\nD\r\n'],
      ['a\nb\r\nc\n', { op: 'append', content: 'd\r\n' }, 'a\nb\r\nc\n\nd\n'],
    ];
    for (const [before, edit, after] of cases)
      assert.equal(edited(before, [edit], markdown), after);
    const revisions = new Map([[1, 'old\ntext\n']]);
    assert.equal(edited(text, [{ op: 'restore', revision: 1 }], { revisions }), 'old\r\ntext\r\n');
  });

  it('add blocks of their own, or go on with a list or table', () => {
    const table = '| a |\n|---|\n| 1 |';
    const append = (content: string): Edit => ({ op: 'append', content });
    const prepend = (content: string): Edit => ({ op: 'prepend', content });
    const cases: [before: string, edit: Edit, after: string][] = [
      ['# A\n\nlast', append('more'), '# A\n\nlast\n\nmore'],
      ['last\n', append('\n\nmore\n'), 'last\n\nmore\n'],
      ['para', append('## New\n\nx'), 'para\n\n## New\n\nx'],
      ['- a\n- b', append('- c'), '- a\n- b\n- c'],
      ['- a\n- b\n', append('\n- c\n'), '- a\n- b\n- c\n'],
      ['- a\n\n- b', append('- c'), '- a\n\n- b\n\n- c'],
      ['- a', append('  - nested'), '- a\n  - nested'],
      ['- a', append('* c'), '- a\n\n* c'],
      ['- [ ] a', append('- [x] b'), '- [ ] a\n- [x] b'],
      ['1. a', append('2. b'), '1. a\n2. b'],
      ['- a', append('para'), '- a\n\npara'],
      [table, append('| 2 |'), `${table}\n| 2 |`],
      [`${table}\n`, append('\n| 2 |\n| 3 |\n\nEnd.'), `${table}\n| 2 |\n| 3 |\n\nEnd.`],
      [table, append(table), `${table}\n\n${table}`],
      ['a | b\n--|--\n1 | 2', append('3 | 4'), 'a | b\n--|--\n1 | 2\n3 | 4'],
      ['```\ncode\n```', append('text'), '```\ncode\n```\n\ntext'],
      ['~~~~\ncode', append('text'), '~~~~\ncode\n~~~~\n\ntext'],
      ['<!-- note', append('text'), '<!-- note\n-->\n\ntext'],
      ['<div>\nx\n</div>', append('text'), '<div>\nx\n</div>\n\ntext'],
      ['> q', append('> r'), '> q\n\n> r'],
      ['', append('x'), 'x'],
      ['x', append(''), 'x'],
      ['---\ntitle: x\n---', append('x'), '---\ntitle: x\n---\n\nx'],
      ['text', prepend('```\nopen'), '```\nopen\n```\n\ntext'],
      ['- b', prepend('- a'), '- a\n- b'],
      ['---\nx', prepend('para'), 'para\n\n---\nx'],
      ['---\ntitle: x\n---\n# H', prepend('I'), '---\ntitle: x\n---\n\nI\n\n# H'],
      ['    code', prepend('- a'), '- a\n\n<!-- -->\n\n    code'],
      ['- a\n- b', { op: 'insert', after: '- a', content: '- x' }, '- a\n- x\n- b'],
      ['- a\n- b', { op: 'insert', after: '- a\n', content: 'p\n' }, '- a\n\np\n\n- b'],
      [
        `${table}\n| 2 |`,
        { op: 'insert', after: '| 1 |\n', content: '| x |' },
        `${table}\n| x |\n| 2 |`,
      ],
      ['x\n\n## How', { op: 'insert', before: '## How', content: 'So.' }, 'x\n\nSo.\n\n## How'],
      ['# A', { op: 'insert', after: '# A', content: ' B' }, '# A B'],
      ['one', { op: 'insert', after: 'one', content: ', two' }, 'one, two'],
      ['```\na\n```', { op: 'insert', after: 'a\n', content: '# b\n' }, '```\na\n# b\n```'],
      ['```\na\n```', { op: 'insert', after: 'a\n```', content: 'b' }, '```\na\n```\n\nb'],
      ['<?php\n\nx', append('text'), '<?php\n\nx\n?>\n\ntext'],
      ['<details>\n\nx', append('text'), '<details>\n\nx\n\n</details>\n\ntext'],
      ['# H', { op: 'insert', before: '# H', content: 'I' }, 'I\n\n# H'],
      ['# H', { op: 'insert', after: '# H', content: 'I' }, '# H\n\nI'],
      ['x\n\n# H\n', { op: 'insert', before: 'H', content: 'I' }, 'x\n\nI\n\n# H\n'],
      ['# H #1', { op: 'insert', before: 'H', content: 'I' }, '# IH #1'],
      ['T\n===\nx', { op: 'insert', after: 'T', content: 'I' }, 'T\n===\n\nI\n\nx'],
      ['T\n===\nx', { op: 'insert', after: 'T', content: ' I' }, 'T I\n===\nx'],
      ['[r]: /x', { op: 'insert', after: '[r]: /x', content: 'I' }, '[r]: /x\n\nI'],
      ['[r]: /x\n', { op: 'insert', after: '[r]: /x', content: '[s]: /y' }, '[r]: /x\n[s]: /y\n'],
      ['[^1]: a', { op: 'insert', after: '[^1]: a', content: '[^2]: b' }, '[^1]: a\n\n[^2]: b'],
      [
        '---\na: x\n---\nT',
        { op: 'insert', after: 'a: x', content: 'b: y' },
        '---\na: x\nb: y\n---\nT',
      ],
      [
        '---\na: x\n---\nT',
        { op: 'insert', before: '---\na', content: 'I' },
        '---\na: x\n---\n\nI\n\nT',
      ],
      ['- a\n- b', { op: 'insert', after: '- b', content: 'p' }, '- a\n- b\n\np'],
      ['- a\n- b', { op: 'insert', before: 'b', content: '- x' }, '- a\n- x\n- b'],
      ['- a\n- b', { op: 'insert', after: '- a', content: '  - n' }, '- a\n  - n\n- b'],
      [table, { op: 'insert', after: '| a |', content: '| x |' }, `${table}\n| x |`],
      ['> q', { op: 'insert', after: '> q', content: 'p' }, '> q\n\np'],
      ['```\na\nb\n```', { op: 'insert', after: 'a', content: 'c' }, '```\na\nc\nb\n```'],
      ['```\na\n```', { op: 'insert', after: 'a', content: ';' }, '```\na;\n```'],
      [
        '<div>\nx\n</div>',
        { op: 'insert', before: '<div>', content: 'p' },
        'p\n\n<div>\nx\n</div>',
      ],
      ['a\n\n---\n', { op: 'insert', after: '---', content: 'p' }, 'a\n\n---\n\np\n'],
      ['one', { op: 'insert', after: 'one', content: 'two' }, 'one\n\ntwo'],
      ['one\nthree', { op: 'insert', after: 'one\n', content: 'two' }, 'one\ntwo\nthree'],
      ['one', { op: 'insert', after: 'one', content: '[^1]' }, 'one[^1]'],
      ['one  \nb', { op: 'insert', after: 'one', content: 'a' }, 'one  \na\nb'],
      ['the cat\nsat', { op: 'insert', after: 'cat', content: 's' }, 'the cats\nsat'],
      [
        '# A\n\n- a\n\n# B\n',
        { op: 'section', heading: 'A', mode: 'append', content: '- b' },
        '# A\n\n- a\n- b\n\n# B\n',
      ],
      [
        '# A\n\n# B\n',
        { op: 'section', heading: 'A', mode: 'append', content: '```\nopen' },
        '# A\n\n```\nopen\n```\n\n# B\n',
      ],
    ];
    for (const [before, edit, after] of cases) {
      assert.equal(edited(before, [edit], markdown), after, JSON.stringify([before, edit]));
    }
    const pages: [before: string, edit: Edit, after: string][] = [
      ['<p>a', append('b'), '<p>a\nb'],
      ['<body>\n a\n </body></html>', append('b'), '<body>\n a\nb\n </body></html>'],
      ['<script>"</body>"</script>', append('b'), '<script>"</body>"</script>\nb'],
      ['a<!-- </body> -->', append('b'), 'a<!-- </body> -->\nb'],
      ['<!DOCTYPE html><p>a', prepend('b'), '<!DOCTYPE html>\nb\n<p>a'],
      ['<body>a<!x>', prepend('b'), '<body>\nb\na<!x>'],
      ['<head></head><body class="x">a', prepend('b'), '<head></head><body class="x">\nb\na'],
      ...['<!-- x', '<script>x', '<style>', '<textarea>', '<title>x', '<p class="', '</p'].map(
        (open): [string, Edit, string] => [`a${open}`, append('b'), `a\nb\n${open}`],
      ),
    ];
    for (const [before, edit, after] of pages) assert.equal(edited(before, [edit]), after, before);
  });

  it('that insert beside a line keep its margin, and what stands there', () => {
    const after = (passage: string, content: string): Edit => ({
      op: 'insert',
      after: passage,
      content,
    });
    const before = (passage: string, content: string): Edit => ({
      op: 'insert',
      before: passage,
      content,
    });
    const nested = (lines: string) => `1. a\n   - n1\n${lines}   - n2\n2. b`;
    const [quote, code] = ['> - q1\n> - q2', '    code1\n    code2'];
    const item = '- a\n\n  para in a\n- b';
    const python = '```py\ndef f():\n    x = 1\n    y = 2\n```';
    const cases: [text: string, edit: Edit, made: string][] = [
      ...[
        after('- n1', '- n1b'),
        after('- n1', '   - n1b'),
        after('- n1', '\n   - n1b'),
        after('- n1\n', '- n1b\n'),
        after('   - n1\n', '- n1b\n'),
        before('- n2', '- n1b\n'),
        before('\n   - n2', '\n- n1b'),
      ].map((edit): [string, Edit, string] => [nested(''), edit, nested('   - n1b\n')]),
      [nested(''), after('- n1', '- x\n  - y'), nested('   - x\n     - y\n')],
      ...[after('1. a', '\n2. x'), after('1. a\n', '2. x\n'), after('1. a', '2. x')].map(
        (edit): [string, Edit, string] => [
          nested(''),
          edit,
          nested('').replace('n2\n', 'n2\n2. x\n'),
        ],
      ),
      ['> - a\n>   - b\n> - c', after('- a', '- x'), '> - a\n>   - b\n> - x\n> - c'],
      ['- a\n  - b\n    - c\n  - d', after('- b', '- x'), '- a\n  - b\n    - c\n  - x\n  - d'],
      ['- a\n\n  para\n- b', after('- a', '\n- x'), '- a\n\n  para\n- x\n- b'],
      ['- a\n  - b\n', after('- a', '\n  - x'), '- a\n  - x\n  - b\n'],
      [nested(''), after('- n2', '- n3'), nested('').replace('n2\n', 'n2\n   - n3\n')],
      [quote, after('- q1', '- x'), '> - q1\n> - x\n> - q2'],
      [quote, after('> - q1', '> - x'), '> - q1\n> - x\n> - q2'],
      [quote, before('- q2', '- x\n'), '> - q1\n> - x\n> - q2'],
      ['> a\n>\n> b', after('a', 'x'), '> a\n>\n> x\n>\n> b'],
      [code, after('code1', '# x'), '    code1\n    # x\n    code2'],
      [code, after('code1', '    x'), '    code1\n    x\n    code2'],
      [python, after('x = 1', '# c'), python.replace('1\n', '1\n    # c\n')],
      ['---\na:\n  - x\n---\nT', after('- x', '- y'), '---\na:\n  - x\n  - y\n---\nT'],
      [item, after('para in a', 'Second'), '- a\n\n  para in a\n\n  Second\n- b'],
      [item, after('para in a', '  Second'), '- a\n\n  para in a\n\n  Second\n- b'],
      ['a\n\n- x\n\ny', before('y', '    code\n'), 'a\n\n- x\n\n    code\n\ny'],
      ['a\n\n- x\n\ny', before('y', '  p\n'), 'a\n\n- x\n\n  p\n\ny'],
      ['- a\n\n  y', before('y', 'x\n'), '- a\n\n  x\n\n  y'],
      ['a\n\ny', before('y', 'x\n'), 'a\n\nx\n\ny'],
      ...['---', '===', '# H', '- x'].flatMap((block): [string, Edit, string][] => {
        const made = `line one\n\n${block}\n\nline two`;
        return [
          ['line one\nline two', before('line two', `${block}\n`), made],
          ['line one\nline two', after('line one', `\n${block}`), made],
        ];
      }),
      ...['# H', '- x', '1. x', '> x', '---', '```\nx\n```', '| a |\n|---|'].map(
        (block): [string, Edit, string] => [
          'line one\nline two',
          after('one', block),
          `line one\n\n${block}\n\nline two`,
        ],
      ),
      ['line one\nline two', after('one', '**'), 'line one**\nline two'],
      ['line one\nline two', after('one\n', 'x\n'), 'line one\nx\nline two'],
      ['> a\n> b', after('a', '---'), '> a\n>\n> ---\n>\n> b'],
      ['a: b\n---\n\nt', { op: 'prepend', content: '---' }, '\n---\n\na: b\n---\n\nt'],
      ['a: b\n---\n\nt', before('a: b', '---\n'), '\n---\na: b\n---\n\nt'],
      ['---\na: b', { op: 'append', content: '---' }, '\n---\na: b\n\n---'],
      ['t', { op: 'prepend', content: '---\na: b\n---' }, '---\na: b\n---\n\nt'],
      ['a\n      b\n\nc', after('b', 'x'), 'a\n      b\n\nx\n\nc'],
      ['- a\n      b\n- c', after('b', 'x'), '- a\n      b\n\n  x\n- c'],
      ['[^1]: a\n    b\n', after('b', 'x'), '[^1]: a\n    b\n\n    x\n'],
      [item, after('para in a', ', x'), '- a\n\n  para in a, x\n- b'],
    ];
    for (const [text, edit, made] of cases) {
      assert.equal(edited(text, [edit], markdown), made, JSON.stringify([text, edit]));
    }
  });

  it('leave what stands beside the added as it is shown, and show the added as alone', () => {
    const blocks = [
      'Some words.',
      'Two\nlines.',
      '# Heading',
      'Under\n---',
      '- one\n- two',
      '* star',
      '1. first\n2. second',
      '- loose\n\n- list',
      '- [ ] open',
      '> quoted\n> words',
      '```js\nlet a;\n```',
      '```\nopen',
      '~~~\na\n\nb',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '<div>block</div>',
      '<!-- note -->',
      '***',
      '    code',
      '$$\nx\n$$',
      '[a]: https://x.example',
      '- a\n\n  ```\n  in\n  ```',
    ];
    const chance = newChance('joining blocks');
    const textOf = (count: number) =>
      Array.from({ length: count }, () => chance.pick(blocks)).join(
        chance.pick(['\n\n', '\n\n\n']),
      );
    const shown = (text: string) => renderMarkdown(text).html.replace(/\s(?:id|href)="[^"]*"/g, '');
    /** What a continued list or table has in any case: its items and cells. */
    const contents = (html: string) =>
      html.replace(/<\/?(?:[ou]l|p|table|thead|tbody)\b[^>]*>|<!--[^>]*-->|\s+/g, '');
    for (let run = 0; run < 400; run++) {
      const before = textOf(1 + chance.below(3)) + chance.pick(['', '\n', '\n\n']);
      const added = chance.pick(blocks) + chance.pick(['', '\n']);
      // What is indented can go on in a list.
      for (const op of /^ {4}/.test(added)
        ? (['prepend'] as const)
        : (['append', 'prepend'] as const)) {
        const made = edited(before, [{ op, content: added }], markdown) as string;
        const both = op === 'append' ? [before, added] : [added, before];
        const what = JSON.stringify([op, before, added, made]);
        assert.equal(
          contents(shown(made)),
          both.map((each) => contents(shown(each))).join(''),
          what,
        );
        assert.ok(
          op === 'append' ? made.startsWith(before.trimEnd()) : made.endsWith(before),
          what,
        );
      }
    }
  });

  it('find a line at the end of a text that ends without a line break', () => {
    const replace = (text: string, by: string, all = false) =>
      edited(text, [{ op: 'replace', old: 'bb\n', new: by, all }]);
    assert.equal(replace('aa\nbb', 'cc\n'), 'aa\ncc');
    assert.equal(replace('aa\nbb', 'cc\ndd\n'), 'aa\ncc\ndd');
    assert.equal(replace('aa\nbb', 'cc'), 'aa\ncc');
    assert.equal(replace('aa\r\nbb', ''), 'aa');
    assert.equal(replace('bb\nbb', 'c\n', true), 'c\nc');
    assert.equal(edited('aa\nbb', [{ op: 'insert', after: 'bb\n', content: 'c\n' }]), 'aa\nbb\nc');
    assert.ok(Array.isArray(replace('aa\nbb c', 'c')), 'not the end');
  });

  it('that only add stand behind what others added there', () => {
    const later = (before: string, after: string, edit: Edit) => {
      const made = addLater(before, after, [edit], markdown, []);
      return made && 'gone' in made ? [made.gone, made.line] : made?.text;
    };
    const insert = (place: object, content: string) =>
      ({ op: 'insert', content, ...place }) as Edit;
    const rows = '| a |\n|---|\n| 1 |\n| 2 |\n';
    const theirs = rows.replace('| 1 |\n', '| 1 |\n| t |\n');
    const ours = theirs.replace('| t |\n', '| t |\n| o |\n');
    assert.equal(later(rows, theirs, insert({ after: '| 1 |' }, '\n| o |')), ours);
    assert.equal(later(rows, theirs, insert({ after: '| 1 |' }, '| o |')), ours);
    assert.equal(later(rows, theirs, insert({ after: '| 1 |\n' }, '| o |\n')), ours);
    assert.equal(later(rows, theirs, insert({ before: '| 2 |' }, '| o |\n')), ours);
    const [line, changed] = ['Tags:\nend\n', 'Tags: t\nmore\nend\n'];
    assert.equal(
      later(line, 'Tags: t\nend\n', insert({ after: 'Tags:' }, ' o')),
      'Tags: t o\nend\n',
    );
    assert.equal(
      later(line, 'Tags:\nt\nend\n', insert({ after: 'Tags:' }, ' o')),
      'Tags: o\nt\nend\n',
    );
    const gone = later('x\nR\n', 'x\n', insert({ after: 'R' }, '\no'));
    assert.deepEqual(gone, ['R', 2], 'it is gone');
    const [one, two, three] = ['One is here.\n', '\nTwo is there.\n', '\nThree is last.\n'];
    const moved: [edit: Edit, after: string][] = [
      [insert({ after: 'One is here.' }, 'New.'), `${two}${three}\n${one}\nNew.\n`],
      [insert({ after: 'One is here.' }, ' New.'), `${two}${three}\nOne is here. New.\n`],
      [insert({ before: 'One is' }, '## N\n'), `${two}${three}\n## N\n${one}`],
      [insert({ after: 'Two is there.\n' }, '\nNew.\n'), `${two}\nNew.\n${three}\n${one}`],
    ];
    for (const [edit, made] of moved) {
      assert.equal(later(one + two + three, `${two}${three}\n${one}`, edit), made);
    }
    const sentences = [
      'First here. Second there. Third one.\n',
      'Second there. Third one. First here.\n',
    ];
    assert.equal(
      later(sentences[0] as string, sentences[1] as string, insert({ after: 'First here.' }, ' x')),
      'Second there. Third one. First here. x\n',
    );
    const longer = `${two}${three}\nOne is here. Really.\n`;
    assert.deepEqual(later(one + two + three, longer, insert({ after: 'One is here.' }, 'New.')), [
      'One is here.',
      1,
    ]);
    const heads = '# A\n\nx\n\n# B\n\ny\n';
    const append = (heading: string): Edit => ({
      op: 'section',
      mode: 'append',
      heading,
      content: 'o',
    });
    assert.deepEqual(later(heads, '# B\n\ny\n', append('A')), ['A', 1], 'the section is gone');
    assert.equal(
      later(heads, `z\n\n${heads}`, append('1: A')),
      `z\n\n${heads.replace('x\n', 'x\n\no\n')}`,
    );
    assert.ok(later(line, changed, insert({ before: 'end' }, 'o\n'))?.includes('more\no\n'));
    const end = '| a |\n|---|\n| 1 |\n';
    assert.equal(
      later(end, `${end}| t |`, insert({ after: '| 1 |\n' }, '| o |')),
      `${end}| t |\n| o |`,
    );
  });

  it('stop when a text becomes too long', () => {
    const grow: Edit = { op: 'replace', old: 'a', new: 'a'.repeat(1_000_000), all: true };
    assert.deepEqual(edited('a'.repeat(1_000_000), [grow], { maxLength: 5_000_000 }), [
      0,
      'too-long',
    ]);
  });

  it('of hostile passages take no longer than others', () => {
    const text = 'a'.repeat(5_000_000);
    const start = performance.now();
    for (const old of [`b${'a'.repeat(900_000)}`, `${'a'.repeat(900_000)}b`, '>'.repeat(900_000)]) {
      const [index, problem] = edited(text, [{ op: 'replace', old, new: '' }]) as unknown[];
      assert.deepEqual([index, problem], [0, 'not-found']);
    }
    const took = performance.now() - start;
    assert.ok(took < 20_000, `${took} ms`);
  });
});
