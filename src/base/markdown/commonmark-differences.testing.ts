interface Difference {
  /** Its number in the specification. */
  example: number;
  reason: string;
  /** The output instead, in the form of `comparable`. */
  html: string;
}

const ATTRIBUTE = 'the sanitizer lets no class or attribute of this name through';
const ID_AND_CLASS = 'ids of authors get a prefix, and classes of authors go';
const CLASS = 'the class of a language has letters, digits and _+#.- only';
const ELEMENT = 'what is no element of HTML is shown as text';
const CONTENT = 'scripts, styles and text fields go with their content';
const OPEN = 'a style that nothing closes is shown as text';
const UNFINISHED = 'a tag without an end takes nothing of what follows';
const ALONE = 'in a paragraph, a tag that nothing opens or closes is shown as text';
const DECLARATION = 'the sanitizer drops comments, declarations and instructions';
const BALANCED = 'an element that is left open ends with its block, not with the article';
const FRAGMENT = 'links within the article get the prefix of ids';
const SCHEME = 'links lead to a few schemes only';
const DOCUMENT = 'addresses of files and double brackets lead to other documents';
const LINKIFY = 'addresses in text become links, as on GitHub';

/** Intended differences from the examples of CommonMark 0.31. */
export const DIFFERENCES: Difference[] = [
  { example: 31, reason: DOCUMENT, html: '<a href="pages/%C3%B6%C3%B6"></a>' },
  { example: 144, reason: CLASS, html: '<pre><code></code></pre>' },
  { example: 150, reason: ELEMENT, html: '<div>\n  *hello*\n         &lt;foo&gt;<a></a></div>' },
  { example: 152, reason: ATTRIBUTE, html: '<div><p><em>Markdown</em></p></div>' },
  { example: 153, reason: ID_AND_CLASS, html: '<div id="user-content-foo"></div>' },
  { example: 154, reason: ATTRIBUTE, html: '<div id="user-content-foo"></div>' },
  { example: 156, reason: UNFINISHED, html: '&lt;div id="foo"\n*hi*' },
  { example: 157, reason: UNFINISHED, html: '&lt;div class\nfoo' },
  { example: 158, reason: UNFINISHED, html: '&lt;div *???-&amp;&amp;&amp;-&lt;---\n*foo*' },
  { example: 163, reason: ELEMENT, html: '<p>&lt;Warning&gt;\n<em>bar</em>\n&lt;/Warning&gt;</p>' },
  { example: 164, reason: ATTRIBUTE, html: '<i>\n*bar*\n</i>' },
  {
    example: 169,
    reason: ATTRIBUTE,
    html: '<pre><code>\nimport Text.HTML.TagSoup\n\nmain :: IO ()\nmain = print $ parseTags tags\n</code></pre><p>okay</p>',
  },
  { example: 170, reason: CONTENT, html: '<p>okay</p>' },
  { example: 171, reason: CONTENT, html: '' },
  { example: 172, reason: CONTENT, html: '<p>okay</p>' },
  { example: 173, reason: OPEN, html: '&lt;style\n  type="text/css"&gt;\n\nfoo' },
  { example: 176, reason: CONTENT, html: '<p><em>foo</em></p>' },
  { example: 178, reason: CONTENT, html: '1. *bar*' },
  { example: 187, reason: BALANCED, html: '<p>Foo\n<a href="bar">\nbaz</a></p>' },
  { example: 201, reason: ELEMENT, html: '<p>[foo]: &lt;bar&gt;(baz)</p><p>[foo]</p>' },
  { example: 344, reason: BALANCED, html: '<p><a href="`">`</a></p>' },
  { example: 476, reason: BALANCED, html: '<p>**<a href="**"></a></p>' },
  { example: 477, reason: BALANCED, html: '<p>__<a href="__"></a></p>' },
  { example: 484, reason: DOCUMENT, html: '<p><a href="target"></a></p>' },
  { example: 491, reason: ELEMENT, html: '<p>[link](&lt;foo\nbar&gt;)</p>' },
  { example: 494, reason: ALONE, html: '<p>[a](&lt;b)c\n[a](&lt;b)c&gt;\n[a](&lt;b&gt;c)</p>' },
  {
    example: 501,
    reason: FRAGMENT,
    html: '<p><a href="#user-content-fragment">link</a></p><p><a href="https://example.com#fragment">link</a></p><p><a href="https://example.com?foo=3#frag">link</a></p>',
  },
  { example: 524, reason: ELEMENT, html: '<p>[foo &lt;bar attr="](baz)"&gt;</p>' },
  { example: 536, reason: ELEMENT, html: '<p>[foo &lt;bar attr="][ref]"&gt;</p>' },
  {
    example: 590,
    reason: DOCUMENT,
    html: '<p><a href="foo">foo</a></p><p><a href="foo">foo</a>: /url "title"</p>',
  },
  { example: 596, reason: SCHEME, html: '<p>&lt;irc://foo.bar:2233/baz&gt;</p>' },
  { example: 598, reason: SCHEME, html: '<p>&lt;a+b+c:d&gt;</p>' },
  { example: 599, reason: SCHEME, html: '<p>&lt;made-up-scheme://foo,bar&gt;</p>' },
  { example: 601, reason: SCHEME, html: '<p>&lt;localhost:5001/foo&gt;</p>' },
  {
    example: 602,
    reason: LINKIFY,
    html: '<p>&lt;<a href="https://foo.bar/baz">https://foo.bar/baz</a> bim&gt;</p>',
  },
  {
    example: 608,
    reason: LINKIFY,
    html: '<p>&lt; <a href="https://foo.bar">https://foo.bar</a> &gt;</p>',
  },
  {
    example: 611,
    reason: LINKIFY,
    html: '<p><a href="https://example.com">https://example.com</a></p>',
  },
  {
    example: 612,
    reason: LINKIFY,
    html: '<p><a href="mailto:foo@bar.example.com">foo@bar.example.com</a></p>',
  },
  { example: 613, reason: ALONE, html: '<p>&lt;a&gt;&lt;bab&gt;&lt;c2c&gt;</p>' },
  { example: 614, reason: ALONE, html: '<p>&lt;a/&gt;&lt;b2/&gt;</p>' },
  { example: 615, reason: ALONE, html: '<p>&lt;a  /&gt;&lt;b2\ndata="foo" &gt;</p>' },
  { example: 616, reason: BALANCED, html: '<p><a></a></p>' },
  { example: 617, reason: ELEMENT, html: '<p>Foo &lt;responsive-image src="foo.jpg" /&gt;</p>' },
  { example: 623, reason: ALONE, html: '<p>&lt;/a&gt;&lt;/foo &gt;</p>' },
  { example: 629, reason: DECLARATION, html: '<p>foo </p>' },
  { example: 630, reason: BALANCED, html: '<p>foo <a href="ö"></a></p>' },
  { example: 631, reason: BALANCED, html: '<p>foo <a href="\\*"></a></p>' },
  { example: 642, reason: BALANCED, html: '<p><a href="foo  \nbar"></a></p>' },
  { example: 643, reason: BALANCED, html: '<p><a href="foo\\\nbar"></a></p>' },
];
