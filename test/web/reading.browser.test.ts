import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type Service, startService } from '../harness.ts';
import { launch } from '../render/browser.ts';
import { browserMissing, clientMissing } from './built-client.ts';

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

describe('A brief in a browser', { skip: clientMissing || browserMissing }, () => {
  let service: Service;
  let browser: Browser;
  let page: Page;

  before(async () => {
    service = await startService();
    const ada = await service.user('ada');
    await ada.post('/user/briefs', { name: 'wide', content: BRIEF });
    browser = await launch();
    page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
    await page.goto(`${service.webUrl}/ada/wide`);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('has wide tables lean into an empty margin, and none where there is no room', async () => {
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

  it('keeps the bar in view, and what is jumped to below it', async () => {
    await page.goto(`${service.webUrl}/ada/wide#far`);
    const bar = await page.locator('.bar').boundingBox();
    const heading = await page.getByRole('heading', { name: 'Far' }).boundingBox();
    assert.ok(bar && heading);
    assert.equal(bar.y, 0);
    assert.ok(heading.y >= bar.height, `${heading.y}`);
    assert.ok(((await page.evaluate('scrollY')) as number) > 0);
  });

  it('draws diagrams far from the view too, so that they are printed', async () => {
    await page.goto(`${service.webUrl}/ada/wide`);
    await page.locator('.diagram-picture img').waitFor({ state: 'attached', timeout: 20_000 });
    assert.equal(await page.evaluate('scrollY'), 0);
  });

  it('prints the addresses of links, but not behind themselves', async () => {
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
