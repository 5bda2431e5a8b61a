import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyEdits, type Edit, type EditOptions } from './edits.ts';

/** The edited text, or the failed edit, its problem, and the named lines. */
function edited(text: string, edits: Edit[], options?: EditOptions) {
  const result = applyEdits(text, edits, options);
  if ('text' in result) return result.text;
  return [result.index, result.problem, ...result.candidates.map(({ line }) => line)];
}

const markdown = { hasSections: true };
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
    assert.equal(edited('one', edits), 'zero, one, and two!');
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
    const notesOf = (text: string, edit: Edit, hasSections = true) => {
      const result = applyEdits(text, [edit], { hasSections });
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
      hasSections: true,
    });
    assert.deepEqual('notes' in cut && cut.notes, [{ index: 0, note: 'long-section', line: 3 }]);
    assert.deepEqual(section('Risks', 'delete'), [0, 'no-section', 1, 5, 9, 13]);
    const twice: Edit = { op: 'section', heading: 'A', mode: 'delete' };
    assert.deepEqual(edited('# A\n# A\n', [twice], markdown), [0, 'several-sections', 1, 2]);
    assert.deepEqual(edited('<h1>A</h1>', [twice]), [0, 'no-sections-here']);
  });

  it('restore a revision, and refuse one without a text', () => {
    const revisions = new Map([[3, 'old text']]);
    const restore = (revision: number): Edit => ({ op: 'restore', revision });
    const append: Edit = { op: 'append', content: '!' };
    assert.equal(edited('new', [restore(3), append], { revisions }), 'old text!');
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
      [text, { op: 'append', content: 'x\n' }, `${text}x\r\n`],
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
      ['a\nb\r\nc\n', { op: 'append', content: 'd\r\n' }, 'a\nb\r\nc\nd\n'],
    ];
    for (const [before, edit, after] of cases)
      assert.equal(edited(before, [edit], markdown), after);
    const revisions = new Map([[1, 'old\ntext\n']]);
    assert.equal(edited(text, [{ op: 'restore', revision: 1 }], { revisions }), 'old\r\ntext\r\n');
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
