import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PNG } from '../../../test/files/samples.ts';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { beginJourney, editorReady, focused, saved, toast } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How long after a list has changed CodeMirror ignores Enter (`interactionDelay`). */
const CHOOSABLE_AFTER_MS = 200;

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };

describe('The editor’s title and bars', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, async (stage) => {
    ({ service, ada, grace } = stage);
  });

  async function make(name: string, content: string): Promise<string> {
    const body = { name, content, visibility: 'private' };
    assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    const path = `/briefs/ada/${name}`;
    const { data } = await ada.client.put(`${path}/collaborators/grace`, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    return path;
  }

  /** Opens the editor where the title is above the text. */
  async function write(who: Person, path: string, options: BrowserContextOptions = DESKTOP) {
    const journey = await beginJourney(service, who, options);
    await journey.go(path);
    await editorReady(journey.page);
    await journey.page.getByRole('button', { name: 'Write' }).click();
    return journey;
  }

  const title = (page: Page) => page.getByRole('textbox', { name: 'Title' });
  const text = (page: Page) => page.locator('.write-pane .cm-content');
  const contentOf = async (path: string) => (await ada.client.get(path)).data.content;
  const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selection' });

  async function saveAs(page: Page, path: string, content: string): Promise<void> {
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.equal(await contentOf(path), content);
  }

  async function shows(page: Page, words: string): Promise<void> {
    await page.waitForFunction(
      (words) => document.querySelector<HTMLTextAreaElement>('.title-field')?.value === words,
      words,
    );
  }

  /** Asserts that axe-core finds nothing. */
  async function accessible(page: Page): Promise<void> {
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> };
      };
      const { violations } = await axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`);
    });
    assert.deepEqual(found, []);
  }

  it('a document that is pasted into an empty title is text, and its heading the title', async () => {
    const { page, go, end } = await beginJourney(service, ada, DESKTOP);
    const pasted = (data: Record<string, string>) =>
      title(page).evaluate((element, data) => {
        const clipboardData = new DataTransfer();
        for (const [type, value] of Object.entries(data)) clipboardData.setData(type, value);
        const init = { clipboardData, bubbles: true, cancelable: true };
        element.dispatchEvent(new ClipboardEvent('paste', init));
      }, data);
    await go('/new');
    await editorReady(page);
    await focused(title(page));
    await pasted({
      'text/html': '<h1>Tides</h1><p>They <b>rise</b>.</p>',
      'text/plain': 'Tides\r\nThey rise.\r\n',
    });
    await shows(page, 'Tides');
    await focused(text(page));
    await page.locator('.cm-line', { hasText: 'They rise.' }).waitFor();
    await page.keyboard.type(' And fall.');
    await page.keyboard.press('Control+s');
    await saved(page);
    const whole = await contentOf('/briefs/ada/tides');
    assert.equal(whole, '# Tides\n\nThey **rise**. And fall.');

    // Also where a file is dropped, the text gets it.
    const bytes = [...PNG];
    await title(page).evaluate((element, bytes) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(bytes)], 'gear.png', { type: 'image/png' }));
      const init = { dataTransfer, bubbles: true, cancelable: true };
      element.dispatchEvent(new DragEvent('drop', init));
    }, bytes);
    await page.locator('.cm-line img[alt="gear.png"]').waitFor();
    await shows(page, 'Tides');
    await end();
  });

  it('make the first heading and the address of a new brief, and Enter goes on', async () => {
    const { page, end } = await write(ada, '/new');
    await title(page).click();
    await page.keyboard.type('My trip');
    await page.keyboard.press('Enter');
    await focused(text(page));
    await page.keyboard.type('We left early.');
    assert.equal(await text(page).getByText('My trip').count(), 0, 'it isn’t shown twice');
    await page.keyboard.press('Control+s');
    await toast(page, 'Saved as ada/my-trip.');
    await page.waitForURL('**/edit/ada/my-trip');
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0);
    const path = '/briefs/ada/my-trip';
    assert.equal(await contentOf(path), '# My trip\n\nWe left early.');

    // Upwards, and back again, without harm to either.
    await page.keyboard.press('Home');
    await page.keyboard.press('Backspace');
    await focused(title(page));
    await page.keyboard.type('s');
    await page.keyboard.press('ArrowDown');
    await focused(text(page));
    await page.keyboard.press('ArrowUp');
    await focused(title(page));
    await saveAs(page, path, '# My trips\n\nWe left early.');
    await page.keyboard.press('Control+z');
    await shows(page, 'My trip');
    await page.keyboard.press('Control+Shift+z');
    await shows(page, 'My trips');

    // An empty title is none.
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await saveAs(page, path, 'We left early.');
    await page.keyboard.press('Control+z');
    await shows(page, 'My trips');
    await page.getByRole('button', { name: 'Split' }).click();
    assert.ok(await title(page).isHidden());
    await text(page).getByText('# My trips').waitFor();
    await end();
  });

  it('take a heading that is typed as Markdown, in the text or in the title', async () => {
    const { page, go, end } = await write(ada, '/new');
    await text(page).click();
    await page.keyboard.type('# Gears');
    await focused(title(page));
    await shows(page, 'Gears');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('They turn.');
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.equal(await contentOf('/briefs/ada/gears'), '# Gears\n\nThey turn.');
    await go('/new');
    await editorReady(page);
    await page.getByRole('button', { name: 'Write' }).click();
    await title(page).click();
    await page.keyboard.type('# Wheels');
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.equal(await contentOf('/briefs/ada/wheels'), '# Wheels\n\n');
    await end();
  });

  it('stand above a text without a heading, or with front matter', async () => {
    const texts: [name: string, before: string, after: string][] = [
      ['plain', 'Only text.\n', '# New\n\nOnly text.\n'],
      ['tagged', '---\ntags: a\n---\nText.\n', '---\ntags: a\n---\n# New\n\nText.\n'],
      ['lined', 'Old\n===\n\nText.\n', 'New\n===\n\nText.\n'],
      ['titled', '---\ntags: a\n---\n\n# Old\nText.\n', '---\ntags: a\n---\n\n# New\nText.\n'],
    ];
    const { page, go, end } = await write(ada, '/new');
    for (const [name, before, after] of texts) {
      const path = await make(name, before);
      await go(`/edit/ada/${name}`);
      await editorReady(page);
      await page.getByRole('button', { name: 'Write' }).click();
      await title(page).fill('New');
      await saveAs(page, path, after);
    }
    await end();
  });

  it('follow another person, keep both people’s letters, and wait for a composition', async () => {
    const path = await make('shared', '# Plan\n\nText.\n');
    const [one, other] = [
      await write(ada, '/edit/ada/shared'),
      await write(grace, '/edit/ada/shared'),
    ];
    await title(one.page).click();
    await one.page.keyboard.press('End');
    await title(other.page).click();
    await other.page.keyboard.press('Home');
    await other.page.keyboard.type('Our ');
    await shows(one.page, 'Our Plan');
    await one.page.keyboard.type(' B');
    await shows(other.page, 'Our Plan B');

    const session = await one.context.newCDPSession(one.page);
    const compose = (text: string) =>
      session.send('Input.imeSetComposition', { text, selectionStart: 1, selectionEnd: 1 });
    await compose('ら');
    await other.page.keyboard.type('new ');
    await one.page.waitForTimeout(500);
    await shows(one.page, 'Our Plan Bら');
    await session.send('Input.insertText', { text: '楽' });
    await shows(one.page, 'Our new Plan B楽');
    await shows(other.page, 'Our new Plan B楽');
    await one.page.keyboard.press('Control+z');
    await shows(other.page, 'Our new Plan B');
    await one.page.keyboard.press('Control+s');
    await saved(one.page);
    assert.equal(await contentOf(path), '# Our new Plan B\n\nText.\n');
    await one.end();
    await other.end();
  });

  it('give way to the text while changes are suggested', async () => {
    await make('suggested', '# Plan\n\nText.\n');
    const { page, end } = await write(grace, '/edit/ada/suggested');
    await saved(page);
    await page.keyboard.press('Control+Alt+Shift+X');
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    assert.ok(await title(page).isHidden());
    await page.locator('.cm-line', { hasText: 'Plan' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' B');
    await page.locator('.suggested-insertion', { hasText: 'B' }).waitFor();
    await page.getByRole('button', { name: 'Save suggestions' }).click();
    await page.getByText('Saved 1 suggestion').waitFor();
    await page.keyboard.press('Control+Alt+Shift+Z');
    await shows(page, 'Plan');
    await end();
  });

  it('an empty brief says what one can do, and offers templates', async () => {
    await make('minutes', '# Minutes\n\nWho was there');
    await ada.client.put('/briefs/ada/minutes/labels', { labels: ['template'] });
    const { page, end } = await write(ada, '/new');
    await page.getByText('Write, or type / for headings, tables, images …').waitFor();
    const row = page.getByRole('navigation', { name: 'Start with a template' });
    await accessible(page);
    await title(page).fill('Mine');
    assert.ok(await row.isHidden());
    await page.getByText('Write, or type /').waitFor();
    await title(page).fill('');
    await row.getByRole('link', { name: 'Minutes' }).click();
    await page.waitForURL('**/new?owner=ada&template=*');
    await editorReady(page);
    await page.getByRole('button', { name: 'Write' }).click();
    await shows(page, 'Minutes');
    await end();
  });

  it('take at most 100 pixels above the text, and stay where they are when others come', async () => {
    await make('calm', '# Plan\n\nText.\n');
    const one = await write(ada, '/edit/ada/calm');
    await saved(one.page);
    const places = () =>
      one.page.evaluate(() => {
        const parts = [
          ...document.querySelectorAll('.editor-bar :is(input, select, a, summary, p, .owner)'),
          ...document.querySelectorAll('.editor-tools button, .panes, .title-field, .cm-line'),
        ].filter((part) => part.checkVisibility() && !part.closest('#people'));
        return parts.map((part) => {
          const { x, y, width } = part.getBoundingClientRect();
          // The text also has what is only said.
          const name = part.matches('.panes') ? 'panes' : part.textContent;
          return [name, x, y, width].join();
        });
      });
    const top = () =>
      one.page.evaluate(() => document.querySelector('.panes')?.getBoundingClientRect().top ?? 0);
    const before = await places();
    assert.ok((await top()) <= 100, `${await top()}`);
    const other = await write(grace, '/edit/ada/calm');
    await one.page.locator('.editor-bar .people .avatar').first().waitFor();
    assert.deepEqual(await places(), before);
    await accessible(one.page);
    await one.end();
    await other.end();
  });

  it('keep the caret in sight at the first save', async () => {
    const { page, end } = await write(ada, '/new');
    await title(page).fill('Long');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('Line.\n'.repeat(60));
    await page.keyboard.type('Last');
    await page.keyboard.press('Control+s');
    await saved(page);
    const isSeen = await page.evaluate(() => {
      const caret = document.querySelector('.cm-cursor-primary')?.getBoundingClientRect();
      const scroller = document.querySelector('.cm-scroller')?.getBoundingClientRect();
      return caret && scroller && caret.top > scroller.top && caret.bottom <= scroller.bottom;
    });
    assert.ok(isSeen);
    await end();
  });

  it('a slash offers blocks, the most needed first, and typing finds them', async () => {
    const { page, end } = await write(ada, '/new');
    await title(page).fill('Blocks');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/');
    const list = page.getByRole('listbox');
    const options = list.getByRole('option');
    await options.first().waitFor();
    const labels = await list.locator('.cm-completionLabel').allTextContents();
    const first = 'Text|Heading|List|Task list|Table|Image or file|Link|Quote|Code|Diagram';
    assert.equal(labels.join('|'), first);
    assert.equal(await list.locator('.cm-completionDetail').count(), labels.length);
    await accessible(page);
    await page.keyboard.type('todo');
    await options
      .filter({ hasText: 'Items to tick off' })
      .and(page.locator('[aria-selected]'))
      .waitFor();
    await page.waitForTimeout(CHOOSABLE_AFTER_MS);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Buy milk');
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.equal(await contentOf('/briefs/ada/blocks'), '# Blocks\n\n- [ ] Buy milk');
    await end();
  });

  it('a selection has a bar, by mouse and by keyboard', async () => {
    const path = await make('selected', '# Plan\n\nWe sail on Monday.\n\nWe return on Friday.\n');
    const { page, end } = await write(ada, '/edit/ada/selected');
    await saved(page);
    const line = page.locator('.cm-line', { hasText: 'Friday' });
    await line.dblclick({ position: { x: 30, y: 8 } });
    await bar(page).getByRole('button', { name: 'Bold' }).click();
    await page.locator('.cm-line strong, .cm-line .tok-strong').first().waitFor();
    const [of, above] = [await line.boundingBox(), await bar(page).boundingBox()];
    assert.ok(of && above && above.y + above.height <= of.y, 'it is above the words');
    await accessible(page);
    await page.keyboard.press('Escape');
    assert.equal(await bar(page).count(), 0);

    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+End');
    await bar(page).waitFor();
    await page.keyboard.press('Alt+F10');
    await focused(bar(page).getByRole('button', { name: 'Bold' }));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Alt+F10');
    await page.keyboard.press('Escape');
    await focused(text(page));
    assert.equal(await bar(page).count(), 0);
    await page.keyboard.press('Alt+F10');
    for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await focused(page.getByRole('textbox', { name: 'Comment' }));
    await page.keyboard.type('Which one?');
    await accessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Comment', exact: true }).click();
    const card = page.getByRole('dialog', { name: /1 comment/ });
    await card.locator('p', { hasText: 'Which one?' }).waitFor();
    const { data } = await ada.client.get(`${path}/threads`);
    assert.equal(data[0].on.quote, 'We sail on Monday.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+F10');
    await bar(page).getByRole('button', { name: 'Suggest' }).click();
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    await end();
  });

  it('a phone has one row above the text, and the tools above its keyboard', async () => {
    await make('pocket', '# Plan\n\nText.\n');
    const theirs = await write(grace, '/edit/ada/pocket');
    const { page, end } = await write(ada, '/edit/ada/pocket', PHONE);
    await saved(page);
    const fold = page.locator('#editor-fold');
    assert.deepEqual(await fold.locator('span').allTextContents(), ['pocket', 'Private']);
    await page.locator('.editor-bar .people .avatar').first().waitFor();
    const box = await page.locator('.editor-bar').boundingBox();
    assert.ok(box && box.height <= 56, `${box?.height}`);
    await accessible(page);
    await page.locator('.editor-acts summary').click();
    await page.getByRole('button', { name: 'Suggest changes' }).click();
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Suggest changes' }).isHidden());
    await page.keyboard.press('Control+Alt+Shift+Z');
    await title(page).fill('Trip');
    await page.keyboard.press('Enter');
    // As a keyboard on the screen covers the lower part.
    await page.evaluate(() => {
      Object.defineProperty(visualViewport, 'height', { value: 500 });
      visualViewport?.dispatchEvent(new Event('resize'));
    });
    const tools = await page.locator('.editor-tools').boundingBox();
    assert.ok(tools && tools.y + tools.height <= 500, `${tools?.y}`);
    await page.getByRole('button', { name: 'Bold' }).click();
    await page.keyboard.type('now');
    await page.waitForFunction(() =>
      document.querySelector('.cm-content')?.textContent?.includes('now'),
    );
    await end({ close: true });
    await theirs.end();
  });
});
