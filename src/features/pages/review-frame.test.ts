import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { ask, assertNothing, pagePolicy, targetOf } from '../../../test/render/expected.ts';
import { until } from '../../../test/until.ts';
import { clientMissing } from '../../../test/web/built-client.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { openEditor } from '../live/editor.testing.ts';
import { scriptPlace } from './framed-content.ts';

const HTML = '<!doctype html>\n<html lang="en"><head><script>first()</script></head><p>Ärger</p>';

/** The script for comments and the stand-ins, in this order. */
const OUR_SCRIPTS =
  /<script>\(\(\) => \{ const webOrigin[\s\S]*?\}\)\(\)<\/script><script>\(\(\) => \{\s+const QUOTA[\s\S]*?<\/script>/;

describe('The script of the review frame', () => {
  it('comes before anything that could run, and as late as that allows', () => {
    const places: [html: string, before: string][] = [
      ['<!doctype html><html><head><script>', '<script>'],
      ['<!DOCTYPE html >\n<!-- a --> <HTML lang="en" data-x=1>\n<Head>\n<title>', '\n<title>'],
      ['\u00ef\u00bb\u00bf<!doctype html><p>', '<p>'],
      ['<title>x</title>', '<title>'],
      ['<html><body onload="x()">', '<body'],
      ['hello<!doctype html><html><head>', 'hello'],
      ['<script>x()</script><!doctype html>', '<script>'],
      // Ambiguous markup is not skipped.
      ['<html a"="<head>"><script>x()</script>', '<html'],
      ['<html a=\'>\'><head b="<"><script>', '<script>'],
      ['<html <head><script>', '<html'],
      ['<!doctype html "<head>"><script>', '"><script>'],
      // Comments end as in browsers.
      ['<!--><script>x()</script>--><html>', '<!-->'],
      ['<!-- --!><script>x()</script>--><html>', '<!-- --!>'],
      ['<!-- never ends <html><head><script>', '<!-- never'],
      ['\u00a0<html><head><script>', '\u00a0'],
      ['', ''],
    ];
    for (const [html, before] of places) {
      const at = scriptPlace(html);
      assert.ok(html.slice(at).trimStart().startsWith(before.trimStart()), `${html} at ${at}`);
    }
  });

  it('is placed in time that is linear in the text', () => {
    const started = performance.now();
    scriptPlace(`<html ${'a '.repeat(8_000)}`);
    scriptPlace(`<html${' '.repeat(16_000)}x`);
    scriptPlace('<!--'.repeat(4_000));
    assert.ok(performance.now() - started < 30_000);
  });
});

describe('The review frame', { skip: clientMissing }, async () => {
  let name = 'page-0';
  let count = 0;

  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');

  async function make(visibility: string, html = HTML): Promise<string> {
    name = `page-${++count}`;
    const made = await ada.client.post('/user/pages', { name, html, visibility });
    assert.equal(made.status, 201, made.text);
    return `/read/ada/pages/${name}`;
  }

  /** The address of the frame that a reader gets, as path and query. */
  async function frameOf(who: Person, path: string, headers = {}): Promise<string> {
    const { text } = await who.visitor.get(path, headers);
    const [frame = '', source = ''] = /<iframe[^>]* src="([^"]+)"[^>]*>/.exec(text) ?? [];
    assert.match(frame, / sandbox="allow-scripts allow-forms allow-modals allow-downloads"/);
    return targetOf(source.replaceAll('&amp;', '&'));
  }

  it('has what is being typed, for an open page that asks for it, as long as its reader has access', async () => {
    const rest = '<p>😀 More of it.</p>\n'.repeat(9_000);
    const path = await make('private', `<p>Stored.</p>\n${rest}`);
    const collaborator = `/pages/ada/${name}/collaborators/grace`;
    const { data } = await ada.client.put(collaborator, { permission: 'read' });
    await grace.client.patch(`/user/brief_invitations/${data.id}`);
    const { id } = (await ada.client.get(`/pages/ada/${name}`)).data;
    const cookie = Array.from(ada.visitor.cookies, (pair) => pair.join('=')).join('; ');
    const editor = await openEditor(
      {
        url: `${service.webUrl.replace('http', 'ws')}/live/edit/${id}`,
        headers: { origin: service.webUrl, cookie },
        accountId: (await ada.client.get('/user')).data.id,
      },
      { version: 1, text: `<p>Stored.</p>\n${rest}` },
    );
    editor.type(3, 'Typed. ');
    await until('the service has it', editor.isSent);
    const asks = { 'x-typed-text': 'any' };
    const [typed, stored] = [await frameOf(grace, path, asks), await frameOf(grace, path)];
    const shown = async (target: string) =>
      (await ask(service, target)).body.replaceAll(/<script>[\s\S]*?<\/script>\n?/g, '');
    assert.match(await shown(typed), /^<p>Typed\. Stored\.<\/p>/);
    assert.ok((await shown(typed)).trimEnd().endsWith(rest.trimEnd()), 'whole');
    assert.match(await shown(stored), /^<p>Stored\.<\/p>/);
    const forged = await ask(service, stored.replace('&sig', '&typed=1&sig'));
    await assertNothing(service, forged, 'the signature covers it');
    // Also once the page has another version.
    assert.equal(
      (
        await ada.client.patch(`/pages/ada/${name}`, {
          html: `<p>Stored.</p>\n${rest}\n<p>New.</p>\n`,
        })
      ).status,
      200,
    );
    assert.match(await shown(typed), /^<p>Typed\. Stored\.<\/p>[\s\S]*<p>New\.<\/p>/);
    await ada.client.delete(collaborator);
    await assertNothing(service, await ask(service, typed), 'no access');
    editor.cut();
  });

  it('has the stored bytes, one script before them, and the policy of every page', async () => {
    const target = await frameOf(ada, await make('private'));
    assert.match(target, /&review=1&sig=/);
    const answer = await ask(service, target, { headers: { range: 'bytes=0-9' } });
    assert.equal(answer.status, 200);
    const { headers } = answer;
    assert.equal(headers['content-security-policy'], pagePolicy(service.webUrl));
    assert.equal(headers['cache-control'], 'private, no-store');
    assert.equal(headers['accept-ranges'], 'none');
    const plain = await ask(service, target.replace('&review=1', ''));
    await assertNothing(service, plain, 'the signature covers it');
    const [start = '', end = ''] = answer.body.split(OUR_SCRIPTS);
    assert.equal(start, '<!doctype html>\n<html lang="en"><head>');
    assert.ok((start + end).startsWith(`${HTML}\n<script>`));
    assert.equal(Number(headers['content-length']), Buffer.byteLength(answer.body));
  });

  it('of a long page has all of it', async () => {
    const html = `${HTML}${'<p>More.</p>'.repeat(5_000)}The end.`;
    const target = await frameOf(ada, await make('private', html));
    const headers = { 'sec-fetch-dest': 'iframe' };
    const { body } = await ask(service, target, { headers });
    assert.ok(body.includes('The end.\n<script>'), 'and the script that opens links');
    const own = body.replace(OUR_SCRIPTS, '');
    assert.equal(own.slice(0, html.length), html);
  });

  it('is for those who see comments; others get the published bytes', async () => {
    const path = await make('public');
    assert.equal(await frameOf(grace, path), `/ada/${name}`);
    assert.equal((await ask(service, `/ada/${name}`)).body, HTML);
    const signed = (await ada.client.get(`/pages/ada/${name}/render-url`)).data.url;
    assert.equal((await ask(service, targetOf(signed))).body, HTML);
  });

  it('ends when its reader can no longer see the comments', async () => {
    const path = await make('public');
    const settings = `/pages/ada/${name}/review-settings`;
    await ada.client.patch(settings, { comments: 'readers' });
    const target = await frameOf(grace, path);
    assert.equal((await ask(service, target)).status, 200);
    await ada.client.patch(settings, { comments: 'insiders' });
    await assertNothing(service, await ask(service, target), 'no longer a commenter');
    const own = await frameOf(ada, path);
    await ada.client.patch(`/pages/ada/${name}`, { html: 'new' });
    await assertNothing(service, await ask(service, own), 'another version');
  });
});
