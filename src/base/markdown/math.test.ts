import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allElements, parseTree } from '../../../test/markdown/html-comparison.ts';
import { renderMarkdown } from './render.ts';

/** The TeX of every formula, with `$$` before block formulas. */
function formulas(source: string): string[] {
  return allElements(parseTree(renderMarkdown(source).html))
    .filter((element) => element.tagName === 'math')
    .map((element) => {
      const value = (name: string) => element.attrs.find((entry) => entry.name === name)?.value;
      return `${value('display') === 'block' ? '$$' : ''}${value('alttext')}`;
    });
}

test('formulas are recognized as on GitHub', () => {
  const cases: [source: string, ...found: string[]][] = [
    ['$x$', 'x'],
    ['a $x^2 + y$ b ($z$), "$w$".', 'x^2 + y', 'z', 'w'],
    ['$a$-$b$', 'a', 'b'],
    ['$`a_b`$ and $`c`$', 'a_b', 'c'],
    ['$a \\$ b$', 'a \\$ b'],
    ['$$x$$', '$$x'],
    ['inline $$x$$ too', '$$x'],
    ['$$\nx\n$$', '$$x'],
    ['$$x\n+ y$$', '$$x\n+ y'],
    ['text\n$$\nx\n$$\ntext', '$$x'],
    ['- item\n\n  $$\n  x\n  $$', '$$x'],
    ['> $$\n> x\n> $$', '$$x'],
    ['```math\nx\n```', '$$x'],
    ['*$x$*', 'x'],
    // As a code span, a formula binds tighter than a link.
    ['[a $x](b) c$', 'x](b) c'],
    ['| $x$ |\n|-----|\n| $y$ |', 'x', 'y'],
    ['$x$ and $x$', 'x', 'x'],
  ];
  for (const [source, ...found] of cases) assert.deepEqual(formulas(source), found, source);
});

test('whatever Temml renders is shown, and what fails for another reason is noted', async () => {
  for (const tex of [
    '\\underbrace{a+b}_{\\text{two}}',
    '\\overbrace{x+y}^{n}',
    'a\\underbrace{x}',
  ]) {
    for (const source of [`$${tex}$`, `$$${tex}$$`, `\\(${tex}\\)`]) {
      const { html } = renderMarkdown(source);
      assert.match(html, /<math/, source);
      assert.doesNotMatch(html, /math-error/, source);
    }
  }
  const faults: string[] = [];
  const note = ({ message }: Error) => faults.push(message);
  process.on('warning', note);
  // Temml's mistake, then the author's.
  for (const source of ['$a^$', '$\\undefined{x}$']) {
    assert.match(renderMarkdown(source).html, /math-error/, source);
  }
  await new Promise(setImmediate);
  process.off('warning', note);
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? '', /Cannot read properties/);
});

test('amounts, variables and incomplete formulas stay text', () => {
  for (const source of [
    'it costs $5 and $6',
    'from $5 to US$6, or ($7)',
    '$5-$6',
    '$20,000 and USD$30,000',
    '$HOME/$PATH',
    '$'.concat('{a}/$', '{b}'),
    '_$folder$',
    'logs_$folder$',
    '$Id$ and $Revision: 1.2 $',
    'a$b$c',
    '$ x $',
    '$x $',
    '$ x$',
    '$',
    '$$',
    '$$$$',
    '$$$x$$$',
    '\\$x\\$',
    '`$x$`',
    '$$ is the shell\n\nand more $ text',
    '$$\nno end\n\n# heading',
    '    $$\n    x\n    $$',
  ]) {
    assert.deepEqual(formulas(source), [], source);
    assert.equal(renderMarkdown(source).math, false, source);
  }
});

test('an invalid formula is shown as source', () => {
  for (const tex of [
    '\\frac{',
    '\\nosuchcommand x',
    '}',
    '\\href{https://a.example}{x}',
    '\\includegraphics{x}',
  ]) {
    const { html } = renderMarkdown(`a $${tex}$ b`);
    assert.equal(html, `<p>a <code class="math-error">${tex}</code> b</p>\n`);
  }
  assert.equal(
    renderMarkdown('$$\n\\frac{<\n$$').html,
    '<pre class="math-error"><code>\\frac{&lt;</code></pre>\n',
  );
});

test('Temml’s styles become classes and attributes', () => {
  const { html } = renderMarkdown(
    '$$\\begin{array}{c|c} a & \\color{red} b \\\\ \\hline c & d \\end{array}$$',
  );
  assert.match(html, /class="tml-bottom-solid tml-right-solid"/);
  assert.match(html, /mathcolor="#ff0000"/);
  assert.doesNotMatch(html, /style=/);
});

test('macros last for one formula and can’t grow without limit', () => {
  assert.match(renderMarkdown('$\\def\\a{x}\\a$ $\\a$').html, /<math.*math-error/);
  assert.match(renderMarkdown('$\\def\\a{\\a\\a}\\a$').html, /math-error/);
});

test('LaTeX’s own brackets are formulas if they look like one', () => {
  const isMath = (source: string): boolean => /<math/.test(renderMarkdown(source).html);
  for (const source of [
    '\\(x\\)',
    'where \\(n\\) is',
    '\\(E = mc^2\\)',
    '\\(f(x)\\), \\(n-1\\)',
    '\\(x_i\\)',
    '\\(50\\%\\)',
    '设\\(f\\)为',
    'log\\(n^2\\)',
    'so \\[\\frac{a}{b}\\] holds',
    '\\[x\\]',
    '\\[\na = b\n- c\n+ d\n\\]',
    '- item\n\n  \\[\n  x^2\n  \\]',
    'Text:\n\\[ E = mc^2 \\]\nmore',
    '> \\(\\alpha\\)',
  ]) {
    assert.ok(isMath(source), source);
  }
  for (const source of [
    '\\(see below\\)',
    '\\[TODO\\] \\[1\\] \\[a b\\] \\[x\\] done',
    '[Foo \\(band\\)](https://a.example/Foo_\\(band\\))',
    'item\\(s\\), f\\(x\\), g\\(a, b\\)',
    '\\(50%\\)',
    '\\(my_file\\) and \\[my_other_file\\]',
    '\\\\(x\\\\)',
    '`\\(x\\)`',
    '\\[\na\n\nb^2\n\\]',
    '\\( never closed ^2',
    '\\(\\)',
  ]) {
    assert.ok(!isMath(source), source);
  }
  const { html } = renderMarkdown('a\n\\[\nx\n\\]\nb');
  assert.match(html, /^<p>a<\/p>\n<math display="block"[\s\S]*<\/math>\n<p>b<\/p>/);
});
