import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { watch } from '../../../test/render/browser.ts';

const COLUMNS = Array.from({ length: 12 }, (_, index) => `A wide column ${index}`);
const TABLE = [COLUMNS, COLUMNS.map(() => '---'), COLUMNS].map((row) => `| ${row.join(' | ')} |`);
const TEXT = 'A paragraph that goes on. '.repeat(400);
const BRIEF = `# Wide

${TABLE.join('\n')}

See https://example.com/bare, <me@example.com> and [a page](https://example.com/page).

## Far

${TEXT}

${TEXT}

\`\`\`mermaid
graph TD; A-->B;
\`\`\`
`;

const NOTED = `# Noted

A claim[^1].

## With a link

| ${'column | '.repeat(30)}
| ${'--- | '.repeat(30)}
| ${'cell | '.repeat(30)}

[^1]: Its *source*.
`;

describe('A brief in a browser', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;
  let page: Page;

  openStage({}, async (stage) => {
    ({ service, browser } = stage);
    const ada = await service.user('ada');
    await ada.post('/user/briefs', { name: 'wide', content: BRIEF });
    await ada.post('/user/briefs', { name: 'noted', content: NOTED });
    page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
    await page.goto(`${service.webUrl}/ada/wide`);
  });

  it('extends wide tables into an empty margin, if there is room', async () => {
    const reach = async () => {
      const [table, text] = await Promise.all(
        ['.table-scroll', '.prose > p'].map((what) => page.locator(what).first().boundingBox()),
      );
      assert.ok(table && text);
      return table.x + table.width - (text.x + text.width);
    };
    assert.ok((await reach()) > 100, 'beyond the column');
    const cut = await page.evaluate(`(() => {
      const [last] = [...document.querySelectorAll('.table-scroll th')].slice(-3);
      const { right, top } = last.getBoundingClientRect();
      return document.elementFromPoint(right - 30, top + 5)?.closest('th') === last;
    })()`);
    assert.ok(cut, 'shown there, not cut off');
    for (const width of [1440, 900, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const over = 'document.documentElement.scrollWidth - innerWidth';
      assert.ok(((await page.evaluate(over)) as number) <= 0, `no sideways scrolling at ${width}`);
    }
    assert.ok(Math.abs(await reach()) < 1, 'within a narrow screen');
    await page.setViewportSize({ width: 1440, height: 800 });
  });

  it('keeps the bar in view, and jump targets below it', async () => {
    await page.goto(`${service.webUrl}/ada/wide#far`);
    const bar = await page.locator('.bar').boundingBox();
    const heading = await page.getByRole('heading', { name: 'Far' }).boundingBox();
    assert.ok(bar && heading);
    assert.equal(bar.y, 0);
    assert.ok(heading.y >= bar.height, `${heading.y}`);
    assert.ok(((await page.evaluate('scrollY')) as number) > 0);
  });

  it('draws even diagrams out of view, so that they are printed', async () => {
    await page.goto(`${service.webUrl}/ada/wide`);
    await page.locator('.diagram-picture img').waitFor({ state: 'attached', timeout: 20_000 });
    assert.equal(await page.evaluate('scrollY'), 0);
  });

  it('shows footnotes beside references, enlarges wide tables, and copies heading links', async () => {
    const context = await browser.newContext({ viewport: { width: 768, height: 800 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const reader = await context.newPage();
    const seen = watch(reader);
    await reader.goto(`${service.webUrl}/ada/noted`);
    assert.equal(await reader.locator('.reading-time').innerText(), '1 min read');

    await reader.getByRole('button', { name: 'Open large' }).click();
    assert.equal(await reader.getByRole('dialog', { name: 'Table' }).locator('td').count(), 30);
    await reader.keyboard.press('Escape');
    await reader.getByRole('dialog').waitFor({ state: 'detached' });

    await reader.getByRole('link', { name: 'Footnote 1' }).focus();
    await reader.keyboard.press('Enter');
    const note = reader.getByRole('note', { name: 'Footnote 1' });
    assert.equal(await note.innerText(), 'Its source.');
    assert.equal(await reader.evaluate('scrollY + location.hash'), '0');
    await reader.keyboard.press('Escape');
    await note.waitFor({ state: 'detached' });
    assert.equal(await reader.evaluate('document.activeElement.textContent'), '1');

    await reader.getByRole('link', { name: 'Permalink: With a link' }).click();
    await reader.locator('#status', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    const copied = await reader.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `${service.webUrl}/ada/noted#user-content-with-a-link`);
    assert.deepEqual([seen.console, seen.errors], [[], []]);
    await context.close();
  });

  it('prints the owner and the revision, and nothing of the app', async () => {
    await page.goto(`${service.webUrl}/ada/noted`);
    await page.emulateMedia({ media: 'print' });
    const facts = await page.locator('.printed-facts').innerText();
    assert.match(facts, /^ada \/ noted · Revision 1, .+ by ada · http.+\/ada\/noted$/);
    for (const what of ['.bar', '.foot', '.reading-time']) {
      assert.ok(await page.locator(what).isHidden(), what);
    }
    await page.emulateMedia({ media: 'screen' });
    await page.goto(`${service.webUrl}/ada/wide`);
  });

  it('prints the address after a link, unless the link’s text is the address', async () => {
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: 'print' });
    const printed = await page.evaluate(`
      Array.from(document.querySelectorAll('.prose a[href]:not(.anchor)'), (link) =>
        [link.textContent, getComputedStyle(link, '::after').content !== 'none'])`);
    assert.deepEqual(printed, [
      ['https://example.com/bare', false],
      ['me@example.com', false],
      ['a page', true],
    ]);
  });

  it('prints every column of a wide table', async () => {
    await page.emulateMedia({ media: 'print' });
    // A4 without its margins.
    await page.setViewportSize({ width: 658, height: 971 });
    const over = await page.evaluate(`
      document.querySelector('.prose table').getBoundingClientRect().right -
        document.querySelector('.prose').getBoundingClientRect().right`);
    assert.ok((over as number) <= 0, `${over} px beyond the paper`);
  });
});
