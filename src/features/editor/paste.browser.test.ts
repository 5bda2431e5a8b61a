import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PNG } from '../../../test/files/samples.ts';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage, signedIn } from '../../../test/in-browser.ts';
import { type Counter, startCounter } from '../../../test/render/browser.ts';
import { inSplit } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';
import { renderMarkdown } from '../../base/markdown/render.ts';
import { APPLICATION_PASTES } from './application-pastes.testing.ts';
import { PASTES } from './pastes.testing.ts';
import { richHtml } from './rich-html.testing.ts';
import { SMALL_PASTES } from './small-pastes.testing.ts';

interface Copied {
  html: string;
  plain?: string;
  /** Another type of data that the source adds. */
  mark?: string;
}

describe('Rich text pasted into the editor', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** A page without a content security policy, to read HTML in. */
  let reader: Page;
  let ada: Person;
  let counter: Counter;
  const trouble: string[] = [];
  const loaded: string[] = [];

  after(() => counter?.close());
  openStage({ people: ['ada'] }, async (stage) => {
    ({ service, browser, ada } = stage);
    counter = await startCounter();
    const permissions = ['clipboard-read', 'clipboard-write'];
    context = await signedIn(browser, service, ada.visitor, { permissions });
    context.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) trouble.push(message.text());
    });
    context.on('weberror', (error) => trouble.push(String(error.error())));
    reader = await context.newPage();
    page = await context.newPage();
    page.on('request', (request) => loaded.push(request.url()));
    await page.goto(`${service.webUrl}/new`);
    await page.waitForSelector('#editor[data-ready]');
    await inSplit(page);
  });

  const text = () => page.locator('.pane .cm-content');
  const written = async () => (await page.locator('.pane .cm-line').allTextContents()).join('\n');

  async function startWith(content: string): Promise<void> {
    await text().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    if (content !== '') await page.keyboard.insertText(content);
  }

  /** Pastes, and waits until the text has changed. */
  async function paste({ html, plain = 'plain', mark }: Copied): Promise<string> {
    const before = await written();
    await text().evaluate(
      (element, { html, plain, mark }) => {
        const data = new DataTransfer();
        data.setData('text/html', html);
        data.setData('text/plain', plain);
        if (mark) data.setData(mark, '{}');
        const init = { bubbles: true, cancelable: true, clipboardData: data };
        element.dispatchEvent(new ClipboardEvent('paste', init));
      },
      { html, plain, mark },
    );
    while ((await written()) === before) await page.waitForTimeout(10);
    return written();
  }

  /** Returns the text of HTML that readers see. */
  function textOf(html: string): Promise<string> {
    return reader.evaluate((html) => {
      const { body } = new DOMParser().parseFromString(html, 'text/html');
      const unseen =
        'script, style, button, math, .katex-html, mjx-math, a.anchor, [style*="mso-list:Ignore"], ' +
        '[style*="display:none"], .gutter, .line-number';
      for (const element of body.querySelectorAll(unseen)) element.remove();
      for (const element of body.querySelectorAll('*')) {
        element.before(' ');
        element.after(' ');
      }
      return body.textContent ?? '';
    }, html);
  }

  const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]{2,}/gu) ?? [];

  /** Returns each character of HTML but white space, with its marks where Markdown has them. */
  function marksOf(html: string): Promise<string[]> {
    return reader.evaluate((html) => {
      const { body } = new DOMParser().parseFromString(html, 'text/html');
      for (const anchor of body.querySelectorAll('a.anchor')) anchor.remove();
      const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const { parentElement: parent } = node as Text;
        const isPlain = parent?.closest('pre, code, h2') !== null;
        const marks = ['b, strong', 'i, em', 's, del'].filter((mark) => parent?.closest(mark));
        const signs = isPlain ? '' : marks.map((mark) => mark[0]).join('');
        for (const sign of (node.nodeValue ?? '').replace(/\s/g, '')) found.push(signs + sign);
      }
      return found;
    }, html);
  }

  const isConverterLoaded = () => loaded.some((url) => /markdown-of[^/]*\.js/.test(url));

  it('loads the converter with the first paste that needs it', async () => {
    assert.equal(await paste({ html: '<p>one</p>', plain: 'one' }), 'one');
    assert.equal(isConverterLoaded(), false);
    assert.match(await paste({ html: '<h2>Two</h2>' }), /## Two/);
    assert.equal(isConverterLoaded(), true);
  });

  for (const { from, html, markdown, absent = [] } of [...PASTES, ...APPLICATION_PASTES]) {
    it(`becomes Markdown that shows all its words: ${from}`, async () => {
      await startWith('');
      assert.equal(await paste({ html }), markdown);
      const shown = [...absent, ...wordsOf(await textOf(renderMarkdown(markdown).html))];
      const lost = wordsOf(await textOf(html)).filter((word) => !shown.includes(word));
      assert.deepEqual(lost, []);
    });
  }

  for (const [about, cases] of Object.entries(SMALL_PASTES)) {
    it(`becomes Markdown: ${about}`, async () => {
      for (const [html, markdown] of cases) {
        await startWith('');
        assert.equal(await paste({ html }), markdown, html);
      }
    });
  }

  it('of the reading page has its diagrams again', async () => {
    const content = '# Plan\n\n```mermaid\ngraph TD\n  A --> B\n```\n\nThe **end**.';
    const made = await ada.client.post('/user/briefs', { name: 'drawn', content });
    assert.equal(made.status, 201);
    const read = await context.newPage();
    await read.goto(`${service.webUrl}/ada/drawn`);
    await read.waitForSelector('.diagram-picture img');
    await read.evaluate(() => {
      getSelection()?.selectAllChildren(document.querySelector('.prose') as Element);
    });
    await read.keyboard.press('Control+C');
    const html = await read.evaluate(async () => {
      const [copied] = await navigator.clipboard.read();
      return (await copied?.getType('text/html'))?.text() ?? '';
    });
    await read.close();
    await startWith('');
    assert.equal(await paste({ html }), content);
  });

  it('shows the same words and marks again, whatever it contains', async () => {
    const property = fc.asyncProperty(richHtml, async (html) => {
      await startWith('');
      const markdown = await paste({ html, plain: 'as plain text' });
      if (markdown === 'as plain text') return;
      assert.deepEqual(await marksOf(renderMarkdown(markdown).html), await marksOf(html), markdown);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it('stays plain if it comes from a code editor or goes into code', async () => {
    const bold = '<b>bold</b>';
    const look = "font-family: Menlo, 'Courier New', monospace;white-space: pre;";
    for (const copied of [
      { html: bold, mark: 'vscode-editor-data' },
      { html: `<meta charset='utf-8'><div style="${look}"><div><b>let</b> x</div></div>` },
      { html: '<html><body><pre style="color:#080808"><b>let</b> x</pre></body></html>' },
      { html: '<span style="color:red">just</span>' },
    ]) {
      await startWith('');
      assert.equal(await paste({ ...copied, plain: 'let x_y = **1**' }), 'let x_y = **1**');
    }
    await startWith('`a');
    await page.keyboard.type('`');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await paste({ html: bold }), '`aplain`');
    await startWith('```\nx');
    assert.equal(await paste({ html: bold }), '```\nxplain');
  });

  it('stays plain with Ctrl+Shift+V, and after one Undo', async () => {
    await startWith('Start ');
    await page.evaluate(() => {
      const html = new Blob(['<h2>Gears</h2><p>A <b>bold</b> word</p>'], { type: 'text/html' });
      const plain = new Blob(['Gears A bold word'], { type: 'text/plain' });
      return navigator.clipboard.write([
        new ClipboardItem({ 'text/html': html, 'text/plain': plain }),
      ]);
    });
    await page.keyboard.press('Control+Shift+V');
    await page.locator('.cm-line', { hasText: 'Start Gears A bold word' }).waitFor();
    await startWith('Start ');
    await page.keyboard.press('Control+V');
    await page.locator('.cm-line', { hasText: '## Gears' }).waitFor();
    assert.equal(await written(), 'Start \n\n## Gears\n\nA **bold** word');
    await page.keyboard.press('Control+Z');
    assert.equal(await written(), 'Start ');
  });

  it('fits into the list, quote or table around it', async () => {
    const list = '<ul><li>one</li><li>two<ul><li>three</li></ul></li></ul>';
    const cases: [before: string, html: string, after: string][] = [
      ['Go: ', '<b>now</b>', 'Go: **now**'],
      ['  - ', list, '  - one\n  - two\n    - three'],
      ['- [ ] task', '<h3>a</h3>', '- [ ] task\n\n  ### a'],
      ['> said', list, '> said\n>\n> - one\n> - two\n>   - three'],
      ['1. ', '<h3>a</h3><p>b</p>', '1. ### a\n\n   b'],
      ['|a|b|\n|-|-|\n|1', list, '|a|b|\n|-|-|\n|1one<br>two<br>three'],
      ['|a|b|\n|-|-|\n|1', '<b>x</b>', '|a|b|\n|-|-|\n|1**x**'],
      [
        '|a|b|\n|-|-|\n|1|2|\n|3',
        '<table><tr><td>x</td><td>y</td><td>z</td></tr><tr><td>u<br>v</td></tr></table>',
        [
          '| a      | b   |     |',
          '| ------ | --- | --- |',
          '| 1      | 2   |     |',
          '| x      | y   | z   |',
          '| u<br>v |     |     |',
        ].join('\n'),
      ],
    ];
    for (const [before, html, expected] of cases) {
      await startWith(before);
      assert.equal(await paste({ html }), expected);
    }
  });

  it('uploads pictures that are written into it, and says which can’t be pasted', async () => {
    const data = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;
    await startWith('Start ');
    await paste({
      html: `<p>Look <b>here</b>: <img src="${data(PNG)}" alt="a dot"> and <img src="${data(PNG)}">.</p>
        <p><img src="${data(Buffer.from('no picture'))}" alt="none"> <img src="file:///x.png" alt="two"></p>`,
    });
    await page.locator('.toast', { hasText: 'A picture couldn’t be pasted.' }).waitFor();
    await page.locator('.cm-line', { hasText: 'none two' }).waitFor();
    await page
      .locator('.cm-content')
      .filter({ hasNot: page.locator('.upload') })
      .waitFor();
    const url = `${service.renderUrl}/files/[\\w-]+/picture\\.png`;
    const expected = `^Start \n\nLook \\*\\*here\\*\\*: !\\[a dot\\]\\(${url}\\) and !\\[\\]\\(${url}\\)\\.\n\nnone two$`;
    assert.match(await written(), new RegExp(expected));
    const [, address = ''] = /\((http[^)]+)\)/.exec(await written()) ?? [];
    assert.equal((await fetch(address)).headers.get('content-type'), 'image/png');
    await page.locator('.toast', { hasText: 'not uploaded' }).waitFor();
  });

  it('runs nothing and loads nothing', async () => {
    await startWith('');
    const { origin } = counter;
    const html = `<base href="${origin}/base"><style>@import "${origin}/style";</style>
      <link rel="stylesheet" href="${origin}/sheet"><meta http-equiv="refresh" content="0;${origin}/r">
      <h2>Hostile</h2><script>document.title = 'run'</script><script src="${origin}/script"></script>
      <img src="x" onerror="document.title = 'run'"><svg onload="document.title = 'run'"></svg>
      <iframe src="${origin}/frame"></iframe><object data="${origin}/object"></object>
      <video src="${origin}/video" poster="${origin}/poster"></video>
      <p style="background:url(${origin}/background)">text</p>
      <a href="javascript:document.title='run'">click</a> <a href="data:text/html,x">data</a>
      <img src="data:image/svg+xml,x"><img src="javascript:1"><img src="${origin}/pixel" width="1">
      <p>&lt;img src=x onerror=alert(1)&gt; ![a](${origin}/text)</p>
      <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`;
    const result = await paste({ html });
    assert.equal(
      result,
      `## Hostile\n\ntext\n\nclick data\n\n\\<img src=x onerror=alert(1)> !\\[a](${origin}/text)`,
    );
    await page.locator('#preview h2', { hasText: 'Hostile' }).waitFor();
    assert.equal(await page.locator('#preview img').count(), 0);
    assert.deepEqual(
      loaded.filter((url) => url.startsWith(origin)),
      [],
    );
    assert.notEqual(await page.title(), 'run');
    assert.deepEqual(trouble, []);
  });
});
