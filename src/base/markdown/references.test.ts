import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Kind } from '../schema/kind.ts';
import { createFindFile } from './reference-paths.ts';
import { referencesIn, rewriteReferences } from './references.ts';

/** Texts, the references in them, and the texts when each points to `new.md`. */
const BRIEFS: Record<string, [source: string, references: string[], rewritten: string]> = {
  'a link': ['[a](x.md)', ['link x.md'], '[a](new.md)'],
  'a link with a fragment': ['[a](../b/x.md#s-1)', ['link ../b/x.md #s-1'], '[a](new.md#s-1)'],
  'a link with a title': ['[a](x.md "T (1)")', ['link x.md'], '[a](new.md "T (1)")'],
  'percent-encoded': ['[a](My%20File.md)', ['link My File.md'], '[a](new.md)'],
  'in brackets': ['[s](<./My File.md> "t")', ['link ./My File.md'], '[s](new.md "t")'],
  'escaped and with parentheses': ['[a](a\\_b(1).md)', ['link a_b(1).md'], '[a](new.md)'],
  'an absolute path': ['[a](/docs/x.md)', ['link /docs/x.md'], '[a](new.md)'],
  'a query': ['![p](p.png?raw=true)', ['image p.png'], '![p](new.md)'],
  'an image in a link': [
    '[![p](a.png)](b.md)',
    ['image a.png', 'link b.md'],
    '[![p](new.md)](new.md)',
  ],
  'a definition': [
    '[a][1], [1] and ![c][pic]\n\n[1]: <x y.md> "T"\n[pic]:\n  p.png\n',
    ['definition x y.md', 'definition p.png'],
    '[a][1], [1] and ![c][pic]\n\n[1]: new.md "T"\n[pic]:\n  new.md\n',
  ],
  'in lists, quotes and headings': [
    '# [h](x.md) #\n\n> - [a](x.md)\n>   [b](y.md)\n> 1. ![p](p.png)\nlazy [c](z.md)\n',
    ['link x.md', 'link x.md', 'link y.md', 'image p.png', 'link z.md'],
    '# [h](new.md) #\n\n> - [a](new.md)\n>   [b](new.md)\n> 1. ![p](new.md)\nlazy [c](new.md)\n',
  ],
  'a definition in a quote': [
    '> [a]\n>\n> [a]: x.md\n',
    ['definition x.md'],
    '> [a]\n>\n> [a]: new.md\n',
  ],
  'with carriage returns': [
    'a\r\n[b](x.md)\r\n\r\n[c]: y.md\r\n\r\n> [d](z.md)\r\n',
    ['link x.md', 'definition y.md', 'link z.md'],
    'a\r\n[b](new.md)\r\n\r\n[c]: new.md\r\n\r\n> [d](new.md)\r\n',
  ],
  'after front matter': [
    '---\ntitle: "[a](x.md)"\n---\n[b](y.md)\n[c]: z.md\n\n[c]: z.md\n',
    ['link y.md', 'definition z.md'],
    '---\ntitle: "[a](x.md)"\n---\n[b](new.md)\n[c]: z.md\n\n[c]: new.md\n',
  ],
  tables: [
    '| a | b |\n|---|---|\n| [[n\\|m]] \\| | [x](y.md) |\n| x | ![[p.png\\|300]] |\n',
    ['wikilink n |m', 'link y.md', 'embed p.png |300'],
    '| a | b |\n|---|---|\n| [[new\\|m]] \\| | [x](new.md) |\n| x | ![p.png\\|300](new.md) |\n',
  ],
  'equal cells': [
    '| [a](x.md) | [a](x.md) |\n|---|---|\n| [a](x.md) | a |\n',
    ['link x.md', 'link x.md', 'link x.md'],
    '| [a](new.md) | [a](new.md) |\n|---|---|\n| [a](new.md) | a |\n',
  ],
  'tabs and task lists': [
    '-\t[ ] [a](x.md)\n\n\t[b](y.md)\n',
    ['link x.md', 'link y.md'],
    '-\t[ ] [a](new.md)\n\n\t[b](new.md)\n',
  ],
  footnotes: [
    'a[^1]\n\n[^1]: [b](x.md)\n[^2]: [c](y.md)\n',
    ['link x.md', 'link y.md'],
    'a[^1]\n\n[^1]: [b](new.md)\n[^2]: [c](new.md)\n',
  ],
  'HTML in a brief': [
    '<p align="center"><img src="a.png" width=9></p>\n\nsee <a href=b.md>b</a> <img src=\'c d.png\'>\n',
    ['image a.png', 'link b.md', 'image c d.png'],
    '<p align="center"><img src="new.md" width=9></p>\n\nsee <a href=new.md>b</a> <img src=\'new.md\'>\n',
  ],
  wikilinks: [
    '[[Note]] [[Dir/Note|the note]] [[Note#Part one]] [[Note#A#B|x]]',
    [
      'wikilink Note',
      'wikilink Dir/Note |the note',
      'wikilink Note #Part one',
      'wikilink Note #B |x',
    ],
    '[[new|Note]] [[new|the note]] [[new#Part one|Note#Part one]] [[new#B|x]]',
  ],
  'not in code or formulas': [
    '`[a](x.md)` `` [[n]] ``\n\n    [b](x.md)\n\n```md\n[c](x.md) [[n]]\n```\n\n$[[x]](y.md)$\n\n$$\n[[x]]\n$$\n\n<pre>\n[d](x.md)\n</pre>\n<!-- [e](x.md) -->\n',
    [],
    '',
  ],
  'not escaped': ['\\[a](x.md) \\[[n]] \\![a](#x)', [], ''],
  'not elsewhere': [
    '[a](https://x.example/y.md) [b](//x.example/y) [c](#d) [e](mailto:f@g.example) <https://h.example/i.md> [j](<>) [k]()',
    [],
    '',
  ],
  'not brackets of programs': [
    'a[[1]] [[ -f x ]] [[1, 2]] [[^1]] [[]] [[ ]] [[a\nb]] [[[x]]] [[.]]',
    [],
    '',
  ],
  'not Markdown’s own': ['[[a]](https://x.example) [[b]]\n\n[b]: https://x.example', [], ''],
};

const PAGES: typeof BRIEFS = {
  'links and images': [
    '<!doctype html><a href="a.html#x">a</a><img src=b.png><img srcset="c.png 1x, d.png 2x">',
    ['link a.html #x', 'image b.png', 'image c.png', 'image d.png'],
    '<!doctype html><a href="new.md#x">a</a><img src=new.md><img srcset="new.md 1x, new.md 2x">',
  ],
  'several pictures of one element': [
    '<img srcset="a.png, b.png 2x,c.png 3x, data:image/png;base64,AA 4x, data:image/png;base64,BB">',
    ['image a.png', 'image b.png', 'image c.png'],
    '<img srcset="new.md, new.md 2x,new.md 3x, data:image/png;base64,AA 4x, data:image/png;base64,BB">',
  ],
  'entities, case and quotes': [
    "<A HREF='a&amp;b.html'>x</A><link rel=stylesheet href=s.css><video poster=p.png>",
    ['link a&b.html', 'resource s.css', 'image p.png'],
    "<A HREF='new.md'>x</A><link rel=stylesheet href=new.md><video poster=new.md>",
  ],
  'pictures of styles': [
    '<style>a{b:url(a.png);c:url( "b.png" )}</style>url(c.png)<p style="d:url(\'e.png#f\'),url(data:,x)"><a style=g:url(h.png)>',
    ['image a.png', 'image b.png', 'image e.png #f', 'image h.png'],
    '<style>a{b:url(new.md);c:url( "new.md" )}</style>url(c.png)<p style="d:url(\'new.md#f\'),url(data:,x)"><a style=g:url(new.md)>',
  ],
  'not in scripts, comments and other attributes': [
    '<script>x = "<img src=a.png>; url(c.png)"</script><!-- <img src=d.png> --><p href=e><a title="f.md" href="#g"><img src="data:image/png;base64,AA"><textarea><img src=h.png></textarea>',
    [],
    '',
  ],
};

describe('references', () => {
  for (const [kind, cases] of [
    ['brief', BRIEFS],
    ['page', PAGES],
  ] as [Kind, typeof BRIEFS][]) {
    for (const [name, [source, references, rewritten]] of Object.entries(cases)) {
      it(`of a ${kind}: ${name}`, () => {
        const found = referencesIn(source, kind).map(({ form, path, fragment, label }) =>
          [form, path, fragment, label && `|${label}`].filter(Boolean).join(' '),
        );
        assert.deepEqual(found, references);
        assert.equal(
          rewriteReferences(source, kind, () => 'new.md'),
          rewritten || source,
        );
        assert.equal(
          rewriteReferences(source, kind, () => undefined),
          source,
        );
      });
    }
  }

  it('writes other addresses so that they are read again', () => {
    const to = (address: string, source: string, kind: Kind = 'brief') =>
      rewriteReferences(source, kind, () => address);
    const url = 'https://r.example/files/x/pic.png';
    assert.equal(
      to(url, '![[pic.png]] ![[pic.png|300]] ![[pic.png|A gear]]'),
      `![pic.png](${url}) ![pic.png|300](${url}) ![A gear](${url})`,
    );
    assert.equal(to(url, '| ![[p.png\\|30]] |\n|---|'), `| ![p.png\\|30](${url}) |\n|---|`);
    assert.equal(
      to('/ada/pages/x', '[[a*b#Part 1|Say *x*]]'),
      '[Say \\*x\\*](/ada/pages/x#Part%201)',
    );
    assert.equal(to('a (1)|b.md', '[a](x.md)'), '[a](a%20(1)%7Cb.md)');
    assert.equal(
      to('a&"b".html', '<img src=x.png><img src="x.png">', 'page'),
      '<img src=a&amp;&quot;b&quot;.html><img src="a&amp;&quot;b&quot;.html">',
    );
    assert.equal(to('my-note.md', '[[My Note]] [[My Note#P|q]]'), '[[My Note]] [[My Note#P|q]]');
    assert.equal(to('x.md', '[a](x.md) [b](<x.md>)'), '[a](x.md) [b](<x.md>)');
    assert.equal(to('note.md', '![[Dir/Note]]'), '[[note|Dir/Note]]');
    // With its folder, it would mean another owner's document.
    assert.equal(to('dir-note.md', '[[Dir/Note]]'), '[[dir-note|Dir/Note]]');
    assert.equal(to('note.md', '[[A/Dir/Note#P]]'), '[[A/Dir/Note#P]]');
  });

  it('are found again with their new addresses, and nothing else changes', () => {
    const LINKS = ['[a](x.md)', '[[n]]', '[[n|l]]', '![[p.png|30]]', '![p](<a b.png> "t")'];
    const HTML = ['<img src="q.png">', '<a href=z.md>', '</a>', '<div>\n', '<!-- ', '-->'];
    const LINES = ['\n', '\n\n', '\r\n', '> ', '- ', '1. ', '\t', '    ', '```\n', '# ', ' #'];
    const OTHERS = Array.from('[]()!`$*_\\| é日').concat('---\n', '[r]', '[r]: d.md\n', '[^1]: ');
    const pieces = [LINKS, HTML, LINES, OTHERS].flat();
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 20 });
    const property = fc.property(text, (parts) => {
      const source = parts.join('');
      const found = referencesIn(source, 'brief').length;
      const rewritten = rewriteReferences(source, 'brief', () => 'new.md');
      assert.equal(referencesIn(rewritten, 'brief').length, found, rewritten);
      const away = rewriteReferences(source, 'brief', () => 'https://x.example/y');
      assert.deepEqual(referencesIn(away, 'brief'), [], away);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('take linear time', () => {
    const hostile = [
      '[['.repeat(100_000),
      '[[a|'.repeat(100_000),
      '![['.repeat(50_000),
      '[a]('.repeat(50_000),
      '<a href='.repeat(50_000),
      ...[',', 'a,', ' a', ',, a'].map((each) => `<img srcset="${each.repeat(100_000)}">`),
      ...['url(', 'url(a', 'url( ', 'url("'].map((each) => `<style>${each.repeat(50_000)}</style>`),
      `| ${'[[a\\|b]] | '.repeat(500)}\n`.repeat(50),
    ];
    for (const source of hostile) {
      const start = performance.now();
      referencesIn(source, 'brief');
      referencesIn(source, 'page');
      assert.ok(performance.now() - start < 30_000, source.slice(0, 20));
    }
  });
});

describe('files that references mean', () => {
  const find = createFindFile([
    'README.md',
    'docs/README.md',
    'docs/Chapter 1/intro.md',
    'docs/Chapter 1/overview.md',
    'docs/Chapter 1/assets/pic.png',
    'docs/chapter2/details.md',
    'docs/site.html',
    'notes/Über uns.md'.normalize('NFD'),
    'notes/deep/Daily.md',
    'other/deep/Daily.md',
    'other/a.b.md',
  ]);
  const cases: [
    from: string,
    form: 'link' | 'wikilink',
    path: string,
    found: string | undefined,
  ][] = [
    ['docs/README.md', 'link', 'chapter2/details.md', 'docs/chapter2/details.md'],
    ['docs/README.md', 'link', './chapter2/details', 'docs/chapter2/details.md'],
    ['docs/README.md', 'link', 'Chapter 1/Intro.MD', 'docs/Chapter 1/intro.md'],
    ['docs/Chapter 1/intro.md', 'link', '../chapter2/details.md', 'docs/chapter2/details.md'],
    ['docs/Chapter 1/intro.md', 'link', '../chapter2/details.html', 'docs/chapter2/details.md'],
    ['docs/Chapter 1/intro.md', 'link', '..', 'docs/README.md'],
    ['docs/Chapter 1/intro.md', 'link', '../', 'docs/README.md'],
    ['docs/Chapter 1/intro.md', 'link', '/', 'README.md'],
    ['docs/Chapter 1/intro.md', 'link', '../../../x.md', undefined],
    ['docs/Chapter 1/intro.md', 'link', '/docs/site.html', 'docs/site.html'],
    ['docs/Chapter 1/intro.md', 'link', '/chapter2/details.md', 'docs/chapter2/details.md'],
    ['docs/Chapter 1/intro.md', 'link', 'assets\\pic.png', 'docs/Chapter 1/assets/pic.png'],
    ['docs/README.md', 'link', 'pic.png', 'docs/Chapter 1/assets/pic.png'],
    ['docs/README.md', 'link', 'Daily.md', undefined],
    ['docs/README.md', 'link', 'missing.md', undefined],
    ['README.md', 'wikilink', 'Über uns', 'notes/Über uns.md'.normalize('NFD')],
    ['README.md', 'wikilink', 'daily', 'notes/deep/Daily.md'],
    ['README.md', 'wikilink', 'other/deep/Daily', 'other/deep/Daily.md'],
    ['README.md', 'wikilink', 'deep/Daily', 'notes/deep/Daily.md'],
    ['README.md', 'wikilink', 'a.b', 'other/a.b.md'],
    ['other/a.b.md', 'wikilink', '../README', 'README.md'],
    ['README.md', 'wikilink', 'nothing', undefined],
  ];
  for (const [from, form, path, found] of cases) {
    it(`${form} ${path} in ${from}`, () => assert.equal(find(from, { form, path }), found));
  }
});
