/** Single cases of rich text and the expected Markdown, by what they are about. */
export const SMALL_PASTES: Record<string, [html: string, markdown: string][]> = {
  'what the reading page renders': [
    [`<p>a <code class="math-error">\\frac{</code> b</p>`, `a $\\frac{$ b`],
    [
      `<pre class="math-error"><code>\\frac{</code></pre>`,
      `$$
\\frac{
$$`,
    ],
    [
      `<p>One<sup class="footnote-ref"><a href="https://b.example/read/a#user-content-fn-1" id="user-content-fnref-1">1</a></sup> and two<sup class="footnote-ref"><a href="#user-content-fn-1" id="user-content-fnref-1-2">1</a></sup>.</p><section class="footnotes"><ol>
<li id="user-content-fn-1"><p>The <strong>note</strong>.</p>
<p>More. <a href="#user-content-fnref-1" class="footnote-backref">↩︎</a> <a href="#user-content-fnref-1-2" class="footnote-backref">↩︎</a></p>
</li>
</ol></section>`,
      `One[^1] and two[^1].

[^1]: The **note**.

    More.`,
    ],
    [`<p>One<sup><a href="#user-content-fn-2">2</a></sup></p>`, `One<sup>2</sup>`],
  ],
  'breaks and marks': [
    [
      `<p><b>Name:<br></b>Ada<br><i>Role<br></i>Dev</p>`,
      `**Name:**\\
Ada\\
_Role_\\
Dev`,
    ],
    [
      `<p><span>one<br></span>two <b>x</b></p>`,
      `one\\
two **x**`,
    ],
    [
      `<p><a href="https://e.org/">one<br></a>two</p>`,
      `[one](https://e.org/)\\
two`,
    ],
    [
      `<p>one<b><br>two</b></p>`,
      `one\\
**two**`,
    ],
    [
      `<p><b>one<br>two</b> <b>a<br><br>b</b></p>`,
      `**one**\\
**two** **a**

**b**`,
    ],
    [
      `<p><a href="https://e.org/">one<br>two</a></p>`,
      `[one\\
two](https://e.org/)`,
    ],
    [
      `<p><code>one<br>two</code> <code>a<b>b</b></code></p>`,
      `\`one\`\\
\`two\` \`ab\``,
    ],
    [`<h2>one<br>two</h2>`, `## one<br>two`],
    [`<h2>1. a - #</h2>`, `## 1. a - \\#`],
    [
      `<p><b>x</b> https://e.org/a<br>y</p>`,
      `**x** https://e.org/a<br>
y`,
    ],
    [`<ul><li><span><br></span><b>a</b><br></li></ul>`, `- **a**`],
  ],
  'blocks in marks and links': [
    [
      `<a href="https://e.org/"><h3>Title</h3><p>Desc <b>bold</b></p></a>`,
      `### [Title](https://e.org/)

[Desc **bold**](https://e.org/)`,
    ],
    [
      `<b><p>a</p><ul><li>c</li></ul></b>`,
      `**a**

- **c**`,
    ],
    [
      `<a href="https://e.org/"><pre>x</pre></a><p>y</p>`,
      `\`\`\`
x
\`\`\`

y`,
    ],
  ],
  'marks in and beside words': [
    [`<p>un<i>believ</i>able 这是<i>要点</i>的 2<i>n</i></p>`, `un*believ*able 这是*要点*的 2*n*`],
    [`<p><b>重点：</b>内容</p>`, `**重点：**内容`],
    [
      `<p><b>Note:</b>text <b>(a)</b>b <i>"q"</i>s <s>"x"</s>y</p>`,
      `<strong>Note:</strong>text <strong>(a)</strong>b <em>"q"</em>s <del>"x"</del>y`,
    ],
    [
      `<p><b>bold</b><i>em</i> <b>Name:</b><i>Ada</i> <i>in<b>x</b></i> a<i>b</i><b>c</b></p>`,
      `**bold**_em_ **Name:**_Ada_ _in**x**_ a<em>b</em>**c**`,
    ],
    [
      `<p>Wow!<a href="https://e.org/">l</a> http://e.org/<b>x</b></p>`,
      `Wow\\![l](https://e.org/) http://e.org/<strong>x</strong>`,
    ],
  ],
  'signs in plain text': [
    [
      `<p><b>a</b></p><p>1) one</p><p>~~d~~</p><p>$a$ and $5 to $6</p>`,
      `**a**

1\\) one

\\~\\~d\\~\\~

\\$a$ and $5 to $6`,
    ],
    [
      `<p><b>a</b></p><p>- x</p><p>-5</p><p>+ y</p><p># h</p><p>#tag C# and F #</p><p>2024. Year</p><p>---</p><p>===</p><p>&gt; q</p>`,
      `**a**

\\- x

-5

\\+ y

\\# h

#tag C# and F #

2024\\. Year

\\---

\\===

\\> q`,
    ],
    [
      `<p><b>a</b></p><p>a * b, 2*3*4, _x_, a_b, C:\\Users\\ada, \\(x\\), [^1], [x], \`c\`</p>`,
      `**a**

a * b, 2\\*3\\*4, \\_x\\_, a_b, C:\\Users\\ada, \\\\(x\\\\), \\[^1], \\[x], \\\`c\\\``,
    ],
    [
      `<p><b>a</b></p><p>a|b<br>-|-<br>1|2</p>`,
      `**a**

a|b\\
\\-|-\\
1|2`,
    ],
    [
      `<p><b>a</b></p><p>1<b>.</b> x</p><p><span>-</span> y</p><p>&amp;lt; &lt;b&gt; https://x.org/_foo_</p>`,
      `**a**

1<strong>.</strong> x

\\- y

\\&lt; \\<b> https://x.org/_foo_`,
    ],
  ],
  'cells with blocks': [
    [
      `<table><tr><th>A</th><th>B</th></tr><tr><td>x</td><td><ul><li>1</li><li>2</li></ul></td></tr><tr><td>y</td><td>z</td></tr></table>`,
      `| A   | B      |
| --- | ------ |
| x   | 1<br>2 |
| y   | z      |`,
    ],
    [
      `<table><tr><th>A</th><th>B</th></tr><tr><td><pre>x = 1 | 2
y</pre></td><td><blockquote><p>q</p><p>r</p></blockquote></td></tr></table>`,
      `| A                   | B      |
| ------------------- | ------ |
| \`x = 1 \\| 2\`<br>\`y\` | q<br>r |`,
    ],
    [
      `<table><tr><th>A</th><th>B</th></tr><tr><td><h3>H</h3><p>t</p></td><td><table><tr><td>i</td><td>j</td></tr><tr><td>k</td></tr></table></td></tr></table>`,
      `| A          | B          |
| ---------- | ---------- |
| **H**<br>t | i · j<br>k |`,
    ],
    [
      `<table><tr><th>A</th><th>B</th></tr><tr><td><ol start="3"><li><p>a</p><p>b</p></li><li>c</li></ol></td><td>a\\|b<br><br>c</td></tr></table>`,
      `| A                 | B           |
| ----------------- | ----------- |
| 3. a<br>b<br>4. c | a\\\\\\|b<br>c |`,
    ],
    [
      `<table><tr><th>A</th><th>B</th></tr><tr><td><b>x<br></b>y</td><td>- 5</td></tr></table>`,
      `| A          | B   |
| ---------- | --- |
| **x**<br>y | - 5 |`,
    ],
    [
      `<table><tr><td>a</td></tr><tr><td>b</td></tr></table>`,
      `| a   |
| --- |
| b   |`,
    ],
    [
      `<table><tr><td>a</td><td>b</td></tr></table>`,
      `| a   | b   |
| --- | --- |`,
    ],
    [
      `<table role="presentation"><tr><td><h2>Hi</h2></td></tr><tr><td><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></td></tr></table>`,
      `## Hi

| A   | B   |
| --- | --- |
| 1   | 2   |`,
    ],
    [
      `<table border="0"><tr><td><h1>News</h1><p>x</p></td></tr><tr><td><p>Text</p></td></tr></table>`,
      `# News

x

Text`,
    ],
  ],
  code: [
    [
      `<pre><div>bash</div><div><code class="language-bash">ls -la</code></div></pre>`,
      `\`\`\`bash
ls -la
\`\`\``,
    ],
    [
      `<pre><div><div>python<button>Copy</button></div></div><div><code>print(1)</code></div></pre>`,
      `\`\`\`python
print(1)
\`\`\``,
    ],
    [
      `<pre><div>src/app.ts</div><code>let a;</code></pre>`,
      `src/app.ts

\`\`\`
let a;
\`\`\``,
    ],
    [
      `<pre><code><span class="line-number">1</span>a
<span class="line-number">2</span>b</code></pre><p>x</p>`,
      `\`\`\`
a
b
\`\`\`

x`,
    ],
    [
      `<table><tr><td class="gutter"><pre>1
2</pre></td><td class="code"><pre>a
b</pre></td></tr></table><p>x</p>`,
      `\`\`\`
a
b
\`\`\`

x`,
    ],
    [
      `<table class="highlight"><tr><td class="blob-num"></td><td class="blob-code">let x;</td></tr><tr><td class="blob-num"></td><td class="blob-code">  y</td></tr></table><p>z</p>`,
      `\`\`\`
let x;
  y
\`\`\`

z`,
    ],
    [
      `<pre><ol class="linenums"><li>a</li><li>  b</li><li></li><li>c</li></ol></pre><p>z</p>`,
      `\`\`\`
a
  b

c
\`\`\`

z`,
    ],
    [
      `<pre><code><div>a</div><div>  b</div><div><br></div><div>c</div></code></pre>`,
      `\`\`\`
a
  b

c
\`\`\``,
    ],
    [
      `<div class="highlight-python notranslate"><div class="highlight"><pre><span>x</span></pre></div></div><p>z</p>`,
      `\`\`\`python
x
\`\`\`

z`,
    ],
  ],
  formulas: [
    [
      `<p>So <span class="katex-display"><span class="katex-mathml"><math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html">x</span></span> and the <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">n</annotation></semantics></math></span><span class="katex-html">x</span></span>th, 2<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">n</annotation></semantics></math></span><span class="katex-html">x</span></span>, <i><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">n</annotation></semantics></math></span><span class="katex-html">x</span></span></i></p>`,
      `So

$$
x^2
$$

and the $\`n\`$th, 2<!-- -->$n$, *$n$*`,
    ],
    [
      `<table><tr><th>A</th><th>B</th></tr><tr><td><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">|x|</annotation></semantics></math></span><span class="katex-html">x</span></span></td><td><span class="katex-display"><span class="katex-mathml"><math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">y</annotation></semantics></math></span><span class="katex-html">x</span></span></td></tr></table>`,
      `| A       | B     |
| ------- | ----- |
| $\\|x\\|$ | $$y$$ |`,
    ],
    [
      `<a href="https://e.org/"><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation></semantics></math></span><span class="katex-html">x</span></span></a>`,
      `[$x$](https://e.org/)`,
    ],
    [
      `<p>So <mjx-container class="MathJax"><mjx-math aria-hidden="true">x</mjx-math><mjx-assistive-mml><math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mi>a</mi><mrow><mi>b</mi><mo>_</mo></mrow></mfrac></math></mjx-assistive-mml></mjx-container></p>`,
      `So $x^{2}+\\frac{a}{b\\_}$`,
    ],
    [
      `<p>So <mjx-container class="MathJax"><mjx-math aria-hidden="true">x</mjx-math><mjx-assistive-mml><math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>sin</mi><mi>x</mi></math></mjx-assistive-mml></mjx-container></p>`,
      `So $∑_{i=1}^{n}\\sin x$`,
    ],
  ],
  'what the reading page and GitHub make of Markdown': [
    [
      '<p>a</p><div class="markdown-alert markdown-alert-note"><p class="markdown-alert-title">Note</p><p>Body <b>x</b></p><ul><li>y</li></ul></div>',
      'a\n\n> [!NOTE]\n> Body **x**\n>\n> - y',
    ],
    [
      '<div class="markdown-alert markdown-alert-warning" dir="auto"><p class="markdown-alert-title"><svg><path d="M0"></path></svg>Warning</p><p>Body</p></div>',
      '> [!WARNING]\n> Body',
    ],
    [
      '<figure class="diagram"><div class="diagram-picture"><img src="data:image/svg+xml,x" alt="Diagram"></div><details><summary>Show source</summary><pre class="mermaid-source" data-diagram="mermaid"><code>graph TD\nA --&gt; B\n</code></pre></details></figure>',
      '```mermaid\ngraph TD\nA --> B\n```',
    ],
    [
      '<p>see <a data-address="obsidian://open?vault=x">the note</a> or <a href="tel:+49">call</a></p>',
      'see [the note](obsidian://open?vault=x) or [call](tel:+49)',
    ],
  ],
  'marks as HTML': [
    [
      '<p><mark>hot</mark> <ins>new</ins> <u>under</u> <small>s</small> <q>q</q> <b>x</b></p>',
      '<mark>hot</mark> <ins>new</ins> <u>under</u> <small>s</small> <q>q</q> **x**',
    ],
    [
      '<p><a href="https://e.org/"><u>x</u></a> <u><a href="https://e.org/">y</a></u></p>',
      '[x](https://e.org/) [y](https://e.org/)',
    ],
  ],
  'lists one after another': [
    [
      '<ol><li>one</li><li>two</li></ol><ol><li><b>uno</b></li><li>due</li></ol><ol><li>un</li></ol>',
      '1. one\n2. two\n\n1) **uno**\n2) due\n\n1. un',
    ],
    ['<div><ul><li>a</li></ul></div> <div><ul><li>b</li></ul></div>', '- a\n\n* b'],
    [
      '<ul><li>a</li></ul><p>x</p><ul><li>b</li></ul><ol><li>c</li></ol>',
      '- a\n\nx\n\n- b\n\n1. c',
    ],
  ],
  'pictures that are text': [
    [
      '<p><b>Go</b> <img class="emoji" alt="🚀" src="https://x.example/e.png"><img alt="👩🏽‍💻" src="https://x.example/f.png"> <img alt="3" src="https://x.example/3.png"></p>',
      '**Go** 🚀👩🏽‍💻 ![3](https://x.example/3.png)',
    ],
    ['<p>go <img class="emoji" alt="🚀" src="https://x.example/e.png"> on</p>', 'go 🚀 on'],
    [
      '<p><img src="file:///a.png" alt="a chart"> <img src="data:image/svg+xml,x" alt="b"><img src="cid:1" alt=""><img src="x.png" width="1" alt="pixel"></p>',
      'a chart b',
    ],
  ],
};
