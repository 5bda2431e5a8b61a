import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { newChance } from '../../../test/chance.ts';
import { PNG } from '../../../test/files/samples.ts';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import {
  beginJourney,
  editorReady,
  focused,
  type Journey,
  saved,
} from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
/** How many documents of the repository are opened and closed; `IN_PLACE_DOCUMENTS=60` for the long form. */
const DOCUMENTS = Number(process.env.IN_PLACE_DOCUMENTS || 12);
/** How many words are typed at random places; `IN_PLACE_STEPS=500` for the long form. */
const STEPS = Number(process.env.IN_PLACE_STEPS || 50);
/** How many random texts are typed in both views; `IN_PLACE_SCRIPTS=50` for the long form. */
const SCRIPTS = Number(process.env.IN_PLACE_SCRIPTS || 5);

/** How many things are dragged to random places; `IN_PLACE_MOVES=200` for the long form. */
const MOVES = Number(process.env.IN_PLACE_MOVES || 12);

const TABLE = '| Name  | Amount |\n|:--|--:|\n| Pears | 12 |\n| Figs | **3** |\n';
const ALL = `# Tides

The *moon* moves **water**, \`code\` waits for [the coast](https://example.org/). See [[plans|the plan]], $x^2$.

- one
  - nested
- [ ] open
- [x] done

> [!WARNING]
> Be careful.

\`\`\`ts
let x = 1;
\`\`\`

${TABLE}
$$
\\frac{a}{b}
$$

\`\`\`mermaid
flowchart LR
  A --> B
\`\`\`

---

The end.
`;

describe('Markdown that is written as it reads', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  const text = (page: Page) => page.locator('.write-pane .cm-content');
  const cell = (page: Page, row: number, column: number) =>
    page.locator('.cm-grid tr').nth(row).locator('th, td').nth(column);
  const contentOf = async (name: string) =>
    (await ada.client.get(`/briefs/ada/${name}`)).data.content;

  async function edit(name: string, content: string, options = {}): Promise<Journey> {
    const body = { name, content, visibility: 'private' };
    const made = await ada.client.post('/user/briefs', body);
    assert.equal(made.status, 201, made.text);
    return open(ada, name, options);
  }

  async function open(who: Person, name: string, options = {}): Promise<Journey> {
    const journey = await beginJourney(service, who, options);
    await journey.go(`/edit/ada/${name}`);
    await editorReady(journey.page);
    return journey;
  }

  /** Returns the whole source, as one copies it. */
  async function sourceOf(page: Page): Promise<string> {
    // In one step: where the caret is in a cell, the cell takes the focus a moment later.
    return text(page).evaluate((element) => {
      element.focus();
      const all = { key: 'a', code: 'KeyA', ctrlKey: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', all));
      const data = new DataTransfer();
      const init = { clipboardData: data, bubbles: true, cancelable: true };
      element.dispatchEvent(new ClipboardEvent('copy', init));
      return data.getData('text/plain');
    });
  }

  async function press(page: Page, ...keys: string[]): Promise<void> {
    for (const key of keys) {
      if (
        /^(?:(?:Control|Shift|Alt)\+.+|Enter|Tab|Escape|Backspace|Delete|Home|End|Arrow\w+)$/.test(
          key,
        )
      )
        await page.keyboard.press(key);
      else await page.keyboard.type(key);
    }
  }

  /** Returns a function that composes, as an input method does: each step replaces the one before. */
  async function composer({ page, context }: Journey) {
    const devtools = await context.newCDPSession(page);
    return async (steps: string[], restMs = 0) => {
      for (const text of steps) {
        const [selectionStart, selectionEnd] = [text.length, text.length];
        await devtools.send('Input.imeSetComposition', { text, selectionStart, selectionEnd });
        if (restMs > 0) await page.waitForTimeout(restMs);
      }
      await devtools.send('Input.insertText', { text: steps.at(-1) ?? '' });
    };
  }

  /** Returns a function that waits until a screen reader has been told something. */
  async function listener(page: Page) {
    await page.evaluate(() => {
      // It is taken away again after a moment.
      const place = document.querySelector('.cm-announced') as Element;
      const tell = () =>
        Object.assign(window, { said: `${Object(window).said}${place.textContent}` });
      new MutationObserver(tell).observe(place, { childList: true });
    });
    return (words: string) =>
      page.waitForFunction((part) => `${Object(window).said}`.includes(part), words);
  }

  it('shows no signs where the caret isn’t, and all of them in Source', async () => {
    // Not the title, which stands above.
    const shown = ALL.replace('# Tides', '## Tides');
    const { page, end } = await edit('shown', shown);
    await page.locator('.cm-drawing figure.diagram img').waitFor();
    await page.locator('.cm-drawing math').waitFor();
    await page.locator('.cm-formula math').waitFor();
    await page.keyboard.press('Control+End');
    const line = page.locator('.cm-line', { hasText: 'The moon moves water' });
    await line.waitFor();
    assert.match((await line.textContent()) ?? '', /code waits for the coast\. See the plan,/);
    assert.equal(await page.getByRole('checkbox').count(), 2);
    assert.equal(await cell(page, 2, 1).locator('strong').textContent(), '3');
    assert.equal(await page.locator('.cm-alert-title').textContent(), 'Warning');

    // A heading that one clicks into keeps its height.
    const heading = page.locator('.cm-heading-2');
    const before = await heading.boundingBox();
    await heading.click();
    await page.locator('.cm-heading-2', { hasText: '## Tides' }).waitFor();
    assert.equal((await heading.boundingBox())?.height, before?.height);
    await page.keyboard.press('ArrowDown');
    await page.locator('.cm-heading-2', { hasText: /^Tides$/ }).waitFor();

    await page.keyboard.press('Control+Alt+Shift+s');
    await page.locator('.cm-line', { hasText: '*moon* moves **water**' }).waitFor();
    assert.equal(await page.locator('.cm-grid').count(), 0);
    await page.reload();
    await editorReady(page);
    assert.equal(await page.locator('.panes').getAttribute('data-shows'), 'source');
    await page.keyboard.press('Control+Alt+Shift+s');
    await page.locator('.cm-grid').waitFor();
    assert.equal(await sourceOf(page), shown);
    await end();
  });

  it('lines break where they do when read, not at hidden signs', async () => {
    const { page } = await edit('breaks', `# Breaks\n\n${'It is **bold**, *so*. '.repeat(40)}\n`);
    const alone = await text(page).evaluate((element) => {
      const marks: string[] = [];
      for (let width = 300; width < 500; width += 7) {
        element.style.maxWidth = `${width}px`;
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        let before = 0;
        while (walker.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(walker.currentNode);
          const rects = [...range.getClientRects()];
          const [first] = rects;
          if (/^[,.]/.test(range.toString()) && first && first.top > before + 9) {
            marks.push(`${range} at ${width}`);
          }
          before = rects.at(-1)?.top ?? before;
        }
      }
      return marks;
    });
    assert.deepEqual(alone, []);
  });

  it('Enter begins paragraphs and items, and one key joins what one parted', async () => {
    const { page, end } = await edit('typed', '');
    await text(page).focus();
    await press(page, '## Plan', 'Enter', 'One **bold**', 'Enter', 'Two', 'Shift+Enter', 'broken');
    await press(
      page,
      'Enter',
      '- a',
      'Enter',
      'b',
      'Enter',
      'Enter',
      '- [ ] task',
      'Enter',
      'Enter',
    );
    await press(
      page,
      '> said',
      'Enter',
      'more',
      'Enter',
      'Enter',
      '```',
      'Enter',
      'code',
      'Enter',
      '```',
    );
    await press(page, 'Enter', 'end');
    const typed =
      '## Plan\n\nOne **bold**\n\nTwo\\\nbroken\n\n- a\n- b\n\n- [ ] task\n\n' +
      '> said\n>\n> more\n\n```\ncode\n```\n\nend';
    assert.equal(await sourceOf(page), typed);
    await press(page, 'Control+Home', 'ArrowDown', 'Home', 'Backspace');
    assert.equal(await sourceOf(page), typed.replace('## Plan\n\nOne', '## PlanOne'));
    await press(page, 'Control+z', 'Control+End', ' of it');
    assert.equal(await sourceOf(page), `${typed} of it`);
    await end();
  });

  it('an empty line that looks like a paragraph becomes one', async () => {
    const { page, end } = await edit('lines', 'One.\n\nTwo.\n\n- a\n');
    await press(page, 'Control+End', 'Three.');
    assert.equal(await sourceOf(page), 'One.\n\nTwo.\n\n- a\n\nThree.');
    await end();
  });

  it('tasks are ticked where they stand, by mouse and by key', async () => {
    const { page, end } = await edit('tasks', '- [ ] one\n- [x] two\n\nText\n');
    await page.getByRole('checkbox', { name: 'one' }).click();
    await page.getByRole('checkbox', { name: 'one', checked: true }).waitFor();
    await press(page, 'Control+Home', 'ArrowDown', 'End', 'Control+Enter');
    assert.equal(await sourceOf(page), '- [x] one\n- [ ] two\n\nText\n');
    await end();
  });

  it('items and blocks are moved by keys', async () => {
    const { page, end } = await edit('moved', '# A\n\nOne.\n\n1. a\n   - x\n2. b\n\nTwo.\n');
    await press(page, 'Control+Home', 'ArrowDown', 'End', 'Alt+ArrowDown', '!');
    assert.equal(await sourceOf(page), '# A\n\n1. a\n   - x\n2. b\n\nOne.!\n\nTwo.\n');
    await press(page, 'Control+Home', 'ArrowDown', 'End', 'Alt+ArrowDown', '!', 'Alt+ArrowDown');
    assert.equal(await sourceOf(page), '# A\n\n1. b\n2. a!\n   - x\n\nOne.!\n\nTwo.\n');
    // What is nested stays so where the number gets longer, and the marks of a quote are no items.
    await press(page, 'Control+a', 'Delete');
    await page.keyboard.insertText('9. a\n   - x\n10. b\n\n> - q\n> - r\n');
    await press(page, 'Control+Home', 'End', 'Alt+ArrowDown', 'Control+End', 'ArrowUp');
    await press(page, 'End', 'Alt+ArrowUp');
    assert.equal(await sourceOf(page), '9. b\n10. a\n    - x\n\n> - r\n> - q\n');
    await press(page, 'Control+Home', 'ArrowDown', 'Alt+ArrowUp');
    assert.equal(await sourceOf(page), '9. a\n   - x\n10. b\n\n> - r\n> - q\n');
    await end();
  });

  /** Drags by mouse or finger from the middle of one thing to a side of another. */
  async function drag(page: Page, what: Locator, to: Locator, side: Side, how = 'mouse') {
    const move = await begin(page, what, how);
    await move(to, side);
    await page.locator('.cm-landing:not([hidden])').waitFor();
    await move.drop();
  }

  type Side = 'top' | 'bottom' | 'left' | 'right';

  async function begin(page: Page, what: Locator, how = 'mouse') {
    const devtools = how === 'mouse' ? undefined : await page.context().newCDPSession(page);
    const send = async (type: string, x: number, y: number) => {
      if (devtools) {
        const touchPoints = type === 'touchEnd' ? [] : [{ x, y }];
        await devtools.send('Input.dispatchTouchEvent', { type: type as 'touchMove', touchPoints });
      } else if (type === 'touchMove') await page.mouse.move(x, y, { steps: 4 });
      else if (type === 'touchStart') {
        await page.mouse.move(x, y);
        await page.mouse.down();
      } else await page.mouse.up();
    };
    const boxOf = async (locator: Locator) => {
      const box = await locator.boundingBox();
      assert.ok(box, `${locator}`);
      return box;
    };
    const { x, y, width, height } = await boxOf(what);
    await send('touchStart', x + width / 2, y + height / 2);
    const move = async (to: Locator, side: Side) => {
      const box = await boxOf(to);
      const across = { top: 0.5, bottom: 0.5, left: 0.1, right: 0.9 }[side];
      const down = { top: 0.1, bottom: 0.9, left: 0.5, right: 0.5 }[side];
      await send('touchMove', box.x + box.width * across, box.y + box.height * down);
    };
    return Object.assign(move, { drop: () => send('touchEnd', 0, 0) });
  }

  for (const how of ['mouse', 'touch']) {
    it(`rows, columns and items are dragged, by ${how}`, async () => {
      const first = '1. one\n   - x\n   - y\n2. two\n3. three\n';
      const list = `${first}\n- [ ] a\n- [x] b\n- [ ] c\n\n> - q\n> - r\n`;
      const table = '| A | B | C |\n|:--|---|--:|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n| 7 | 8 | 9 |\n';
      const whole = `Before.\n\n${table}\n${list}`;
      const viewport = { width: 1280, height: 900 };
      const options = { viewport, hasTouch: how === 'touch' };
      const { page, end } = await edit(`dragged-${how}`, whole, options);
      const line = (words: string) =>
        page.locator('.cm-line', { hasText: new RegExp(`\\b${words}\\b`) });
      const sign = (words: string) => line(words).locator('.cm-number, .cm-bullet').first();
      const tap = (what: Locator) => (how === 'touch' ? what.tap() : what.click());
      const handle = (name: string) => page.locator(`.cm-handle-${name} summary`);

      await drag(page, sign('one'), line('three'), 'bottom', how);
      await drag(page, sign('y'), line('x'), 'top', how);
      await drag(page, line('c').locator('.cm-grip'), line('a'), 'top', how);
      await drag(page, sign('r'), line('q'), 'top', how);
      const moved =
        '1. two\n2. three\n3. one\n   - y\n   - x\n' +
        '\n- [ ] c\n- [ ] a\n- [x] b\n\n> - r\n> - q\n';
      assert.equal(await sourceOf(page), `Before.\n\n${table}\n${moved}`);

      await press(page, 'Control+Home');
      await tap(cell(page, 1, 1));
      await focused(cell(page, 1, 1));
      await drag(page, handle('row'), cell(page, 3, 1), 'bottom', how);
      await focused(cell(page, 3, 1));
      await drag(page, handle('column'), cell(page, 0, 0), 'left', how);
      await focused(cell(page, 3, 0));
      const grid =
        '| B   | A   |   C |\n| --- | :-- | --: |\n| 5   | 4   |   6 |\n| 8   | 7   |   9 |\n' +
        '| 2   | 1   |   3 |\n';
      await press(page, 'Escape');
      assert.equal(await sourceOf(page), `Before.\n\n${grid}\n${moved}`);
      await press(page, ...Array.from({ length: 6 }, () => 'Control+z'), 'Control+Home');
      assert.equal(await sourceOf(page), whole);

      // Who doesn't move it clicks, and Escape takes it back.
      await press(page, 'Control+Home');
      await tap(page.getByRole('checkbox', { name: 'a' }));
      await page.getByRole('checkbox', { name: 'a', checked: true }).waitFor();
      await tap(cell(page, 1, 1));
      await focused(cell(page, 1, 1));
      await tap(handle('row'));
      await page.getByRole('button', { name: 'Move row down' }).waitFor();
      await press(page, 'Escape');
      const cancelled = await begin(page, sign('one'), how);
      await cancelled(line('three'), 'bottom');
      await page.locator('.cm-landing:not([hidden])').waitFor();
      await press(page, 'Escape');
      assert.equal(await page.locator('.cm-landing').count(), 0);
      await cancelled.drop();
      await tap(sign('two'));
      await press(page, 'End', '!');
      assert.equal(await sourceOf(page), whole.replace('[ ] a', '[x] a').replace('two', 'two!'));
      await end({ close: true });
    });
  }

  it('random drags lose and double no line, and are undone one by one', async () => {
    const chance = newChance('drags');
    const list = (sign: (at: number) => string, indent = '') =>
      Array.from({ length: 3 }, (_, at) => `${indent}${sign(at)} ${chance.below(100)}\n`);
    const nested = list((at) => `${at + 8}.`).map(
      (item) => item + list(() => '-', '    ').join(''),
    );
    const [tasks, quoted] = [
      list(() => '- [ ]').join(''),
      list(() => '-', '> ')
        .join('\n')
        .replace(/\n\n/g, '\n>\n'),
    ];
    const start = `Text.\n\n${TABLE}| Dates | 7 |\n\n${nested.join('')}\n${tasks}\n${quoted}\nEnd.\n`;
    const { page, end } = await edit('dragged-at-random', start, {
      viewport: { width: 1280, height: 1000 },
    });
    const linesOf = (source: string) =>
      source
        .split('\n')
        .map((line) => line.replace(/\d+\./, '').replace(/-{2,}|[\s:]+/g, ''))
        .toSorted();
    const [before, trail] = [linesOf(start), [] as string[]];
    let moves = 0;
    let last = start;
    for (let index = 0; index < MOVES; index++) {
      await press(page, 'Control+Home', 'Escape');
      await page.locator('.cm-task').nth(2).waitFor();
      const signs = page.locator('.cm-number, .cm-bullet, .cm-grip');
      const isRow = chance.below(3) === 0;
      const at = isRow ? 1 + chance.below(3) : chance.below(await signs.count());
      const to = isRow ? 1 + chance.below(3) : chance.below(await signs.count());
      const side = chance.pick(['top', 'bottom'] as const);
      if (isRow) await cell(page, at, 0).click();
      const move = await begin(
        page,
        isRow ? page.locator('.cm-handle-row summary') : signs.nth(at),
      );
      await move(isRow ? cell(page, to, 0) : signs.nth(to), side);
      await move.drop();
      if (isRow) await press(page, 'Escape');
      const now = await sourceOf(page);
      trail.push(`${at} ${to} ${side}\n${now}`);
      assert.deepEqual(linesOf(now), before, trail.join('\n'));
      if (now !== last) moves++;
      last = now;
    }
    assert.ok(moves > MOVES / 4, `${moves}`);
    for (let index = 0; index < moves; index++) await press(page, 'Control+z');
    assert.equal(await sourceOf(page), start);
    await end({ close: true });
  });

  it('tables are grids: cells, rows, columns, spreadsheets, and undo', async () => {
    const { page, end } = await edit('grid', `Before.\n\n${TABLE}\nAfter.\n`);
    await press(page, 'Control+Home', 'ArrowDown');
    await focused(cell(page, 0, 0));
    await press(page, 'Tab', 'ArrowDown', 'ArrowDown');
    await focused(cell(page, 2, 1));
    await press(page, 'End', '|4', 'Tab', 'Dates', 'Tab', '7');
    await focused(cell(page, 3, 1));
    await press(page, 'ArrowDown', 'Home', 'And ');
    const grown =
      'Before.\n\n| Name  |   Amount |\n| :---- | -------: |\n| Pears |       12 |\n' +
      '| Figs  | **3**\\|4 |\n| Dates |        7 |\n\nAnd After.\n';
    assert.equal(await sourceOf(page), grown);

    await cell(page, 3, 0).click();
    await press(page, 'Alt+ArrowUp');
    await cell(page, 2, 0).getByText('Dates').waitFor();
    await focused(cell(page, 2, 0));
    await page.locator('.cm-handle-column summary').click();
    await page.getByRole('button', { name: 'Add column after' }).click();
    await focused(cell(page, 2, 1));
    await cell(page, 2, 1).evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/plain', 'a\tb\nc\td\n');
      const init = { clipboardData: data, bubbles: true, cancelable: true };
      element.dispatchEvent(new ClipboardEvent('paste', init));
    });
    await cell(page, 3, 2).getByText('d', { exact: true }).waitFor();
    await press(page, 'Shift+F10', 'ArrowRight', 'ArrowLeft');
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    await page.waitForFunction(() => document.querySelectorAll('.cm-grid tr').length === 3);
    assert.match(await sourceOf(page), /\| Dates \| a\s+\|\s+b \|\n\nAnd After\.\n$/);
    await cell(page, 1, 0).click();
    await press(page, 'Control+z', 'Control+z', 'Control+z', 'Control+z');
    assert.equal(await sourceOf(page), grown);
    await end();
  });

  it('what is found in a table is shown, and what becomes of a table is said', async () => {
    const { page, end } = await edit('found', `Before.\n\n${TABLE}`);
    await press(page, 'Control+End', 'Control+f');
    await focused(page.locator('.cm-search input[name="search"]'));
    await press(page, 'Pears', 'Enter');
    await page.locator('.cm-line .cm-searchMatch-selected', { hasText: 'Pears' }).waitFor();
    assert.equal(await page.getByRole('toolbar', { name: 'Selection' }).count(), 0);
    await press(page, 'Escape', 'ArrowRight');
    await focused(page.getByRole('gridcell', { name: 'Pears' }));
    const said = await listener(page);
    await press(page, 'Alt+ArrowDown');
    await said('Row moved: 3 of 3');
    await page.locator('.cm-handle-column summary').click();
    await page.getByRole('button', { name: 'Remove column' }).click();
    await said('Column removed, 1 in all');
    // What comes with every word isn't said.
    await page.locator('#save-state[data-state="saved"][aria-live="off"]').waitFor();
    await end();
  });

  it('the bar stands at what one selects first, also with the mouse and in a cell', async () => {
    const { page, end } = await edit('bar', `Some words.\n\n${TABLE}`);
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    const drag = async (target: Locator) => {
      const { x = 0, y = 0, height = 0 } = (await target.boundingBox()) ?? {};
      await page.mouse.move(x + 12, y + height / 2);
      await page.mouse.down();
      for (const step of [30, 40, 50]) await page.mouse.move(x + step, y + height / 2);
      await page.mouse.up();
      await bar.waitFor();
      const at = await bar.boundingBox();
      assert.ok(at && Math.abs(at.x - x) < 60 && Math.abs(at.y - y) < 80, JSON.stringify(at));
    };
    await drag(page.locator('.cm-line', { hasText: 'Some words' }));
    await press(page, 'Escape');
    await bar.waitFor({ state: 'detached' });
    await cell(page, 1, 0).click();
    await drag(cell(page, 1, 0));
    await press(page, 'Tab');
    await bar.waitFor({ state: 'detached' });
    await end();
  });

  it('what is typed below a table is a paragraph, also if the table was the end', async () => {
    const { page, end } = await edit('below', `Before.\n\n${TABLE}`);
    await cell(page, 2, 1).click();
    await press(page, 'ArrowDown', 'After it.', 'Enter', 'And on.');
    assert.equal(await sourceOf(page), `Before.\n\n${TABLE}\nAfter it.\n\nAnd on.`);
    await press(page, 'Control+End', 'Enter', '/table');
    await page.getByRole('option', { name: 'Table' }).waitFor();
    // A key that comes as soon as the list is not for it.
    await page.waitForTimeout(150);
    await press(page, 'Enter', 'a', 'Tab', 'b', 'Tab', 'c', 'Tab', 'd', 'ArrowDown', 'The end.');
    const made = '| a   | b   | c   |\n| --- | --- | --- |\n| d   |     |     |\n';
    const whole = `Before.\n\n${TABLE}\nAfter it.\n\nAnd on.\n\n${made}\nThe end.`;
    assert.equal(await sourceOf(page), whole);
    await end();
  });

  it('a line without cells right below a table is shown as it is written', async () => {
    const { page, end } = await edit('no-cells', `${TABLE}words\n\nThe end.\n`);
    assert.equal(await page.locator('.cm-grid').count(), 0);
    await press(page, 'Control+Home', 'ArrowDown', 'End', '!');
    assert.equal(await sourceOf(page), `${TABLE.replace('--:|', '--:|!')}words\n\nThe end.\n`);
    await end();
  });

  it('what is composed is not interrupted, in text and in cells', async () => {
    const journey = await edit('composed', `Some **bold** text.\n\n${TABLE}\nEnd.\n`);
    const { page, end } = journey;
    const type = await composer(journey);
    // Longer than the caret has to rest before something is hidden.
    const compose = (...steps: string[]) => type(steps, 300);
    const count = () =>
      page.evaluate(() => {
        const ends = { count: 0 };
        Object.assign(window, { ends });
        addEventListener('compositionend', () => void ends.count++, true);
      });
    const ended = () => page.evaluate(() => Object(window).ends.count);
    await count();
    await press(page, 'Control+Home', 'Control+ArrowRight', 'Control+ArrowRight');
    await compose('n', 'に', 'にほ', '日本');
    assert.equal(await ended(), 1);
    await cell(page, 1, 0).click();
    await press(page, 'End');
    await compose('k', 'か', '果');
    assert.equal(await ended(), 2);
    await press(page, 'Escape', 'Control+End');
    await compose('o', 'お', '終');
    const composed = await sourceOf(page);
    assert.equal(composed.replace('日本', '').split('\n')[0], 'Some **bold** text.');
    assert.match(composed, /日本[\s\S]*\| Pears果 \|[\s\S]*\nEnd\.\n\n終$/);
    await end();
  });

  const PHONE = 'Mozilla/5.0 (Linux; Android 14) Chrome/140.0.0.0 Mobile Safari/537.36';
  // Phones compose every word, and their browsers tell the editor of it in another way. There, the editor
  // leaves Enter to the browser for a frame, so only other keys can be right after.
  for (const [name, options, keys, rest] of [
    ['desk', {}, ['Enter', 'x', 'ArrowUp'], '\n\nx'],
    ['phone', { userAgent: PHONE }, [], ''],
  ] as const) {
    it(`a key right after what is composed below a paragraph finds it there, ${name}`, async () => {
      const journey = await edit(`composed-${name}`, 'One.\n\nTwo.\n', options);
      const { page, end } = journey;
      const compose = await composer(journey);
      await press(page, 'Control+End');
      await compose(['に', '日本']);
      await press(page, ...keys, 'Home', 'y');
      assert.equal(await sourceOf(page), `One.\n\nTwo.\n\ny日本${rest}`);
      await press(page, 'Control+z', 'Control+z', 'Control+z', 'Control+z');
      assert.equal(await sourceOf(page), 'One.\n\nTwo.\n');
      await end({ close: true });
    });
  }

  it('what goes on in the next line shows its source', async () => {
    const wrapped = '[a](https://example.org/\n"title") and $x\n+ y$\n\n$$\na\n$$ words\n\n';
    const { page, end } = await edit('wrapped', `${wrapped}The end.\n`);
    await page.locator('.cm-line', { hasText: '[a](https://example.org/' }).waitFor();
    await press(page, 'Control+End', 'Really.');
    assert.equal(await sourceOf(page), `${wrapped}The end.\n\nReally.`);
    await end();
  });

  it('two people write in different views', async () => {
    const { page: mine, end } = await edit('both', `Begin here.\n\n${TABLE}\nThe end.\n`);
    const path = '/briefs/ada/both/collaborators/grace';
    const { data } = await ada.client.put(path, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    const said = await listener(mine);
    const hers = await open(grace, 'both');
    await said('grace is');
    await hers.page.keyboard.press('Control+Alt+Shift+s');
    const shows = (page: Page, part: string) => text(page).getByText(part).first().waitFor();
    await press(hers.page, 'Control+Home', 'End', ' And **there**.');
    await shows(mine, 'there');
    await mine.locator('.others-caret[data-name="grace"]').waitFor();
    await cell(mine, 1, 0).click();
    await press(mine, 'End', ' and plums');
    await shows(hers.page, 'Pears and plums');
    await hers.page.locator('.others-caret[data-name="ada"]').waitFor();
    await hers.page.locator('.cm-line', { hasText: 'Figs' }).click();
    await press(hers.page, 'Home', 'ArrowRight', 'ArrowRight', 'Green ');
    await cell(mine, 2, 0).getByText('Green Figs').waitFor();
    await mine.locator('.others-cell[data-name="grace"]', { hasText: 'Green Figs' }).waitFor();
    await focused(cell(mine, 1, 0));
    await press(mine, '!');
    await shows(hers.page, 'Pears and plums!');
    // Somebody writes elsewhere while the key that has moved the caret is still down.
    await press(mine, 'Home');
    await mine.keyboard.down('End');
    await press(hers.page, 'x');
    await cell(mine, 2, 0).getByText('Green xFigs').waitFor();
    await press(mine, '?');
    await mine.keyboard.up('End');
    await shows(hers.page, 'Pears and plums!?');
    await press(mine, 'Control+z');
    await cell(mine, 2, 0).getByText('Green xFigs').waitFor();
    // What others write in a row that is dragged moves with it.
    const move = await begin(mine, mine.locator('.cm-handle-row summary'));
    await move(cell(mine, 2, 0), 'bottom');
    await hers.page.locator('.cm-line', { hasText: 'Pears' }).click();
    await press(hers.page, 'Home', 'ArrowRight', 'ArrowRight', 'Ripe ');
    await hers.page.locator('.cm-line', { hasText: 'The end' }).click();
    await press(hers.page, 'Home', 'Enter', 'ArrowUp', 'New.', 'Enter');
    await cell(mine, 1, 0).getByText('Ripe Pears').waitFor();
    await shows(mine, 'New.');
    await move.drop();
    await cell(mine, 2, 0).getByText('Ripe Pears').waitFor();
    await hers.page.locator('.cm-line', { hasText: 'Figs' }).click();
    await shows(hers.page, 'Ripe Pears');
    await press(mine, 'Escape');
    await saved(mine);
    assert.match(await sourceOf(mine), /Green xFigs[^\n]+\n\| Ripe Pears[^\n]+\n\nNew\.\n/);
    assert.match(await sourceOf(mine), /^Begin here\. And \*\*there\*\*\.\n/);
    assert.equal(await sourceOf(mine), await sourceOf(hers.page));
    await hers.end();
    await end();
  });

  it('two people type in one cell, and what each types stays whole', async () => {
    const journey = await edit('one-cell', `Begin.\n\n${TABLE}\nThe end.\n`);
    const { page, end } = journey;
    const path = '/briefs/ada/one-cell/collaborators/grace';
    const { data } = await ada.client.put(path, { permission: 'write' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    const hers = await open(grace, 'one-cell');
    const compose = await composer(journey);
    const isShown = (where: Page, row: number, words: string) =>
      cell(where, row, 0).getByText(words, { exact: true }).waitFor();
    const theirs = async (row: number, words: string) => {
      await cell(hers.page, row, 0).click();
      await press(hers.page, 'Home', words);
    };
    await cell(page, 1, 0).click();
    // A space at the end, or at the start, isn't in the text before the next letter.
    await press(page, 'End', ' and ');
    await theirs(1, 'Ripe ');
    await isShown(page, 1, 'Ripe Pears and ');
    await press(page, 'plums', 'Home', ' Very ');
    await isShown(hers.page, 1, 'Very Ripe Pears and plums');
    // The key that has moved the caret is still down.
    await press(page, 'Enter');
    await page.keyboard.down('End');
    await theirs(2, 'Big ');
    await isShown(page, 2, 'Big Figs');
    await press(page, '!');
    await page.keyboard.up('End');
    await isShown(hers.page, 2, 'Big Figs!');
    // While one composes, somebody else types there and adds a row above.
    const half = page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    const composed = compose([' k', ' ka', ' kak', ' kaki'], 250);
    await half;
    await press(hers.page, 'Very ');
    await hers.page.locator('.cm-handle-row summary').click();
    await hers.page.getByRole('button', { name: 'Add row above' }).click();
    await composed;
    await press(page, ' ripe');
    await isShown(hers.page, 3, 'Big Very Figs! kaki ripe');
    await isShown(page, 3, 'Big Very Figs! kaki ripe');
    await saved(page);
    assert.equal(await sourceOf(page), await sourceOf(hers.page));
    await hers.end();
    await end();
  });

  it('what is suggested is marked', async () => {
    const { page, end } = await edit('suggested', `One **bold** word.\n\n${TABLE}\nThe end.\n`);
    await saved(page);
    await page.keyboard.press('Control+Alt+Shift+x');
    await page.locator('#editor[data-mode="suggesting"]').waitFor();
    await press(page, 'Control+End', 'ArrowUp', 'End', ' Really.');
    await page.locator('.suggested-insertion', { hasText: 'Really.' }).waitFor();
    await cell(page, 1, 1).click();
    await press(page, 'End', '0', 'Escape');
    await page.locator('#save-state', { hasText: '2 unsaved suggestions' }).waitFor();
    await page.locator('.cm-suggested', { hasText: '120' }).waitFor();
    await end({ close: true });
  });

  it(`${DOCUMENTS} documents are opened, looked through and closed without a changed byte`, async () => {
    const files = globSync('**/*.md', { cwd: DOCS }).toSorted();
    const texts = files
      .map((file) => readFileSync(join(DOCS, file), 'utf8'))
      // Their pictures aren't served.
      .filter((content) => !content.includes('../images/'))
      .slice(0, DOCUMENTS - 1);
    const { page, go, end } = await edit('open-0', ALL);
    for (const [index, content] of texts.entries()) {
      const body = { name: `open-${index + 1}`, content, visibility: 'private' };
      assert.equal((await ada.client.post('/user/briefs', body)).status, 201);
    }
    for (const [index, content] of [ALL, ...texts].entries()) {
      await go(`/edit/ada/open-${index}`);
      await editorReady(page);
      await press(page, 'Control+Home');
      for (let step = 0; step < 18; step++) {
        const key = ['ArrowDown', 'PageDown', 'ArrowRight', 'ArrowUp', 'Shift+ArrowDown', 'End'][
          step % 6
        ];
        await page.keyboard.press(key ?? '');
      }
      if ((await page.locator('.cm-grid').count()) > 0) {
        await page.locator('.cm-grid th').first().click();
        await press(page, 'Tab', 'ArrowDown', 'Shift+Tab', 'Escape');
      }
      assert.equal(await sourceOf(page), content);
      await page.locator('#done').click();
      await page.waitForURL('**/read/**');
      assert.equal(await contentOf(`open-${index}`), content);
    }
    assert.equal(texts.length, DOCUMENTS - 1);
    await end();
  });

  /** Keys in this view, and those that mean the same in Source. */
  type Step = [write: string[], source: string[]];
  const same = (...keys: string[]): Step => [keys, keys];

  function randomScript(chance: ReturnType<typeof newChance>): Step[] {
    const word = () =>
      chance.pick([
        'tide',
        'moon',
        '**bold**',
        '_soft_',
        '`code`',
        '[x](y)',
        'a*b',
        '\\*',
        '$x^2$',
        '[[plan]]',
        '1.5',
        '~~old~~',
      ]);
    const words = () => same(...Array.from({ length: 1 + chance.below(3) }, () => `${word()} `));
    const paragraph: Step = [['Enter'], ['Enter', 'Enter']];
    const corrected = () => {
      const count = 1 + chance.below(3);
      return same('xyz', ...Array.from({ length: count }, () => 'Backspace'));
    };
    const moved = () => {
      const count = 1 + chance.below(6);
      const back = Array.from({ length: count }, () => 'ArrowLeft');
      return same(...back, 'q', ...back.map(() => 'ArrowRight'));
    };
    const list = (marker: string) => [same(marker), words(), same('Enter'), words()];
    const blocks = [
      () => [words(), corrected(), words()],
      () => [words(), moved()],
      () => [same('# '), words()],
      () => [words(), [['Shift+Enter'], ['\\', 'Enter']] as Step, words()],
      () => [same('```', 'Enter', 'a < b', 'Enter', '```')],
      () => [same('word', 'Control+Shift+ArrowLeft', 'Control+b', 'End')],
    ];
    const steps: Step[] = [];
    for (let count = 3 + chance.below(4); count > 0; count--) {
      if (chance.below(3) === 0) {
        // An empty item ends a list, in both views.
        steps.push(...list(chance.pick(['- ', '1. ', '- [ ] '])), same('Enter', 'Enter'));
      } else steps.push(...chance.pick(blocks)(), paragraph);
    }
    // Only the last, because Source takes another key to end a quote.
    if (chance.below(2)) steps.push(same('> '), words(), paragraph, words());
    return steps;
  }

  it('random keys make the same text as in Source, where they mean the same', async () => {
    const chance = newChance('in place');
    const { page, end } = await edit('random', '');
    const source = await edit('random-source', '');
    await source.page.keyboard.press('Control+Alt+Shift+s');
    for (let index = 0; index < SCRIPTS; index++) {
      const steps = randomScript(chance);
      for (const [at, view] of [page, source.page].entries()) {
        await text(view).focus();
        await press(view, 'Control+a', 'Delete', ...steps.flatMap((step) => step[at] ?? []));
      }
      assert.equal(await sourceOf(page), await sourceOf(source.page), JSON.stringify(steps));
    }
    await source.end();
    await end();
  });

  it('each word that is typed stands in the text once and whole, wherever the keys lead', async () => {
    const before = `${ALL}\n${TABLE}`;
    const journey = await edit('whole-words', before);
    const { page, end } = journey;
    const compose = await composer(journey);
    const chance = newChance('whole words');
    const often = ['Enter', 'Tab', 'ArrowUp', 'ArrowDown', 'ArrowDown'];
    const seldom = ['Control+End', 'Control+Home', 'Alt+ArrowUp', 'Alt+ArrowDown', 'Shift+Enter'];
    const words: string[] = [];
    const trail: string[] = [];
    await text(page).focus();
    for (let step = 0; step < STEPS; step++) {
      const word = `w${step}x`;
      const key = chance.pick(chance.below(3) > 0 ? often : seldom);
      trail.push(`${key} ${word}`);
      // At the end of a row, and with a space, so that no word is parted or replaced.
      await press(page, key, 'End', ' ');
      if (chance.below(3) === 0) await compose([word.slice(0, 2), word]);
      else await press(page, word);
      words.push(word);
    }
    const whole = await sourceOf(page);
    const torn = words.filter((word) => whole.split(word).length !== 2);
    assert.deepEqual(torn, [], `${trail.join(', ')}\n${whole}`);
    // More often than needed, whatever has the focus meanwhile: the text or a cell.
    const all = Array.from({ length: 3 * STEPS });
    await press(page, 'Control+End', ...all.map(() => 'Control+z'));
    assert.equal(await sourceOf(page), before, trail.join(', '));
    await press(page, ...all.map(() => 'Control+y'));
    assert.equal(await sourceOf(page), whole, trail.join(', '));
    await end();
  });

  it('pictures stand in the text and are sized there', async () => {
    const { page, end } = await edit('pictured', 'Text.\n');
    await press(page, 'Control+End');
    await text(page).evaluate(
      (element, bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'gear.png', { type: 'image/png' }));
        const init = { clipboardData: data, bubbles: true, cancelable: true };
        element.dispatchEvent(new ClipboardEvent('paste', init));
      },
      [...PNG],
    );
    await page.locator('.cm-line img[alt="gear.png"]').waitFor();
    // One goes on below it, without having seen its Markdown.
    await page.keyboard.type('On.');
    await page.locator('.cm-line', { hasText: /^On\.$/ }).waitFor();
    await page.locator('.resize-handle').focus();
    await press(page, 'Shift+ArrowRight');
    await page.waitForFunction(() =>
      document.querySelector('.resizable img')?.getAttribute('width'),
    );
    assert.match(await sourceOf(page), /!\[gear\.png\|\d+\]\([^)]+\)\n\nOn\.$/);
    await end();
  });

  it('a picture that is dropped on a cell or pasted there is in the cell', async () => {
    const { page, end } = await edit('pictured-cell', TABLE);
    const give = (what: Locator, type: 'drop' | 'paste') =>
      what.evaluate(
        (element, { bytes, type }) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], `${type}.png`, { type: 'image/png' }));
          const init = { clipboardData: data, dataTransfer: data, bubbles: true, cancelable: true };
          const Kind = type === 'drop' ? DragEvent : ClipboardEvent;
          element.dispatchEvent(new Kind(type, init));
        },
        { bytes: [...PNG], type },
      );
    await give(cell(page, 1, 0), 'drop');
    await focused(cell(page, 1, 0));
    await cell(page, 1, 0).getByText('drop.png').waitFor();
    await cell(page, 2, 0).click();
    await press(page, 'End');
    await give(cell(page, 2, 0), 'paste');
    await cell(page, 2, 0).getByText('paste.png').waitFor();
    await cell(page, 1, 0).locator('img[alt="drop.png"]').waitFor();
    await press(page, 'Escape');
    const written =
      /\| Pears !\[drop\.png\]\([^)]+\) +\| +12 \|\n\| Figs !\[paste\.png\]\([^)]+\) +\|/;
    assert.match(await sourceOf(page), written);
    await end();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`everything has a name and enough contrast, ${colorScheme}`, async () => {
      const { page, end } = await edit(`axe-${colorScheme}`, ALL, { colorScheme });
      await page.locator('.cm-drawing figure.diagram img').waitFor();
      await cell(page, 1, 0).click();
      await page.evaluate(AXE);
      const faults = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        const { violations } = await axe.run();
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
      });
      assert.deepEqual(faults, []);
      await end({ close: true });
    });
  }
});
