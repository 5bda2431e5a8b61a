import type { Paste } from './pastes.testing.ts';

/** What well-known applications put on the clipboard, written after them and shortened. */
export const APPLICATION_PASTES: Paste[] = [
  {
    from: 'a report in Word',
    html: `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns="http://www.w3.org/TR/REC-html40"><head><meta name=ProgId content=Word.Document><style><!-- /* Font Definitions */ @font-face {font-family:Wingdings;} p.MsoNormal {margin:0cm;} --></style><!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]--></head><body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment-->
<h1>Release plan<o:p></o:p></h1>
<p class=MsoNormal><b style='mso-bidi-font-weight:normal'>Owner:</b>Grace<br>
<b>Due:<br></b>Friday<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='margin-left:36.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Freeze the <i>branch</i><o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Tell everyone<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span>&nbsp; </span></span></span><![endif]>Ship<o:p></o:p></p>
<p class=MsoNormal>Then:<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>3)<span>&nbsp;</span></span>Measure<o:p></o:p></p>
<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none;mso-border-alt:solid windowtext .5pt'>
<tr style='mso-yfti-irow:0'><td width=200 valign=top style='border:solid windowtext 1.0pt;padding:0cm 5.4pt'><p class=MsoNormal><b>Step<o:p></o:p></b></p></td><td style='border:solid windowtext 1.0pt'><p class=MsoNormal align=right style='text-align:right'><b>Notes<o:p></o:p></b></p></td></tr>
<tr><td><p class=MsoNormal>Freeze<o:p></o:p></p></td><td><p class=MsoListParagraph style='mso-list:l2 level1 lfo3'><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span>&nbsp;</span></span></span>tag<o:p></o:p></p><p class=MsoListParagraph style='mso-list:l2 level1 lfo3'><span style='mso-list:Ignore'>·</span>branch<o:p></o:p></p></td></tr></table>
<p class=MsoNormal><o:p>&nbsp;</o:p></p><!--EndFragment--></body></html>`,
    markdown: `# Release plan

<strong>Owner:</strong>Grace\\
**Due:**\\
Friday

- Freeze the _branch_
  - Tell everyone
- Ship

Then:

3. Measure

| **Step** | **Notes**     |
| -------- | ------------- |
| Freeze   | tag<br>branch |`,
  },
  {
    from: 'a page of Google Docs with a table',
    html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-abc"><p dir="ltr" style="line-height:1.38"><span style="font-size:11pt;font-family:Arial;font-weight:700;font-style:normal">Bold</span><span style="font-weight:400">un</span><span style="font-weight:400;font-style:italic">believ</span><span style="font-weight:400">able</span></p><br /><div dir="ltr" align="left"><table style="border:none;border-collapse:collapse;"><colgroup><col width="312"/><col width="312"/></colgroup><tbody><tr style="height:0pt"><td style="border-left:solid #000000 1pt;border-right:solid #000000 1pt;"><p dir="ltr"><span style="font-weight:400">Step</span></p></td><td style="border-left:solid #000000 1pt;"><p dir="ltr"><span style="font-weight:700">Who</span></p></td></tr><tr><td style="border-left:solid #000 1pt"><ul style="margin:0"><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>one</span></p></li><li><p role="presentation"><span>two</span></p></li></ul></td><td><p><span>Ada</span></p></td></tr></tbody></table></div><p dir="ltr"><span style="font-weight:400">line one</span><span><br></span><span>line two</span></p></b><br class="Apple-interchange-newline">`,
    markdown: `**Bold**un*believ*able

| Step       | **Who** |
| ---------- | ------- |
| one<br>two | Ada     |

line one\\
line two`,
  },
  {
    from: 'a thread in Gmail',
    html: `<div dir="ltr"><div>Hi Ada,</div><div><br></div><div>See <b>below</b>:</div><div><ul><li style="margin-left:15px">one</li><li>two</li></ul></div><div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature"><div dir="ltr"><b>Grace</b><br>Engines Ltd<br><a href="tel:+1">+1 234</a></div></div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, 3 Jan 2026 at 10:00, Ada &lt;<a href="mailto:ada@example.com">ada@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204)"><div dir="ltr"><div>Is it done?</div><div>1) ship</div><blockquote class="gmail_quote"><div>Deeper</div></blockquote></div></blockquote></div>`,
    markdown: `Hi Ada,

See **below**:

- one
- two

\\--

**Grace**\\
Engines Ltd\\
[+1 234](tel:+1)

On Mon, 3 Jan 2026 at 10:00, Ada <[ada@example.com](mailto:ada@example.com)> wrote:

> Is it done?
>
> 1\\) ship
>
> > Deeper`,
  },
  {
    from: 'a forwarded mail in Outlook',
    html: `<html><head><style>p.MsoNormal{margin:0}</style></head><body lang=EN-US link="#0563C1"><div class=WordSection1><p class=MsoNormal>Hello Ada,<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><ul style='margin-top:0cm' type=disc><li class=MsoListParagraph style='margin-left:0cm;mso-list:l0 level1 lfo1'>first<o:p></o:p></li><li class=MsoListParagraph style='mso-list:l0 level1 lfo1'><b>second</b><o:p></o:p></li></ul><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b>From:</b> Grace &lt;grace@example.com&gt; <br><b>Sent:</b> Monday, 3 January 2026 10:00<br><b>Subject:</b> Plan<o:p></o:p></p></div><p class=MsoNormal>Please see <a href="https://example.com/x"><span style='color:blue'>the plan</span></a>.<o:p></o:p></p></div></body></html>`,
    markdown: `Hello Ada,

- first
- **second**

**From:** Grace \\<grace@example.com>\\
**Sent:** Monday, 3 January 2026 10:00\\
**Subject:** Plan

Please see [the plan](https://example.com/x).`,
  },
  {
    from: 'cells of Excel',
    html: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta name=ProgId content=Excel.Sheet><style><!--table {mso-displayed-decimal-separator:"\\.";} .xl65 {font-weight:700;}--></style></head><body link="#0563C1"><table border=0 cellpadding=0 cellspacing=0 width=192 style='border-collapse:collapse;width:144pt'><!--StartFragment--><col width=64 span=3 style='width:48pt'><tr height=20><td height=20 class=xl65 width=64 style='height:15.0pt'>Item</td><td class=xl65>Δ</td><td class=xl65>Note</td></tr><tr height=20><td>Gear</td><td align=right>-5</td><td>$a$ | ~~x~~</td></tr><tr><td>+ Cog</td><td align=right>1.</td><td style='mso-ignore:colspan'>line 1<br>line 2</td></tr><tr><td></td><td align=right>#N/A</td><td></td></tr><!--EndFragment--></table></body></html>`,
    markdown: `| Item  |    Δ | Note              |
| ----- | ---: | ----------------- |
| Gear  |   -5 | \\$a$ \\| \\~\\~x\\~\\~ |
| + Cog |   1. | line 1<br>line 2  |
|       | #N/A |                   |`,
  },
  {
    from: 'a column of Excel',
    html: `<html><body><table border=0 cellpadding=0 cellspacing=0 style='border-collapse:collapse'><!--StartFragment--><tr><td>Name</td></tr><tr><td>Ada</td></tr><tr><td>Grace</td></tr><!--EndFragment--></table></body></html>`,
    markdown: `| Name  |
| ----- |
| Ada   |
| Grace |`,
  },
  {
    from: 'an answer in a chat with an agent',
    absent: ['bash', 'ts'],
    html: `<h3 data-start="0">Steps</h3><p data-start="5">Run it, where <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>O</mi><mo>(</mo><mi>n</mi><mo>)</mo></mrow><annotation encoding="application/x-tex">O(n)</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">O(n)</span></span></span> is <strong>fast</strong>:</p><pre class="overflow-visible!" data-start="30"><div class="contain-inline-size rounded-2xl relative"><div class="flex items-center text-xs font-sans justify-between h-9">bash</div><div class="sticky top-9"><div class="absolute end-0 bottom-0"><div class="flex items-center"><button class="flex gap-1" aria-label="Copy"><svg></svg>Copy code</button></div></div></div><div class="overflow-y-auto p-4" dir="ltr"><code class="whitespace-pre! language-bash"><span><span class="hljs-built_in">cd</span> app
npm run build
</span></code></div></div></pre><ol data-start="60"><li><p>One <code>x</code></p><pre><div><span>ts</span><button>Copy</button></div><code class="hljs language-ts">let a = 1;
</code></pre></li><li><p>Two</p></li></ol><span class="katex-display"><span class="katex"><span class="katex-mathml"><math display="block"><semantics><mrow></mrow><annotation encoding="application/x-tex">\\sum_{i=1}^n i = \\frac{n(n+1)}{2}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">∑</span></span></span><div class="TyagGW_tableContainer"><table><thead><tr><th>Case</th><th>Cost</th></tr></thead><tbody><tr><td>best</td><td><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">|x|</annotation></semantics></math></span><span class="katex-html">x</span></span></td></tr></tbody></table></div>`,
    markdown: `### Steps

Run it, where $O(n)$ is **fast**:

\`\`\`bash
cd app
npm run build
\`\`\`

1. One \`x\`

   \`\`\`ts
   let a = 1;
   \`\`\`
2. Two

$$
\\sum_{i=1}^n i = \\frac{n(n+1)}{2}
$$

| Case | Cost    |
| ---- | ------- |
| best | $\\|x\\|$ |`,
  },
  {
    from: 'code with a header beside it',
    absent: ['python'],
    html: `<div class="code-block-wrapper"><div class="header"><span>python</span><div class="buttons"><button>Copy</button></div></div><div><pre><code>print(1)</code></pre></div></div><p>End <em>here</em></p>`,
    markdown: `\`\`\`python
print(1)
\`\`\`

End _here_`,
  },
  {
    from: 'a page of Confluence',
    html: `<h2 id="Plan"><span>Plan</span></h2><div class="table-wrap"><table class="confluenceTable"><colgroup><col/></colgroup><tbody><tr><th class="confluenceTh"><p>Step</p></th><th class="confluenceTh"><p>Notes</p></th></tr><tr><td class="confluenceTd"><p>Freeze</p></td><td class="confluenceTd"><p>First:</p><ul><li><p>tag</p></li><li><p>branch</p></li></ul></td></tr><tr><td class="confluenceTd"><div class="code panel pdl"><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: bash; gutter: false; theme: Confluence">ls -la
pwd</pre></div></div></td><td class="confluenceTd"><blockquote><p>said</p></blockquote></td></tr></tbody></table></div><div class="code panel pdl"><div class="codeHeader panelHeader pdl"><b>build.sh</b></div><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: bash; gutter: true">make</pre></div></div><ul class="inline-task-list"><li class="checked" data-inline-task-id="1"><span>done</span></li><li><span>open</span></li></ul>`,
    markdown: `## Plan

| Step              | Notes                   |
| ----------------- | ----------------------- |
| Freeze            | First:<br>tag<br>branch |
| \`ls -la\`<br>\`pwd\` | said                    |

**build.sh**

\`\`\`bash
make
\`\`\`

- [x] done
- open`,
  },
  {
    from: 'a page of Notion',
    html: `<meta charset='utf-8'><!-- notionvc: 1 --><h2>Plan</h2><p>Text <strong>bold</strong> <em>it</em> <code>c</code></p><ul><li>one<ul><li>two</li></ul></li></ul><ul class="to-do-list"><li><input type="checkbox" checked/> done</li></ul><table><thead><tr><td>A</td><td>B</td></tr></thead><tbody><tr><td>1</td><td>2<br/>3</td></tr></tbody></table><pre><code class="language-javascript">let a = 1;</code></pre><p>$$x^2$$</p><aside>💡 <p>Callout</p></aside><details><summary>More</summary><p>Inside</p></details>`,
    markdown: `## Plan

Text **bold** _it_ \`c\`

- one
  - two

* [x] done

| A   | B      |
| --- | ------ |
| 1   | 2<br>3 |

\`\`\`javascript
let a = 1;
\`\`\`

\\$\\$x^2\\$\\$

💡

Callout

More

Inside`,
  },
  {
    from: 'an article of Wikipedia',
    html: `<p>The <i>n</i>th term is <span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle x^{2}}"><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">{\\displaystyle x^{2}}</annotation></semantics></math></span><img src="https://wikimedia.org/x.svg" class="mwe-math-fallback-image-inline" alt="{\\displaystyle x^{2}}"></span>.<sup id="cite_ref-1"><a href="https://en.wikipedia.org/wiki/X#cite_note-1">[1]</a></sup></p><table class="wikitable"><caption>Years</caption><tbody><tr><th scope="col">Year</th></tr><tr><td>2024</td></tr></tbody></table>`,
    markdown: `The *n*th term is $x^{2}$.<sup>[\\[1\\]](https://en.wikipedia.org/wiki/X#cite_note-1)</sup>

Years

| Year |
| ---- |
| 2024 |`,
  },
  {
    from: 'a formula of MathJax',
    html: `<p>So <mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true"><mjx-mi>x</mjx-mi></mjx-math><mjx-assistive-mml><math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math></mjx-assistive-mml></mjx-container> is <b>it</b></p>`,
    markdown: `So $x^{2}$ is **it**`,
  },
];
