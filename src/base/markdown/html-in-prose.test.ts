import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstHeading, renderMarkdown } from './render.ts';
import { renderedText } from './rendered-text.ts';
import { findUnseenLines } from './unseen-lines.ts';

const html = (source: string): string => renderMarkdown(source).html.trim();

test('what is no HTML is shown as text', () => {
  const cases: Record<string, string> = {
    'A List<String> of <T> or <your name>.':
      '<p>A List&lt;String&gt; of &lt;T&gt; or &lt;your name&gt;.</p>',
    'Box<A> and Set<S>': '<p>Box&lt;A&gt; and Set&lt;S&gt;</p>',
    'Promise<Object> gives': '<p>Promise&lt;Object&gt; gives</p>',
    'The <title> of a page': '<p>The &lt;title&gt; of a page</p>',
    'curl <address> -o <output>': '<p>curl &lt;address&gt; -o &lt;output&gt;</p>',
    '<K extends keyof T>': '<p>&lt;K extends keyof T&gt;</p>',
    'use <MyButton /> here': '<p>use &lt;MyButton /&gt; here</p>',
    '<thinking>\n**so**\n\n- a\n\n</thinking>':
      '<p>&lt;thinking&gt;\n<strong>so</strong></p>\n<ul>\n<li>a</li>\n</ul>\n<p>&lt;/thinking&gt;</p>',
    '<div>\nfoo <T> <b>x</b>\n</div>': '<div>\nfoo &lt;T&gt; <b>x</b>\n</div>',
    '<title> matters\n\nrest': '&lt;title&gt; matters\n<p>rest</p>',
    '<x onclick="a()">y</x>': '<p>&lt;x onclick="a()"&gt;y&lt;/x&gt;</p>',
    'Promise<Input>, List<Label>, Option<Table>, FC<P>':
      '<p>Promise&lt;Input&gt;, List&lt;Label&gt;, Option&lt;Table&gt;, FC&lt;P&gt;</p>',
    'The <code> tag, <b> for <b>bold</b>, and </div>.':
      '<p>The &lt;code&gt; tag, &lt;b&gt; for <b>bold</b>, and &lt;/div&gt;.</p>',
    'if a<b and c>d': '<p>if a&lt;b and c&gt;d</p>',
    'vector<std::string> and <xs:element>':
      '<p>vector&lt;std::string&gt; and &lt;xs:element&gt;</p>',
  };
  for (const [source, expected] of Object.entries(cases)) assert.equal(html(source), expected);
});

test('HTML stays HTML', () => {
  const cases: Record<string, string> = {
    'a<br>b <kbd>C</kbd> <B>d</B>': '<p>a<br />b <kbd>C</kbd> <b>d</b></p>',
    '<font color="red">red</font> <big>b</big>': '<p>red b</p>',
    'a <script>alert(1)</script> b': '<p>a  b</p>',
    'a <svg><path d="M0"/></svg> b': '<p>a  b</p>',
    '<A HREF="x">y</A>': '<p><a href="x">y</a></p>',
    '<details>\n<summary>s</summary>\n\n*m*\n\n</details>':
      '<details>\n<summary>s</summary>\n<p><em>m</em></p>\n</details>',
    '<p>one': '<p>one</p>',
    'a <!-- <T> --> b': '<p>a  b</p>',
    'a <ul><li>x<li>y</ul> </br> b': '<p>a </p><ul><li>x</li><li>y</li></ul> <br /> b<p></p>',
    '<b>x\n\ny</b>': '<p><b>x</b></p>\n<p>y</p>',
    '<a name="x">y': '<p><a id="user-content-x">y</a></p>',
    '<https://a.example> <irc://a.example>':
      '<p><a href="https://a.example" rel="nofollow ugc noopener noreferrer">https://a.example</a> ' +
      '&lt;irc://a.example&gt;</p>',
  };
  for (const [source, expected] of Object.entries(cases)) assert.equal(html(source), expected);
});

test('a block that ends within a tag or a comment hides nothing of what follows', () => {
  const cases: Record<string, string> = {
    '<div title="oops>\n<i>a</i>\n\n*b*': '&lt;div title="oops&gt;\n<i>a</i>\n<p><em>b</em></p>',
    '<div> <!-- a\n\n*b*': '<div> <p><em>b</em></p>\n</div>',
    '> <!-- a\n\n*b*': '<blockquote>\n</blockquote>\n<p><em>b</em></p>',
    '<!-- a --> b <!-- c\n\n*d*': 'b <p><em>d</em></p>',
  };
  for (const [source, expected] of Object.entries(cases)) assert.equal(html(source), expected);
});

test('headings, quotes and hidden words agree with what is shown', () => {
  assert.equal(firstHeading('# Map<K> and <T>'), 'Map<K> and <T>');
  const source = '<div>\nfoo <T> bar <Y x="1"> end\n</div>\n\nList<String> x';
  const { text, starts, ends } = renderedText(source);
  assert.equal(text, 'foo<T>bar<Yx="1">endList<String>x');
  for (const part of ['<T>', 'bar', '<Y', 'end', '<String>']) {
    const at = text.indexOf(part);
    assert.equal(source.slice(starts[at], ends[at + part.length - 1]), part);
  }
  assert.deepEqual(findUnseenLines(source), []);
});
