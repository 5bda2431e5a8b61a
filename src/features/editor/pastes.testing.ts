export interface Paste {
  from: string;
  html: string;
  /** The expected Markdown. */
  markdown: string;
  /** Words of the HTML that are not in the text but, for example, a language of code. */
  absent?: readonly string[];
}

/** Clipboard contents of several programs, shortened. */
export const PASTES: Paste[] = [
  {
    from: 'a web page',
    html: `<meta charset="utf-8"><h1 style="color: red">Gears</h1><p>A <strong>bold</strong>, <em>thin</em>,
      <s>gone</s> word with <code>code_here</code>, snake_case and a
      <a href="https://example.com/a_b?c=1&amp;d=2">link</a>,
      <a href="/relative">none</a>, <a href="https://example.com/">https://example.com/</a>.<br>Line
      H<sub>2</sub>O, press <kbd>F1</kbd>.</p><hr>
      <ul><li>one</li><li><p>two</p><ol start="3"><li>three</li><li>four</li></ol></li></ul>
      <blockquote><p>said</p><p>more</p></blockquote>
      <div class="highlight highlight-source-ts"><pre><span>let</span> a = 1;\n\n<b>let</b> b;</pre></div>
      <p><img alt="a gear" src="https://example.com/gear.png"><img src="/local.png"></p>`,
    markdown: `# Gears

A **bold**, _thin_, ~~gone~~ word with \`code_here\`, snake_case and a [link](https://example.com/a_b?c=1&d=2), none, <https://example.com/>.\\
Line H<sub>2</sub>O, press <kbd>F1</kbd>.

---

- one
- two
  3. three
  4. four

> said
>
> more

\`\`\`ts
let a = 1;

let b;
\`\`\`

![a gear](https://example.com/gear.png)`,
  },
  {
    from: 'Google Docs',
    html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span
      style="font-weight:700;white-space:pre-wrap;">Plan</span></h2><p dir="ltr"><span
      style="font-weight:400;">We </span><span style="font-weight:700;">ship</span><span
      style="font-weight:700;font-style:italic;"> soon</span><span style="font-weight:400;">&nbsp;or </span><a
      href="https://example.com" style="text-decoration:none;"><span
      style="text-decoration:underline;">later</span></a></p><ul><li dir="ltr" aria-level="1"><p
      role="presentation"><span>first</span></p></li><ul><li aria-level="2"><p role="presentation"><span
      style="font-family:'Roboto Mono',monospace;">inner</span></p></li></ul><li role="checkbox"
      aria-checked="true"><p><span>done</span></p></li></ul></b><br class="Apple-interchange-newline">`,
    markdown: `## Plan

We **ship** _**soon**_ or [later](https://example.com)

- first
  - \`inner\`
- [x] done`,
  },
  {
    from: 'Word',
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p {margin:0} --></style>
      <!--[if gte mso 9]><xml><o:p/></xml><![endif]--></head><body lang=EN-US><!--StartFragment-->
      <p class=MsoTitle>Report<o:p></o:p></p><h2>Part<o:p></o:p></h2>
      <p class=MsoNormal>Some <b>bold<o:p></o:p></b> and <i style='mso-bidi-font-style:normal'>thin</i> text</p>
      <p class=MsoListParagraphCxSpFirst style='text-indent:-.25in;mso-list:l0 level1 lfo1'><![if
      !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp;
      </span></span></span><![endif]>one<o:p></o:p></p>
      <p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><![if !supportLists]><span
      style='mso-list:Ignore'>1.<span>&nbsp;</span></span><![endif]>inner</p>
      <p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span
      style='mso-list:Ignore'>·</span>two</p>
      <p class=MsoNormal><img width=60 src="file:///C:/image001.png"><o:p>&nbsp;</o:p></p></body></html>`,
    markdown: `# Report

## Part

Some **bold** and _thin_ text

- one
  1. inner
- two`,
  },
  {
    from: 'a spreadsheet',
    html: `<google-sheets-html-origin><style></style><table><colgroup><col><col></colgroup><tbody>
      <tr><td>Part</td><td style="text-align:right">Price</td></tr>
      <tr><td>Gear | cog</td><td style="text-align:right">12</td></tr>
      <tr><td colspan="2"><b>Sum</b><br>all</td></tr></tbody></table></google-sheets-html-origin>`,
    markdown: `| Part           | Price |
| -------------- | ----: |
| Gear \\| cog    |    12 |
| **Sum**<br>all |       |`,
  },
  {
    from: 'a mail',
    html: `<div dir="ltr"><div style="display:none">Preview</div><table role="presentation"><tr><td><table><tr><td>
      <h2>Hello</h2></td></tr></table></td></tr></table><div>See <a
      href="mailto:ada@example.com">Ada</a>,<br>now<br><br>or later<br></div><div><br></div><div>A*b &amp;amp; c</div><img src="https://example.com/open" width="1" height="1"></div>`,
    markdown: `## Hello

See [Ada](mailto:ada@example.com),\\
now

or later

A\\*b \\&amp; c`,
  },
  {
    from: 'a list of tasks and a formula',
    html: `<ul class="contains-task-list"><li><label><input type="checkbox" checked> done</label></li><li><input
      type="checkbox"> open</li></ul><p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi
      ><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span
      class="katex-html">x2</span></span>.</p>`,
    markdown: `- [x] done
- [ ] open

So $x^2$.`,
  },
];
