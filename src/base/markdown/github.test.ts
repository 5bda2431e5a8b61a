import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMarkdown } from './render.ts';

const html = (source: string): string => renderMarkdown(source).html;
const rel = 'rel="nofollow ugc noopener noreferrer"';

test('tables are in a scrolling container; cells are aligned without styles', () => {
  assert.equal(
    html('| a | b | c |\n|:--|:-:|--:|\n| 1 | `x\\|y` | ~~3~~ |'),
    '<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table>\n<thead>\n<tr>\n' +
      '<th align="left">a</th>\n<th align="center">b</th>\n<th align="right">c</th>\n</tr>\n</thead>\n' +
      '<tbody>\n<tr>\n<td align="left">1</td>\n<td align="center"><code>x|y</code></td>\n' +
      '<td align="right"><s>3</s></td>\n</tr>\n</tbody>\n</table></div>\n',
  );
});

test('task lists are disabled checkboxes labelled by their item', () => {
  assert.equal(
    html('- [ ] open\n- [X] *done*\n- plain\n- \\[ ] escaped\n- [ ]no space'),
    '<ul class="contains-task-list">\n' +
      '<li class="task-list-item"><label class="task-list-item-label">' +
      '<input type="checkbox" class="task-list-item-checkbox" disabled /> open</label></li>\n' +
      '<li class="task-list-item"><label class="task-list-item-label">' +
      '<input type="checkbox" class="task-list-item-checkbox" disabled checked /> <em>done</em></label></li>\n' +
      '<li>plain</li>\n<li>[ ] escaped</li>\n<li>[ ]no space</li>\n</ul>\n',
  );
  assert.match(html('1. [x] a\n\n   more'), /^<ol class="contains-task-list">/);
  assert.doesNotMatch(html('[ ] not in a list'), /input/);
});

test('the alternative text of an image can end with its size', () => {
  const rest = 'loading="lazy" decoding="async" />';
  for (const [alt, shown] of [
    ['a gear|300', 'alt="a gear" width="300"'],
    ['a gear |300x200', 'alt="a gear" width="300" height="200"'],
    ['|20', 'alt="" width="20"'],
    ['*a* b|9999', 'alt="a b" width="9999"'],
    ...['a|0', 'a|03', 'a|10000', 'a|300x', 'a|300x0', 'a|300px', 'a| 300', '300'].map((text) => [
      text,
      `alt="${text}"`,
    ]),
    ['a\\|300', 'alt="a|300"'],
    ['a [b](c)|30', 'alt="a b" width="30"'],
    ['`a` and $b^2$', 'alt="a and b^2"'],
  ]) {
    assert.equal(html(`![${alt}](g.png)`), `<p><img src="g.png" ${shown} ${rest}</p>\n`);
  }
  assert.match(html('|a|\n|-|\n|![a\\|30](g.png)|'), /<td><img src="g.png" alt="a" width="30"/);
  assert.match(
    html('[![a|30][g]](b)\n\n[g]: g.png'),
    /<a href="b"><img src="g.png" alt="a" width="30"/,
  );
  const { title, headings, description } = renderMarkdown(
    '# ![Gears|30](g.png)\n\n![A gear|30](g.png) turns.',
  );
  assert.deepEqual([title, headings[0]?.text, description], ['Gears', 'Gears', 'A gear turns.']);
});

test('footnotes link there and back, once per reference', () => {
  const output = html('One[^a], again[^a], two[^b].\n\n[^b]: Second.\n[^a]: First.\n\n    More.');
  const ref = (number: number, place: string): string =>
    `<sup class="footnote-ref"><a href="#user-content-fn-${number}" id="user-content-fnref-${place}" ` +
    `aria-label="Footnote ${number}">${number}</a></sup>`;
  const back = (place: string): string =>
    ` <a href="#user-content-fnref-${place}" class="footnote-backref" ` +
    `aria-label="Back to reference ${place}">↩︎</a>`;
  assert.equal(
    output,
    `<p>One${ref(1, '1')}, again${ref(1, '1-2')}, two${ref(2, '2')}.</p>\n` +
      '<section class="footnotes" role="doc-endnotes" aria-label="Footnotes">\n<ol>\n' +
      `<li id="user-content-fn-1"><p>First.</p>\n<p>More.${back('1')}${back('1-2')}</p>\n</li>\n` +
      `<li id="user-content-fn-2"><p>Second.${back('2')}</p>\n</li>\n</ol>\n</section>\n`,
  );
  assert.equal(
    html('No [^definition] and ^[none inline].'),
    '<p>No [^definition] and ^[none inline].</p>\n',
  );
});

test('alerts of the five kinds, and no others', () => {
  for (const kind of ['note', 'tip', 'important', 'warning', 'caution']) {
    const name = kind[0]?.toUpperCase() + kind.slice(1);
    assert.equal(
      html(`> [!${kind.toUpperCase()}]\n> Text.`),
      `<div class="markdown-alert markdown-alert-${kind}">\n` +
        `<p class="markdown-alert-title">${name}</p>\n<p>Text.</p>\n</div>\n`,
    );
  }
  assert.match(html('- a\n\n   > [!TIP]\n   > x'), /<li>\n<p>a<\/p>\n<div class="markdown-alert/);
  for (const source of ['> [!OTHER]\n> x', '> [!NOTE] x\n> y', '> a\n> [!NOTE]']) {
    assert.match(html(source), /^<blockquote>/, source);
  }
});

test('URLs in text become links, bare host names don’t', () => {
  for (const [text, link] of [
    ['https://a.example/b?c=d#e', 'https://a.example/b?c=d#e'],
    ['http://a.example', 'http://a.example'],
    ['www.a.example/b', 'http://www.a.example/b'],
    ['a.b+c@d.example', 'mailto:a.b+c@d.example'],
  ]) {
    const attributes = link?.startsWith('http') ? ` ${rel}` : '';
    assert.equal(html(`(${text}).`), `<p>(<a href="${link}"${attributes}>${text}</a>).</p>\n`);
  }
  for (const text of [
    'a.com',
    'README.md',
    'ftp://a.example',
    '//a.example',
    'a@b',
    'x/www.',
    'node.js',
    'mime-db@1.54.0',
  ]) {
    assert.equal(html(text), `<p>${text}</p>\n`);
  }
  assert.doesNotMatch(html('`https://a.example`'), /<a/);
});

test('URLs end before punctuation and markup; email addresses are found after any character', () => {
  const link = (url: string, text = url) =>
    `<a href="${url}"${url.startsWith('http') ? ` ${rel}` : ''}>${text}</a>`;
  const mail = link('mailto:me@a.example', 'me@a.example');
  const url = link('https://a.example/b');
  const cases: Record<string, string> = {
    '*See https://a.example/b.*': `<em>See ${url}.</em>`,
    '_https://a.example/b_': `<em>${url}</em>`,
    '~~https://a.example/b~~': `<s>${url}</s>`,
    'https://a.example/b?! https://a.example/b:': `${url}?! ${url}:`,
    'https://a.example/b&copy;': `${url}©`,
    'mail:me@a.example': `mail:${mail}`,
    '<me@a.example>': mail,
    '&lt;me@a.example&gt;': `&lt;${mail}&gt;`,
  };
  for (const [source, expected] of Object.entries(cases)) {
    assert.equal(html(source), `<p>${expected}</p>\n`, source);
  }
});

test('strikethrough needs two tildes', () => {
  assert.equal(html('~~a~~ ~b~'), '<p><s>a</s> ~b~</p>\n');
});

test('code is highlighted only for a given, known language', () => {
  assert.equal(
    html('```ts title="x"\nconst a = 1;\n```'),
    '<pre><code class="hljs language-ts"><span class="hljs-keyword">const</span> a = ' +
      '<span class="hljs-number">1</span>;\n</code></pre>\n',
  );
  assert.equal(
    html('```nosuch\na < b\n```'),
    '<pre><code class="language-nosuch">a &lt; b\n</code></pre>\n',
  );
  assert.equal(html('```\nconst a;\n```'), '<pre><code>const a;\n</code></pre>\n');
  assert.equal(html('    const a;'), '<pre><code>const a;\n</code></pre>\n');
  const long = 'const a = 1;\n'.repeat(10_000);
  assert.doesNotMatch(html(`\`\`\`js\n${long}\`\`\``), /hljs/);
});

test('a Mermaid block stays as source, marked for the browser', () => {
  const { html, diagrams } = renderMarkdown('```mermaid\ngraph TD; A-->B["<b>"]\n```');
  assert.equal(
    html,
    '<pre class="mermaid-source" data-diagram="mermaid"><code>' +
      'graph TD; A--&gt;B["&lt;b&gt;"]\n</code></pre>\n',
  );
  assert.equal(diagrams, true);
  assert.equal(renderMarkdown('`mermaid`').diagrams, false);
});

test('emphasis works beside punctuation of Chinese, Japanese and Korean', () => {
  const cases: Record<string, string> = {
    '**提示：**正文': '<strong>提示：</strong>正文',
    '**「要点」**内容': '<strong>「要点」</strong>内容',
    '*（括号）*后': '<em>（括号）</em>后',
    '~~旧（一）~~新': '<s>旧（一）</s>新',
    '**강조(괄호)**는': '<strong>강조(괄호)</strong>는',
    '价格は**100%**達成': '价格は<strong>100%</strong>達成',
    '**[说明](x)**是': '<strong><a href="x">说明</a></strong>是',
    'これは**「重要」**です。': 'これは<strong>「重要」</strong>です。',
    'a**"b"**c snake_case_name 2 * 3 * 4': 'a**"b"**c snake_case_name 2 * 3 * 4',
  };
  for (const [source, expected] of Object.entries(cases)) {
    assert.equal(html(source), `<p>${expected}</p>\n`, source);
  }
});

test('URLs end before punctuation of scripts that write no space after it', () => {
  const link = (url: string) => `<a href="${encodeURI(url)}" ${rel}>${url}</a>`;
  const url = link('https://a.example/b');
  const host = link('https://a.example');
  const cases: Record<string, string> = {
    '见 https://a.example/b。然后': `见 ${url}。然后`,
    'https://a.example，和（https://a.example/b）': `${host}，和（${url}）`,
    '「https://a.example/b」、https://a.example！': `「${url}」、${host}！`,
    '“https://a.example/b” ‘https://a.example’': `“${url}” ‘${host}’`,
    'https://a.example/b،': `${url}،`,
    'https://a.example。https://a.example/b': `${host}。${url}`,
    'https://a.example/你好(二)?q=é#ü': link('https://a.example/你好(二)?q=é#ü'),
  };
  for (const [source, expected] of Object.entries(cases)) {
    assert.equal(html(source), `<p>${expected}</p>\n`, source);
  }
  assert.match(
    html('www.a.example/b。x'),
    /<a href="http:\/\/www\.a\.example\/b"[^>]*>[^<]*<\/a>。x/,
  );
});

test('links within the text reach a heading however they are written', () => {
  const reached = (address: string): string | undefined =>
    /<a href="([^"]*)">x<\/a>/.exec(
      html(`[x](${address})\n\n# Hello World\n\n## Über uns\n\n<a id="Own"></a>`),
    )?.[1];
  for (const [address = '', id] of [
    ['#hello-world', 'hello-world'],
    ['#Hello-World', 'hello-world'],
    ['#hello%20world', 'hello-world'],
    ['<#Hello World>', 'hello-world'],
    ['#%C3%9Cber-Uns', 'über-uns'],
    ['#user-content-Hello-World', 'hello-world'],
    ['#Own', 'Own'],
    ['#Nowhere', 'Nowhere'],
  ]) {
    assert.equal(reached(address), `#user-content-${id}`, address);
  }
});

test('languages that are rendered can have capitals', () => {
  assert.match(html('```Mermaid\ngraph TD\n```'), /^<pre class="mermaid-source"/);
  assert.match(html('~~~MATH\nx\n~~~'), /^<math display="block"/);
  assert.match(html('```Mermaids\ngraph TD\n```'), /^<pre><code class="language-Mermaids"/);
});
