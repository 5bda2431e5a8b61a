import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockedAddresses } from './blocked-addresses.ts';
import { findWarnings, oddityOf } from './warnings.ts';

const blocked = (html: string, sources: string[] = []): string[] =>
  blockedAddresses(html, sources).addresses;

test('finds what a page asks the network for', () => {
  const cases: [html: string, addresses: string[]][] = [
    ['<script src="https://cdn.example/a.js"></script>', ['https://cdn.example/a.js']],
    ['<SCRIPT SRC=//cdn.example/a.js></SCRIPT>', ['//cdn.example/a.js']],
    ['<script src="app.js" defer></script>', ['app.js']],
    ['<link rel="stylesheet" href="https://a.example/s.css">', ['https://a.example/s.css']],
    ['<link rel=preload as=font href="f.woff2">', ['f.woff2']],
    [
      '<img src="a.png" srcset="b.png 1x, https://a.example/c.png 2x">',
      ['a.png', 'b.png', 'https://a.example/c.png'],
    ],
    ['<video src="v.mp4" poster="p.png"></video>', ['v.mp4', 'p.png']],
    ['<iframe src="https://maps.example/embed"></iframe>', ['https://maps.example/embed']],
    ['<style>@import "x.css"; p { background: url( \'y.png\' ) }</style>', ['x.css', 'y.png']],
    ['<p style="background:url(https://a.example/z.png)">', ['https://a.example/z.png']],
    [
      '<script type="module">import x from "https://esm.example/x"; import("./y.js")</script>',
      ['https://esm.example/x', './y.js'],
    ],
    [
      '<script>fetch("/api"); new WebSocket(`wss://a.example/s`)</script>',
      ['/api', 'wss://a.example/s'],
    ],
    ['<script>r.open("GET", "https://a.example/d")</script>', ['https://a.example/d']],
    [
      '<svg><image href="https://a.example/i.png"/><use href="#a"/></svg>',
      ['https://a.example/i.png'],
    ],
    ['<img src=a.png><img src=a.png>', ['a.png']],
    [
      '<script type="importmap">{"imports": {"three": "https://cdn.example/three.js", "a": "./a.js"}}</script>',
      ['https://cdn.example/three.js', './a.js'],
    ],
    ['<script>navigator.sendBeacon("https://a.example/b")</script>', ['https://a.example/b']],
  ];
  for (const [html, addresses] of cases) assert.deepEqual(blocked(html), addresses, html);
});

test('finds nothing in what a page contains or links to', () => {
  for (const html of [
    '<a href="https://a.example">x</a><link rel="canonical" href="https://a.example">',
    '<img src="data:image/png;base64,AA"><img src=""><script src="blob:x"></script>',
    '<style>p { fill: url(#g); background: url(data:image/png;base64,AA) }</style>',
    '<style>/* url(x.png) */ @namespace svg url(http://a.example); p::before { content: "url(y)" }</style>',
    '<!-- <script src="https://a.example/a.js"></script> -->',
    '<template><img src="x.png"></template><noscript><img src="y.png"></noscript>',
    '<script type="application/json">{"a": "fetch(\'/x\')"}</script>',
    '<script>import "react"; const text = "https://a.example";</script>',
    '<p>fetch("/api")</p><pre>&lt;script src="a.js"></pre>',
    '<form action="https://a.example"></form>',
    '',
  ]) {
    assert.deepEqual(blocked(html), [], html);
  }
});

test('hosts that the operator allows may be asked for scripts, styles, fonts and images', () => {
  const sources = ['https://cdn.example', 'https://*.fonts.example', 'https://p.example:8443'];
  const html = `<script src="https://cdn.example/a.js"></script><img src="//cdn.example/i.png">
    <link rel="stylesheet" href="https://x.fonts.example/s"><img src="https://p.example:8443/">
    <script src="http://cdn.example/b.js"></script><script src="https://fonts.example/c.js"></script>
    <script src="https://cdn.example.evil/d.js"></script><img src="https://cdn.example:444/e">
    <script>fetch("https://cdn.example/data"); import("https://cdn.example/m.js")</script>
    <iframe src="https://cdn.example/f"></iframe>`;
  assert.deepEqual(blocked(html, sources), [
    'http://cdn.example/b.js',
    'https://fonts.example/c.js',
    'https://cdn.example.evil/d.js',
    'https://cdn.example:444/e',
    'https://cdn.example/data',
    'https://cdn.example/f',
  ]);
});

test('lists at most 20 addresses, and is fast', () => {
  const many = Array.from({ length: 30 }, (_, index) => `<img src="${index}.png">`).join('');
  assert.deepEqual(
    [blockedAddresses(many, []).addresses.length, blockedAddresses(many, []).more],
    [20, 10],
  );
  const started = performance.now();
  for (const part of [
    '<img src=a>',
    'url(',
    '@import "',
    '/*',
    '@namespace ',
    'import ',
    '<style>',
    '<script>fetch("',
  ]) {
    blocked(`<style>${part.repeat(5_000_000 / part.length)}`);
    blocked(`<script>${part.repeat(5_000_000 / part.length)}`);
    blocked(part.repeat(5_000_000 / part.length));
  }
  assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`);
});

test('notices what was surely meant otherwise', () => {
  const cases: [kind: 'brief' | 'page', text: string, oddity: string][] = [
    ['brief', '```markdown\n# Title\n\nText.\n```', 'wrapped'],
    ['brief', '\n````md\n# Title\n```js\nx\n```\n````\n', 'wrapped'],
    ['brief', `~~~markdown\r\n${'long '.repeat(1_000)}\r\n~~~\r\n`, 'wrapped'],
    ['brief', '<!DOCTYPE html>\n<title>x</title>', 'wrong-kind'],
    ['brief', '```html\n<!doctype html><p>x\n```', 'wrong-kind'],
    ['brief', '<html lang="en"><body>', 'wrong-kind'],
    ['brief', '# Title\\n\\nText.\\n- a\\n- b', 'escaped'],
    ['page', '```html\n<!doctype html><p>x\n```', 'wrapped'],
    ['page', '```\n<p>x</p>\n```\n', 'wrapped'],
    ['page', '# Title\n\n- one\n- two\n', 'wrong-kind'],
    ['page', '# Title\n\nText with **words**.', 'wrong-kind'],
    ['page', '<!doctype html>\\n<title>x</title>\\n<p>y</p>\\n', 'escaped'],
  ];
  for (const [kind, text, oddity] of cases) assert.equal(oddityOf(kind, text), oddity, text);
});

test('says nothing about other texts', () => {
  for (const [kind, text] of [
    ['brief', '# Title\n\n```markdown\n# x\n```'],
    ['brief', '```js\ncode\n```'],
    ['brief', '```markdown\n# x\n```\n\nAnd more.'],
    ['brief', '<div align="center">\n\n# Title\n\n</div>'],
    ['brief', 'Use `\\n` for a line break.'],
    ['brief', 'The strings "a\\n", "b\\n" and "c\\n".\nline\nline\n'],
    ['brief', 'C:\\new\\name\\notes'],
    ['brief', 'The field $\\nabla f \\neq \\nu$ and \\newline'],
    ['brief', 'C:\\\\new C:\\\\next C:\\\\nothing'],
    ['brief', ''],
    ['page', '<p>x</p>'],
    ['page', '<script>a("\\n\\n\\n\\n")</script>'],
    ['page', 'Only words.'],
    ['page', '<h1>x</h1>\n- a\n- b\n# c'],
    ['page', ''],
  ] as const) {
    assert.equal(oddityOf(kind, text), undefined, text);
  }
});

const GITHUB = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const AWS = 'AKIAZ3M7Q2XW4P5LK6JH';

test('warns of pictures that a brief can’t show, but not in code or a page', async () => {
  const data = 'data:image/png;base64,iVBORw0KGgo=';
  const codes = async (kind: 'brief' | 'page', text: string) =>
    (await findWarnings(text, { kind, isPublic: false, pageSources: [] })).map(({ code }) => code);
  for (const text of [`![x](${data})`, `<img src="${data}">`, `![x][y]\n\n[y]: ${data}`]) {
    assert.deepEqual(await codes('brief', text), ['data-pictures'], text);
  }
  assert.deepEqual(await codes('brief', `\`![x](${data})\` and ${data}`), []);
  assert.deepEqual(await codes('page', `<img src="${data}">`), []);
});

test('warns of secrets in public texts, without repeating them', async () => {
  const text = `# Set-up\n\ntoken: ${GITHUB}\n\nAWS ${AWS}\n`;
  const about = { kind: 'brief', pageSources: [] } as const;
  const [warning, ...more] = await findWarnings(text, { ...about, isPublic: true });
  assert.equal(more.length, 0);
  assert.equal(warning?.code, 'secrets');
  assert.match(warning?.message ?? '', /GitHub Token in line 3 \(ghp_…\); .*in line 5 \(AKIA…\)/);
  assert.ok(!JSON.stringify(warning).includes(GITHUB.slice(0, 8)));
  assert.ok(!JSON.stringify(warning).includes(AWS.slice(0, 8)));
  assert.deepEqual(await findWarnings(text, { ...about, isPublic: false }), []);
  const harmless =
    '# Keys\n\nAKIAIOSFODNN7EXAMPLE, `ghp_…`, sk-xxx, password: hunter2, 0123456789abcdef, ' +
    `ghp_${'x'.repeat(36)}, AKIA${'X'.repeat(16)}, brf_${'0'.repeat(36)}, https://user:pass@example.com`;
  assert.deepEqual(await findWarnings(harmless, { ...about, isPublic: true }), []);
});

test('warns of tokens of this service, and of passwords in addresses', async () => {
  const about = { kind: 'brief', isPublic: true, pageSources: [] } as const;
  const token = `brf_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const [warning] = await findWarnings(
    `${token}\n\nhttps://ada:Tr0ub4dor@git.example.org/x`,
    about,
  );
  assert.match(warning?.message ?? '', /Briefs token in line 1 \(brf_…\); basic auth .* line 3/);
});

test('looks for secrets in five megabytes in time', async () => {
  const started = performance.now();
  const text =
    'Lorem ipsum dolor sit amet, key=value token: abcdef0123456789 https://u@h/x '.repeat(65_000);
  assert.deepEqual(await findWarnings(text, { kind: 'page', isPublic: true, pageSources: [] }), []);
  assert.ok(performance.now() - started < 4_000, `${performance.now() - started} ms`);
});
