import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
        const none = { text, conflicts: [], wordLines: [] };
        assert.deepEqual(merge3(base, text, base), none);
        assert.deepEqual(merge3(base, text, text), none);
        const taken = merge3(base, base, text);
        assert.deepEqual(taken.conflicts, []);
        assert.equal(withLineFeeds(taken.text), withLineFeeds(text));
      }),
    );
  });

  it('ignores a byte order mark', () => {
    const [base, theirs] = ['a\nb\nc\nd\ne', 'A\nb\nc\nd\ne'];
    const { text, conflicts } = merge3(base, theirs, '\ufeffa\nb\nc\nd\nE\n');
    assert.deepEqual([text, conflicts], ['A\nb\nc\nd\nE\n', []]);
    const marked = merge3(`\ufeff${base}`, `\ufeff${theirs}`, 'a\nb\nc\nd\nE');
    assert.deepEqual(marked.conflicts, []);
    assert.equal(marked.text.replace('\ufeff', ''), 'A\nb\nc\nd\nE');
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
        // Before a line feed, a lone CR is part of the line break.
        const plain = (lines: string[]) => lines.map((line) => line.replace(/\r+$/, ''));
        const known = new Set(plain(linesIn(base)));
        const { text, conflicts } = merge3(base, current, mine);
        const left = new Set(plain([linesIn(text), ...conflicts.map((each) => each.yours)].flat()));
        for (const line of plain([...linesIn(current), ...linesIn(mine)])) {
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
        const both = { text: write(() => true), conflicts: [], wordLines: [] };
        assert.deepEqual(merge3(base, current, mine), both);
        assert.deepEqual(merge3(base, mine, current), both);
      }),
    );
  });

  it('merges a line break at the end apart from the lines', () => {
    for (const [base, current, mine, text] of [
      ['a\nb', 'a\nb\nc', 'A\nb\n', 'A\nb\nc\n'],
      ['a\nb\n', 'a\nb\nc\n', 'A\nb', 'A\nb\nc'],
      ['a\r\nb', 'a\r\nb\r\nc', 'A\nb\n', 'A\r\nb\r\nc\r\n'],
      ['a\nb', 'a\nb\n', 'a\nb\nc', 'a\nb\nc\n'],
      ['a\n', 'a\nb\n', '', 'b\n'],
    ] as const) {
      assert.deepEqual(merge3(base, current, mine), { text, conflicts: [], wordLines: [] });
      assert.equal(withLineFeeds(merge3(base, mine, current).text), withLineFeeds(text));
    }
  });

  it('merges what git merges, with the same result', () => {
    const directory = mkdtempSync(join(tmpdir(), 'merge-'));
    const added = fc.array(fc.constantFrom('x', 'y', '', '- z'), { maxLength: 2 });
    const side = fc.array(fc.tuple(fc.nat(11), fc.nat(2), added), { maxLength: 3 });
    const base = Array.from({ length: 12 }, (_, at) => `line ${at}`);
    const write = (edits: [number, number, string[]][]) => {
      const lines = [...base];
      // From the end, so that the numbers stay right.
      for (const [at, removed, more] of edits.toSorted(([one], [other]) => other - one)) {
        lines.splice(at, removed, ...more);
      }
      return `${lines.join('\n')}\n`;
    };
    fc.assert(
      fc.property(side, side, (one, other) => {
        const texts = { base: write([]), current: write(one), yours: write(other) };
        const path = (name: string) => join(directory, name);
        for (const [name, text] of Object.entries(texts)) writeFileSync(path(name), text);
        const files = ['current', 'base', 'yours'].map(path);
        const git = spawnSync('git', ['merge-file', '-p', ...files], { encoding: 'utf8' });
        const merged = merge3(texts.base, texts.current, texts.yours);
        if (git.status === 0 && merged.conflicts.length === 0) {
          assert.equal(merged.text, git.stdout);
        }
        // Git's conflicts of neighbouring lines are merged, but nothing is more careful than git.
        if (git.status === 0) assert.deepEqual(merged.conflicts, []);
      }),
      { numRuns: 150 },
    );
    rmSync(directory, { recursive: true });
  });

  const PAGE =
    '<!doctype html><title>T</title><p>First.</p><p>Second.</p><p>Third.</p><script>if(a<b&&d>e)f()</script>';
  const LIST = '<div><p>One.</p><ul><li>a</li><li>b</li></ul></div>';
  const page = (from: string, to: string) => PAGE.replace(from, to);
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
    [
      'a line that both added, before other changes of one',
      '- a\n- b\n\nLast.\n',
      '- x\n- a\n- b\n\nLast.\n',
      '- x\n- a\n- c\n\nLast.\n',
      '- x\n- a\n- c\n\nLast.\n',
    ],
    ['a line that both added, the next one changed', 'a\n', 'x\na\n', 'x\nA\n', 'x\nA\n'],
    ['a line that both added, the last one changed', 'a\n', 'a\nx\n', 'A\nx\n', 'A\nx\n'],
    [
      'a comment above a function whose body changed',
      'fn()\n{\n}\n',
      '// note\nfn()\n{\n}\n',
      '// note\nfn()\n{\n  run();\n}\n',
      '// note\nfn()\n{\n  run();\n}\n',
    ],
    [
      'a line that both added to neighbouring changes',
      'a\nb\n',
      'A\nx\nb\n',
      'a\nx\nB\n',
      ['A\nx\nb', 'a\nx\nB'],
    ],
    ['LF into CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'a\nb\nC\nd\n', 'a\r\nB\r\nC\r\nd\r\n'],
    ['CRLF into LF', 'a\nb\nc\n', 'a\nB\nc\n', 'a\r\nb\r\nC\r\n', 'a\nB\nC\n'],
    ['LF over the same in CRLF', 'a\r\nb\r\n', 'a\r\nb\r\n', 'a\nb\n', 'a\r\nb\r\n'],
    [
      'LF into both, mostly CRLF',
      'a\r\nb\nc\r\nd',
      'a\r\nb\nc\r\nd',
      'a\nb\nx\nc\nd',
      'a\r\nb\nx\r\nc\r\nd',
    ],
    [
      'sentences of a page in one line',
      PAGE,
      page('First', '1st'),
      page('Third', '3rd'),
      PAGE.replace('First', '1st').replace('Third', '3rd'),
    ],
    [
      'a tag and a text of a page in one line',
      PAGE,
      page('<p>First', '<p id=a>First'),
      page('Third', '3rd'),
      PAGE.replace('<p>First', '<p id=a>First').replace('Third', '3rd'),
    ],
    [
      'one sentence of a page in one line',
      PAGE,
      page('First', '1st'),
      page('First', 'Uno'),
      [page('First', '1st'), page('First', 'Uno')],
    ],
    [
      'a tag and the text beside it',
      PAGE,
      page('First', '1st'),
      page('<p>First', '<p id=a>First'),
      [page('First', '1st'), page('<p>First', '<p id=a>First')],
    ],
    [
      'an element that both added, and another change of one',
      LIST,
      LIST.replace('</ul>', '<li>c</li></ul>'),
      LIST.replace('</ul>', '<li>c</li></ul>').replace('One', '1'),
      LIST.replace('</ul>', '<li>c</li></ul>').replace('One', '1'),
    ],
    [
      'a block that both added behind an equal end, and another change of one',
      'a {\n}\n\nb {\n}\n',
      'a {\n}\n\nb {\n}\n\nc {\n}\n',
      'A {\n}\n\nb {\n}\n\nc {\n}\n',
      'A {\n}\n\nb {\n}\n\nc {\n}\n',
    ],
    [
      'an element deleted and changed',
      PAGE,
      page('<p>Second.</p>', ''),
      page('Second', '2nd'),
      [page('<p>Second.</p>', ''), page('Second', '2nd')],
    ],
    [
      'one script of a page in one line',
      PAGE,
      page('a<b', 'a<c'),
      page('d>e', 'd>f'),
      [page('a<b', 'a<c'), page('d>e', 'd>f')],
    ],
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

describe('merge3 by words', () => {
  const LINE = 'The station was quiet, and nobody came in March or April of that year.';
  const SENTENCES = `# Plan\n\n${LINE}\n`;
  const at = (from: string, to: string) => SENTENCES.replace(from, to);

  const cases: [string, string, string, string, string | null][] = [
    [
      'other words of a line',
      SENTENCES,
      at('quiet', 'silent'),
      at('April', 'May'),
      at('quiet', 'silent').replace('April', 'May'),
    ],
    [
      'an added and a removed word',
      SENTENCES,
      at('was quiet', 'was very quiet'),
      at(' of that year', ''),
      at('was quiet', 'was very quiet').replace(' of that year', ''),
    ],
    [
      'other lines of what both changed',
      'one two three four\nfive six seven eight\n',
      'one TWO three four\nfive six seven EIGHT\n',
      'one two three FOUR\nFIVE six seven eight\n',
      'one TWO three FOUR\nFIVE six seven EIGHT\n',
    ],
    [
      'words of a script without spaces',
      '我们昨天在图书馆里看了很多有趣的书籍\n',
      '我们今天在图书馆里看了很多有趣的书籍\n',
      '我们昨天在图书馆里看了很多无聊的书籍\n',
      '我们今天在图书馆里看了很多无聊的书籍\n',
    ],
    [
      'in CRLF',
      'a\r\none two three four five\r\n',
      'a\r\nONE two three four five\r\n',
      'a\none two three four FIVE\n',
      'a\r\nONE two three four FIVE\r\n',
    ],
    ['the same word', SENTENCES, at('quiet', 'silent'), at('quiet', 'loud'), null],
    ['neighbouring words', SENTENCES, at('was', 'is'), at('quiet', 'loud'), null],
    [
      'one number',
      'It costs about 1,250.50 euros in the whole year.\n',
      'It costs about 1,350.50 euros in the whole year.\n',
      'It costs about 1,250.70 euros in the whole year.\n',
      null,
    ],
    [
      'more than half rewritten',
      'one two three four five six\n',
      'ONE TWO THREE FOUR five six\n',
      'one two three four five SIX\n',
      null,
    ],
    [
      'a destination of a link',
      'Read [the guide](https://a.example/one) before you begin to work.\n',
      'Read [the guide](https://b.example/two) before you begin to work.\n',
      'Read [the guide](https://a.example/one) before you start to work.\n',
      null,
    ],
    [
      'a wikilink',
      'Read [[the guide of plans|the guide]] before you begin to work.\n',
      'Read [[my guide of plans|the guide]] before you begin to work.\n',
      'Read [[the guide of ideas|the guide]] before you begin to work.\n',
      null,
    ],
    [
      'a tag',
      'Some <b class="x">bold</b> words stand here in a line.\n',
      'Some <b class="y">bold</b> words stand here in a line.\n',
      'Some <b class="x">bold</b> words stand there in a line.\n',
      null,
    ],
    [
      'code in a line',
      'Run `npm start` and then wait for a while.\n',
      'Run `npm test` and then wait for a while.\n',
      'Run `npm start` and then rest for a while.\n',
      null,
    ],
    [
      'a fenced block',
      '```\none two three four five\n```\n',
      '```\nONE two three four five\n```\n',
      '```\none two three four FIVE\n```\n',
      null,
    ],
    [
      'front matter',
      '---\ntitle: one two three four five\n---\n\nText.\n',
      '---\ntitle: ONE two three four five\n---\n\nText.\n',
      '---\ntitle: one two three four FIVE\n---\n\nText.\n',
      null,
    ],
    [
      'a row of a table',
      '| a | b |\n|---|---|\n| one two three | four five six |\n',
      '| a | b |\n|---|---|\n| ONE two three | four five six |\n',
      '| a | b |\n|---|---|\n| one two three | four five SIX |\n',
      null,
    ],
    [
      'a script of a page',
      '<script>\nlet one = two + three + four;\n</script>\n',
      '<script>\nlet ONE = two + three + four;\n</script>\n',
      '<script>\nlet one = two + three + FOUR;\n</script>\n',
      null,
    ],
    [
      'an indented block of code',
      'a\n\n    one two three four five\n',
      'a\n\n    ONE two three four five\n',
      'a\n\n    one two three four FIVE\n',
      null,
    ],
  ];
  for (const [name, base, one, other, expected] of cases) {
    it(`${name}: ${expected === null ? 'a conflict' : 'merged'}`, () => {
      for (const [current, mine] of [
        [one, other],
        [other, one],
      ] as const) {
        const { text, conflicts, wordLines } = merge3(base, current, mine);
        assert.equal(conflicts.length > 0, expected === null, text);
        assert.equal(wordLines.length > 0, expected !== null);
        if (expected !== null) assert.equal(withLineFeeds(text), withLineFeeds(expected));
      }
    });
  }

  it('has both changes wherever they are in a paragraph, if a word is between them', () => {
    const words = Array.from(
      { length: 30 },
      (_, index) => `word${'abcdefghij'[index % 10]}${index}x`,
    );
    const base = words.join(' ');
    const change = (from: number, how: string, mark: string) => {
      const changed = [...words];
      if (how === 'replace') changed[from] = mark;
      if (how === 'insert') changed.splice(from, 0, mark);
      if (how === 'delete') changed.splice(from, 1);
      return changed.join(' ');
    };
    let pairs = 0;
    for (let one = 1; one < 29; one += 1) {
      for (let other = 1; other < 29; other += 1) {
        if (Math.abs(one - other) < 2) continue;
        const [how, way] = [
          ['replace', 'insert', 'delete'][one % 3],
          ['replace', 'insert'][other % 2],
        ];
        const mine = change(one, how as string, 'MINE');
        const theirs = change(other, way as string, 'THEIRS');
        const { text, conflicts, wordLines } = merge3(base, theirs, mine);
        assert.deepEqual([conflicts, wordLines], [[], [1]], `${one} ${how}, ${other} ${way}`);
        assert.equal(text, merge3(base, mine, theirs).text);
        assert.ok(text.includes('THEIRS'));
        if (how === 'delete') assert.ok(!text.split(' ').includes(words[one] as string));
        else assert.ok(text.includes('MINE'));
        pairs += 1;
      }
    }
    assert.ok(pairs > 600);
  });

  it('takes linear time for hostile lines', () => {
    for (const piece of ['<', '`', '](', '$', '\\(', 'a://', '1.', 'a', '字', '\u0301']) {
      const line = piece.repeat(4_000);
      merge3(`${line}\n`, `x${line}\n`, `${line}y\n`);
    }
  });
});
