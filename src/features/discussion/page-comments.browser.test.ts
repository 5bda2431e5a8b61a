import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import type { Service } from '../../../test/harness.ts';
import { IN_BROWSER, openStage } from '../../../test/in-browser.ts';
import { until } from '../../../test/until.ts';
import { inFrame } from '../../../test/web-app/in-frame.ts';
import { beginJourney, focused, type Journey, toast } from '../../../test/web-app/journey.ts';
import type { Person } from '../../../test/web-app/world.ts';

const FILLER = '<p>A long report.</p>\n'.repeat(60);

const HTML = `<!doctype html>
<html lang="en"><head><title>Report</title></head><body>
<h1>Report</h1>
<p id="first">The <b>station</b> was quiet in March.</p>
<ul><li>12 trains</li><li>12 trains</li></ul>
<figure id="chart"><svg width="200" height="80"><rect width="200" height="80"/></svg></figure>
<p id="made"></p>
<input aria-label="Field">
${FILLER}
<p>The last word.</p>
<script>made.textContent = 'With 4711 visitors.'</script>
</body></html>
`;

/**
 * A hostile page. It replaces every function that a script could use to find and report a passage,
 * listens to all events, and records what it sees.
 */
const HOSTILE = `<!doctype html><html><head><title>Hostile</title><script>
const seen = window.seen = [];
const reflect = { apply: Reflect.apply, construct: Reflect.construct };
let isNoting = false;
const note = (what, first, second) => {
  if (isNoting) return;
  isNoting = true;
  let text = '';
  try { text = String(first) + ' ' + String(second) } catch {}
  // What the browser's driver does in here doesn't count.
  if (!new Error().stack.includes('UtilityScript')) seen[seen.length] = what + ': ' + text;
  isNoting = false;
};
const wrap = (owner, name, label) => {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  if (!own || !own.configurable) return;
  if (own.get) Object.defineProperty(owner, name, { ...own, get() { const value = reflect.apply(own.get, this, []); note(label + '.' + name, value, ''); return value } });
  else if (typeof own.value === 'function') owner[name] = new Proxy(own.value, {
    apply(target, self, args) { note(label + '.' + name, self, args[0]); return reflect.apply(target, self, args) },
    construct(target, args, made) { note('new ' + name, args[0], ''); return reflect.construct(target, args, made) },
  });
};
for (const name of ['data', 'ports', 'source', 'origin']) wrap(MessageEvent.prototype, name, 'MessageEvent');
for (const [type, methods] of Object.entries({
  MessagePort: ['postMessage', 'start', 'close'], EventTarget: ['addEventListener', 'dispatchEvent'],
  String: ['indexOf', 'slice', 'charCodeAt', 'toLowerCase', 'split', 'replaceAll', 'includes', 'at'],
  Array: ['push', 'indexOf', 'map', 'filter', 'concat', 'slice', 'includes', 'forEach'],
  Range: ['setStart', 'setEnd', 'getBoundingClientRect', 'getClientRects', 'comparePoint', 'selectNodeContents'],
  Node: ['contains', 'firstChild', 'nextSibling', 'parentNode', 'nodeType', 'textContent'],
  CharacterData: ['data'], Element: ['localName', 'id', 'getBoundingClientRect', 'scrollIntoView', 'matches', 'closest'],
  Document: ['getElementById', 'elementFromPoint', 'createTreeWalker', 'createRange', 'querySelector'],
  Selection: ['getRangeAt', 'rangeCount', 'isCollapsed', 'toString'], Highlight: ['add'], HighlightRegistry: ['set'],
  Function: ['call', 'apply', 'bind'], RegExp: ['exec', 'test'], Map: ['get', 'set'], Set: ['add', 'has'],
  AbstractRange: ['startContainer', 'startOffset', 'endContainer', 'endOffset'],
})) for (const method of methods) wrap(globalThis[type].prototype, method, type);
for (const name of ['Range', 'Highlight', 'MessageChannel', 'MutationObserver', 'requestAnimationFrame', 'setTimeout', 'getSelection', 'structuredClone', 'postMessage']) wrap(window, name, 'window');
wrap(JSON, 'parse', 'JSON');
const iterate = Array.prototype[Symbol.iterator];
Array.prototype[Symbol.iterator] = function () { note('iterated', this, ''); return reflect.apply(iterate, this, []) };
for (const name of ['kind', 'places', 'active', 'isPicking', 'steps', 'quote', 'prefix', 'suffix', 'id', 'name', 'body', 'author', 'text', 'thread', 'count', 'then', 'toJSON', 'behavior', 'block']) {
  Object.defineProperty(Object.prototype, name, { configurable: true, get() { note('read', name, ''); return undefined }, set(value) { Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true }); note('set', name, value) } });
}
for (const index of [0, 1, 2]) Object.defineProperty(Array.prototype, index, { configurable: true, get() {}, set(value) { Object.defineProperty(this, index, { value, writable: true, configurable: true, enumerable: true }); note('put', index, value) } });
Error.prepareStackTrace = (error, frames) => { note('stack', error, ''); return frames.join(' ') };
for (const type of ['message', 'messageerror', 'error', 'unhandledrejection']) {
  window.addEventListener(type, (event) => { note('heard', type, event.type) }, true);
}
const channel = new MessageChannel();
parent.postMessage('review', '*', [channel.port2]);
channel.port1.onmessage = () => { note('heard', 'its own port', '') };
window.clear = () => { seen.length = 0 };
</script></head><body>
<p id="first">The station was quiet in March.</p>
<p id="second" style="position: absolute; top: 100px; left: 8px; margin: 0">Nobody came.</p>
</body></html>`;

const WIDE = { viewport: { width: 1440, height: 900 } };
const NARROW = { viewport: { width: 360, height: 760 } };

describe('Comments on a page, in a browser', IN_BROWSER, () => {
  let service: Service;
  let ada: Person;
  let grace: Person;

  openStage({ people: ['ada', 'grace'] }, (stage) => {
    ({ service, ada, grace } = stage);
  });

  /** Creates a page that grace can read, with a thread by her for each of `threads`. */
  async function make(name: string, threads: object[] = [], html = HTML): Promise<string> {
    const made = await ada.client.post('/user/pages', { name, html, visibility: 'private' });
    assert.equal(made.status, 201, made.text);
    const { data } = await ada.client.put(`/pages/ada/${name}/collaborators/grace`, {
      permission: 'read',
    });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    for (const body of threads) {
      const answer = await grace.client.post(`/pages/ada/${name}/threads`, body);
      assert.equal(answer.status, 201, answer.text);
    }
    return `/read/ada/pages/${name}`;
  }

  async function visit(path: string, options: object = WIDE): Promise<Journey & { frame: Frame }> {
    const journey = await beginJourney(service, ada, options);
    await journey.go(path);
    const frame = journey.page.frames()[1] as Frame;
    await until('the script', () => inFrame<boolean>(frame, `CSS.highlights.has('comment')`));
    return { ...journey, frame };
  }

  const marked = (frame: Frame, name: 'comment' | 'comment-active' = 'comment') =>
    inFrame<string[]>(frame, `Array.from(CSS.highlights.get('${name}') ?? [], String)`);
  const untilMarked = (frame: Frame, count: number) =>
    until(`${count} marks`, async () => (await marked(frame)).length === count);
  const select = (frame: Frame, selector: string, from: number, to: number) =>
    frame.evaluate(
      ([selector, from, to]) => {
        const element = document.querySelector(selector) as Element;
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() as Text;
        getSelection()?.setBaseAndExtent(text, from, text, to);
      },
      [selector, from, to] as const,
    );
  const composer = (page: Page) => page.getByRole('dialog', { name: 'New comment' });
  const card = (page: Page, text: string) => page.locator('.thread').filter({ hasText: text });
  const send = async (page: Page, text: string) => {
    await focused(composer(page).getByLabel('Comment', { exact: true }));
    await page.keyboard.type(text);
    await composer(page).getByRole('button', { name: 'Comment', exact: true }).click();
    await card(page, text).waitFor();
  };
  const threads = async (name: string) =>
    (await ada.client.get(`/pages/ada/${name}/threads?state=all`)).data;

  it('text of the page and of its scripts can be commented on, and is marked in the frame', async () => {
    const { page, frame, end } = await visit(await make('words'));
    const width = async () => (await page.locator('.page-frame').boundingBox())?.width;
    assert.equal(await width(), page.viewportSize()?.width, 'without comments, no room for them');
    await select(frame, 'li:nth-child(2)', 0, 2);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    assert.equal(await composer(page).getByLabel('Passage', { exact: true }).inputValue(), '12');
    const [form, passage] = await Promise.all([
      composer(page).boundingBox(),
      frame.locator('li:nth-child(2)').boundingBox(),
    ]);
    assert.ok(Math.abs((form?.y ?? 0) - (passage?.y ?? 0)) < 8, 'the form is beside its passage');
    await send(page, 'Which dozen?');
    assert.notEqual(await width(), page.viewportSize()?.width);
    await untilMarked(frame, 1);
    assert.equal(await inFrame<string>(frame, 'String(getSelection())'), '');
    await page.locator('.comment-selection').waitFor({ state: 'hidden' });
    const [{ on }] = await threads('words');
    assert.equal(on.state, 'kept');
    assert.equal(on.start, HTML.lastIndexOf('12 trains'));
    assert.deepEqual(await marked(frame, 'comment-active'), ['12']);

    await select(frame, '#made', 5, 9);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await send(page, 'So many?');
    await card(page, 'So many?').getByText('Shown by a script').waitFor();
    const [scripted] = await threads('words');
    assert.deepEqual([scripted.on.quote, scripted.on.state], ['4711', 'unverified']);
    await until('the mark', async () => (await marked(frame, 'comment-active'))[0] === '4711');
    await end();
  });

  it('an element can be chosen and commented on, and is outlined outside the frame', async () => {
    const { page, frame, end } = await visit(await make('element'));
    await page.getByRole('link', { name: 'Comments' }).click();
    await page.getByText('New comment').click();
    await page.getByRole('button', { name: 'Choose an element' }).click();
    await frame.hover('rect');
    await page.locator('.frame-outline.hovered').waitFor();
    await frame.click('rect');
    await composer(page).getByText('On the chosen element').waitFor();
    await send(page, 'Too dark.');
    const [{ on }] = await threads('element');
    assert.equal(on.element, 'figure:1#chart/svg:1/rect:1'.replace('#chart', ''));
    await page.locator('.frame-outline.active').waitFor();
    const box = await page.locator('.frame-outline.active').boundingBox();
    const rect = await frame.locator('rect').boundingBox();
    assert.deepEqual(box, rect);
    await end();
  });

  it('keys and clicks go from cards to passages and back', async () => {
    const path = await make('keys', [
      { body: 'One', on: { quote: 'quiet' } },
      { body: 'Two', on: { quote: 'The last word.' } },
    ]);
    const { page, frame, end } = await visit(path);
    await untilMarked(frame, 2);
    await frame.click('h1');
    await page.keyboard.press('n');
    await focused(card(page, 'One'));
    await page.keyboard.press('n');
    await focused(card(page, 'Two'));
    await frame.waitForFunction(() => scrollY > 500);
    assert.deepEqual(await marked(frame, 'comment-active'), ['The last word.']);
    await frame.evaluate(() => scrollTo(0, 0));
    await frame.click('#first b');
    await frame.evaluate(() => getSelection()?.removeAllRanges());
    const at = await frame.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = new Range();
      while (walker.nextNode()) {
        const { data } = walker.currentNode as Text;
        const at = data.indexOf('quiet');
        if (at < 0) continue;
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + 5);
        break;
      }
      const { left, top, width, height } = range.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    });
    const outer = await page.locator('.page-frame').boundingBox();
    await page.mouse.click((outer?.x ?? 0) + at.x, (outer?.y ?? 0) + at.y);
    await focused(card(page, 'One'));
    await page.keyboard.press('x');
    await toast(page, 'Resolved.');
    await untilMarked(frame, 1);
    // Keys typed into a field of the page stay there.
    await frame.evaluate(() => scrollTo(0, 0));
    await frame.locator('input').click();
    await page.keyboard.type('mn');
    assert.equal(await frame.locator('input').inputValue(), 'mn');
    assert.equal(await composer(page).isVisible(), false);
    await end();
  });

  it('on a phone, comments are in a drawer', async () => {
    const path = await make('phone', [{ body: 'Small', on: { quote: 'quiet' } }]);
    const { page, frame, end } = await visit(path, NARROW);
    await untilMarked(frame, 1);
    assert.equal(await page.locator('#comments').isVisible(), false);
    await page.getByRole('link', { name: 'Comments 1 open' }).click();
    await card(page, 'Small').waitFor();
    await end();
  });

  it('a hostile page learns neither the authors nor the text of comments, nor what is marked', async () => {
    const path = await make(
      'hostile',
      [{ body: 'Grace says a secret', on: { quote: 'quiet in March' } }],
      HOSTILE,
    );
    const { page, frame, end } = await visit(path);
    await untilMarked(frame, 1);
    const seen = () => frame.evaluate('window.seen.slice(0)') as Promise<string[]>;
    await frame.evaluate('window.clear()');
    // Does everything that a reviewer does, without running test code in the frame meanwhile.
    await page.keyboard.press('n');
    await focused(card(page, 'a secret'));
    const box = (await page.locator('.page-frame').boundingBox()) as { x: number; y: number };
    const y = box.y + 108;
    await page.mouse.move(box.x + 9, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, y, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await send(page, 'Nobody may know');
    await page.keyboard.press('p');
    await page.keyboard.press('n');
    await card(page, 'a secret').hover();
    await page.waitForTimeout(800);
    const heard = await seen();
    // Ignores clicks, which the script for links reads, and promises, which the test driver uses.
    const isOthers = (line: string) => /^Element.matches: .* a, area$|^read: then/.test(line);
    assert.ok(heard.some(isOthers), 'it notes what is done in it');
    assert.deepEqual(
      heard.filter((line) => !isOthers(line)),
      [],
    );
    const inside = (await frame.evaluate(
      'document.documentElement.outerHTML + JSON.stringify(Object.keys(window)) + location.href',
    )) as string;
    assert.equal((await marked(frame)).length, 2);
    assert.equal(await frame.evaluate('CSS.highlights.size'), 0, 'nor what is marked');
    for (const secret of ['secret', 'grace', 'Grace', 'may know']) {
      assert.ok(!inside.includes(secret), secret);
    }
    assert.equal((await threads('hostile')).length, 2);
    await end();
  });
});
