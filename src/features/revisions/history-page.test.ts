import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { readAnswer, startService } from '../../../test/harness.ts';
import { expectStatus } from '../../../test/rest/scenario.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { formsOf, formWith, submit, toastOf, undo } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { createToken } from '../../core/identity/token-service.ts';

const service = await startService();
after(() => service.stop());
const ada = await makePerson(service, 'ada');
const grace = await makePerson(service, 'grace');
const reader = await makePerson(service, 'reader');

/** Creates a document of ada's, with a revision for each text. */
async function make(kind: 'brief' | 'page', name: string, texts: string[], more = {}) {
  const field = kind === 'brief' ? 'content' : 'html';
  const [first, ...others] = texts;
  const { client } = ada;
  assert.equal(
    (await client.post(`/user/${kind}s`, { name, [field]: first, ...more })).status,
    201,
  );
  for (const text of others) {
    assert.equal((await client.patch(`/${kind}s/ada/${name}`, { [field]: text })).status, 200);
  }
  return kind === 'brief' ? `ada/${name}` : `ada/pages/${name}`;
}

async function invite(path: string, who: Person, permission: string) {
  const answer = await ada.client.put(`${path}/collaborators/${who.username}`, { permission });
  const { id } = answer.data;
  assert.equal((await who.client.patch(`/user/brief_invitations/${id}`)).status, 204);
}

async function stranger(path: string, headers: Record<string, string> = {}, host = service.webUrl) {
  return readAnswer(await fetch(host + path, { headers, redirect: 'manual' }));
}

describe('The history', () => {
  it('distinguishes people and agents, and says what each revision changed', async () => {
    const path = await make('brief', 'told', ['one', 'two']);
    const { context } = service.app;
    const lifetimeMs = undefined;
    const { token } = await createToken(context, { username: 'ada', name: 'laptop', lifetimeMs });
    await service.client(token).patch('/briefs/ada/told', { visibility: 'private', name: 'told' });
    const edit = await ada.visitor.get(`/edit/${path}`);
    const [, etag = ''] = /name="etag" value="([^"]*)"/.exec(edit.text) ?? [];
    const form = new FormData();
    for (const [name, value] of Object.entries({ content: 'three', name: 'told', etag })) {
      form.append(name, value.replaceAll('&quot;', '"'));
    }
    assert.equal((await ada.visitor.post(`/edit/${path}`, form)).status, 303);
    const { text } = await ada.visitor.get(`/history/${path}`);
    const rows = Array.from(text.matchAll(/<li class="item revision".*?<time/gs), ([row]) => [
      /<strong[^>]*>(.*?)</.exec(row)?.[1],
      row.includes('avatar agent'),
      /<p class="revision-what">([^<]*)</.exec(row)?.[1],
    ]);
    assert.deepEqual(rows, [
      ['ada', false, '1 paragraph, +1 −1 words'],
      ['ada with laptop (token)', true, 'Changed who can read it'],
      ['ada with world (token)', true, '1 paragraph, +1 −1 words'],
      ['ada with world (token)', true, 'Created'],
    ]);
  });

  it('says who approved which text, and how much of HTML changed', async () => {
    const path = await make('brief', 'judged', ['one', 'two']);
    const review = { verdict: 'approved', revision: 2 };
    assert.equal((await ada.client.post('/briefs/ada/judged/reviews', review)).status, 201);
    await ada.client.patch('/briefs/ada/judged', { content: 'three' });
    const { text } = await ada.visitor.get(`/history/${path}`);
    const rows = text.split('<li class="item revision"').slice(1);
    assert.deepEqual(
      rows.map((row) => row.replace(/<[^>]*>/g, '').includes('Approved by ada')),
      [false, true, false],
    );
    const page = await make('page', 'lines', ['<p>a\n<p>b', '<p>a\n<p>B\n<p>c']);
    assert.match((await ada.visitor.get(`/history/${page}`)).text, />\+2 −1 lines of HTML</);
  });

  it('has one entry for what a program wrote within minutes, except what stands out', async () => {
    const path = await make('brief', 'folded', ['one', 'two', 'three']);
    const write = (more: object) => ada.client.patch('/briefs/ada/folded', more);
    await write({ content: 'four', message: 'The fourth' });
    await write({ content: 'five' });
    const review = { verdict: 'approved', revision: 5 };
    assert.equal((await ada.client.post('/briefs/ada/folded/reviews', review)).status, 201);
    await write({ content: 'six' });
    await write({ content: 'seven' });
    await write({ visibility: 'private' });
    service.advance(6 * 60_000);
    await write({ content: 'eight' });
    const { text } = await ada.visitor.get(`/history/${path}`);
    const entries = Array.from(text.matchAll(/data-sitting="([\d-]+)"/g), ([, numbers]) => numbers);
    const expected = ['9-9', '8-8', '6-7', '6-6', '5-5', '2-4', '3-3', '2-2', '1-1'];
    assert.deepEqual(entries, expected);
    assert.match(text, /<summary>1 earlier revision just before<\/summary>/);
  });

  it('tells scripts which words of a page changed, and marks them in its frame', async () => {
    const path = await make('page', 'frames', ['<p>Old words here.', '<p>New words here.<p>More.']);
    const json = { accept: 'application/json' };
    const compared = `/history/${path}?from=1&to=2`;
    const { changes } = JSON.parse((await ada.visitor.get(compared, json)).text);
    const quotes = changes.map(
      (change: Record<'before' | 'after', { quote: string } | undefined>) => [
        change.before?.quote,
        change.after?.quote,
      ],
    );
    assert.deepEqual(quotes[0], ['Old', 'New']);
    assert.equal((await reader.visitor.get(compared, json)).status, 404);
    const frameOf = async (query: string) =>
      /<iframe[^>]* src="([^"]+)"/.exec(
        (await ada.visitor.get(`/read/${path}@1${query}`)).text,
      )?.[1];
    assert.match((await frameOf('?marked')) ?? '', /revisions\/1.*review=1/);
    assert.doesNotMatch((await frameOf('')) ?? '', /review=1/);
  });

  it('compares the oldest and the newest that are selected', async () => {
    const path = await make('brief', 'picked', ['one', 'two', 'three']);
    const to = async (query: string) => {
      const { status, headers } = await ada.visitor.get(`/history/${path}?${query}`);
      return status === 303 ? headers.get('location') : status;
    };
    assert.equal(await to('pick=2&pick=1'), `/history/${path}?from=1&to=2`);
    assert.equal(await to('pick=1'), `/history/${path}?from=1&to=3`);
    assert.equal(await to('pick=x'), 404);
  });

  it('has result pages of 50', async () => {
    const path = await make(
      'brief',
      'long',
      Array.from({ length: 52 }, (_, index) => `t${index}`),
    );
    const numbers = async (query = '') => {
      const { text } = await ada.visitor.get(`/history/${path}${query}`);
      return Array.from(text.matchAll(/>Revision (\d+)</g), ([, number]) => Number(number));
    };
    const first = await numbers();
    assert.deepEqual([first.length, first[0]], [50, 52]);
    assert.deepEqual(await numbers('?page=2'), [2, 1]);
  });

  for (const kind of ['brief', 'page'] as const) {
    it(`a ${kind}: an old text is restored, and the restore undone`, async () => {
      const path = await make(kind, 'restored', ['one', 'two', 'three']);
      const current = async () => (await ada.client.get(`/${kind}s/ada/restored`)).data;
      const history = await ada.visitor.get(`/history/${path}`);
      const restore = formWith(history, 'Restore', { revision: '1' });
      const page = await submit(ada.visitor, restore.action, restore.fields);
      assert.equal(toastOf(page), 'Restored revision 1.');
      assert.match(page.text, />Restored revision 1: /);
      const field = kind === 'brief' ? 'content' : 'html';
      assert.equal((await current())[field], 'one');
      const undone = await undo(ada.visitor, page);
      assert.equal(toastOf(undone), 'Restored revision 3.');
      assert.equal((await current())[field], 'three');
      const again = { act: 'restore', revision: '3', over: '5' };
      const same = await submit(ada.visitor, restore.action, again);
      assert.match(toastOf(same), /^The current text is the same/);
    });
  }

  it('undo never replaces a later save', async () => {
    const path = await make('brief', 'since', ['one', 'two']);
    const restore = { act: 'restore', revision: '1', over: '2' };
    const page = await submit(ada.visitor, `/history/${path}`, restore);
    await ada.client.patch('/briefs/ada/since', { content: 'newer' });
    const form = formWith(page, 'Undo');
    const undone = await ada.visitor.post(form.action, form.fields);
    assert.equal(undone.status, 409);
    assert.match(
      undone.text,
      /The text has changed since revision 3, which you have seen\. So nothing was done/,
    );
    assert.match(undone.text, /newer/);
    assert.equal((await ada.client.get('/briefs/ada/since')).data.content, 'newer');
    const again = formWith(undone, 'Restore revision 2 over revision 4');
    await submit(ada.visitor, again.action, again.fields);
    assert.equal((await ada.client.get('/briefs/ada/since')).data.content, 'two');
  });

  it('only writers restore, only admins pin and erase, and others see no old texts', async () => {
    const path = await make('brief', 'rights', ['one', 'two', 'three']);
    await invite('/briefs/ada/rights', grace, 'write');
    const buttons = async ({ visitor }: Person) => {
      const page = await visitor.get(`/history/${path}`);
      const own = formsOf(page).filter(({ action }) => action === `/history/${path}`);
      return [...new Set(own.flatMap((form) => form.buttons))].toSorted();
    };
    assert.deepEqual(await buttons(ada), ['Pin', 'Restore']);
    assert.deepEqual(await buttons(grace), ['Restore']);
    assert.deepEqual(await buttons(reader), []);
    const seen = await reader.visitor.get(`/history/${path}`);
    assert.match(seen.text, /Changed the text/);
    assert.doesNotMatch(seen.text, /@1|from=|erase=/);
    for (const act of ['pin', 'unpin', 'erase']) {
      const page = await submit(grace.visitor, `/history/${path}`, { act, revision: '1' });
      assert.match(toastOf(page), /^You can (read|edit) this (brief|page), but not /, act);
    }
    assert.equal((await grace.visitor.get(`/history/${path}?erase=1`)).status, 403);
    const refused = await submit(reader.visitor, `/history/${path}`, {
      act: 'restore',
      revision: '1',
    });
    assert.match(toastOf(refused), /^You can (read|edit) this (brief|page), but not /);
    assert.equal((await ada.client.get('/briefs/ada/rights')).data.content, 'three');
  });

  it('a text is erased permanently, after a confirmation', async () => {
    const path = await make('brief', 'erased', ['secret', 'two', 'three']);
    const ask = await ada.visitor.get(`/history/${path}?erase=1`);
    assert.match(ask.text, /You can’t undo this\./);
    const form = formWith(ask, 'Erase this text');
    const page = await submit(ada.visitor, form.action, form.fields);
    assert.equal(toastOf(page), 'Erased the text of revision 1.');
    assert.match(page.text, /Text no longer stored/);
    const gone = await ada.visitor.get(`/read/${path}@1`);
    assert.deepEqual([gone.status, gone.text.includes('secret')], [404, false]);
    const current = await submit(ada.visitor, form.action, { act: 'erase', revision: '3' });
    assert.match(toastOf(current), /current text/);
    assert.equal((await ada.visitor.get(`/history/${path}?erase=9`)).status, 404);
  });
});

describe('Erasing a text', () => {
  it('says what repeats its words, and what of that stays', async () => {
    const path = await make('brief', 'leaked', [
      'The key is k7secret',
      'k7secret again',
      'The key',
    ]);
    const api = '/briefs/ada/leaked';
    const post = async (to: string, body: object) =>
      (await expectStatus(ada.client.post(api + to, body), 201)).data;
    const { id } = await post('/threads', { body: 'Was it k7secret?' });
    await post('/threads', { on: { quote: 'key' }, replacement: 'k7secret' });
    await post('/reviews', { verdict: 'approved', revision: 3, body: 'K7secret is gone.' });
    const edits = [{ op: 'replace', old: 'The key', new: 'The key.' }];
    const edited = ada.client.post(`${api}/edits`, { edits, message: 'Remove k7secret' });
    await expectStatus(edited, 200);
    const ask = await ada.visitor.get(`/history/${path}?erase=1`);
    assert.match(ask.text, /A suggestion that repeats its words loses its text, too\./);
    for (const link of [
      `href="/read/${path}#thread-${id}"`,
      `href="/review/${path}"`,
      `href="/read/${path}@2"`,
    ]) {
      assert.ok(ask.text.includes(link), link);
    }
    assert.match(ask.text, /1 message<\/a>[^<]* in the history|1 message in the history/);
    const form = formWith(ask, 'Erase this text');
    const page = await submit(ada.visitor, form.action, form.fields);
    assert.equal(
      toastOf(page),
      'Erased the text of revision 1 and 1 suggestion. Its words are still in 1 thread, 1 review, ' +
        '1 message, and 1 other revision.',
    );
    const read = await ada.visitor.get(`/read/${path}`);
    assert.match(read.text, /The suggested text was erased/);
    // The words of revision 2 that stay elsewhere are found again.
    const second = await ada.visitor.get(`/history/${path}?erase=2`);
    assert.doesNotMatch(second.text, /other revision/);
  });
});

describe('Comparing revisions', () => {
  it('shows changed words inside lines, and both ends', async () => {
    const path = await make('brief', 'compared', [
      '# One\n\nthe old word <b>\n',
      '# One\n\nthe new word <b>\n',
    ]);
    const history = await ada.visitor.get(`/history/${path}`);
    assert.match(history.text, new RegExp(`href="/history/${path}\\?from=1&amp;to=2"`));
    const { text } = await ada.visitor.get(`/history/${path}?from=1&to=2`);
    assert.match(text, /the <del>old<\/del> word &lt;b>/);
    assert.match(text, /the <ins>new<\/ins> word &lt;b>/);
    assert.match(text, /\+1<\/span> <span class="removed">−1/);
    const page = { text } as Parameters<typeof formWith>[0];
    const { document, ...fields } = formWith(page, 'Restore').fields;
    assert.deepEqual(fields, { act: 'restore', revision: '1', over: '2' });
    assert.ok(document);
    const same = await ada.visitor.get(`/history/${path}?from=2&to=2`);
    assert.match(same.text, /The texts are the same\./);
  });

  it('is only for insiders and existing revisions', async () => {
    const path = await make('brief', 'compared-by', ['one', 'two', 'three']);
    const statusFor = async ({ visitor }: Person, query: string) =>
      (await visitor.get(`/history/${path}?${query}`)).status;
    assert.equal(await statusFor(ada, 'from=1&to=3'), 200);
    assert.equal(await statusFor(reader, 'from=1&to=3'), 404);
    for (const query of ['from=1', 'to=1', 'from=0&to=1', 'from=1&to=4', 'from=x&to=1']) {
      assert.equal(await statusFor(ada, query), 404, query);
    }
    await submit(ada.visitor, `/history/${path}`, { act: 'erase', revision: '1' });
    const { text } = await ada.visitor.get(`/history/${path}?from=1&to=3`);
    assert.match(text, /The text of revision 1 is no longer stored\./);
  });

  it('cuts large differences, with a note', async () => {
    const lines = (word: string) =>
      Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n');
    const path = await make('page', 'huge', [lines('one'), lines('other')]);
    const { text } = await ada.visitor.get(`/history/${path}?from=1&to=2`);
    assert.match(text, /There are more changes than fit here\./);
    assert.match(text, /\+20000</);
    assert.ok(text.length < 1_000_000, String(text.length));
  });
});

describe('An old revision', () => {
  it('of a brief: insiders read it, with links to the current text and to restore', async () => {
    const path = await make('brief', 'old', ['# One\n\nfirst', '# Two'], { visibility: 'private' });
    await invite('/briefs/ada/old', grace, 'read');
    const { text } = await ada.visitor.get(`/read/${path}@1`);
    assert.match(text, /<strong>Revision 1 of 2<\/strong>, saved by ada with world \(token\)/);
    assert.match(text, /first/);
    assert.match(text, new RegExp(`href="/read/${path}">Back to the current text`));
    assert.match(text, new RegExp(`href="/history/${path}\\?from=1&amp;to=2"`));
    assert.match(text, />Restore</);
    const seen = await grace.visitor.get(`/read/${path}@1`);
    assert.equal(seen.status, 200);
    assert.doesNotMatch(seen.text, />Restore</);
    assert.equal((await reader.visitor.get(`/read/${path}@1`)).status, 404);
    for (const number of ['3', '0', '01', '-1', 'x', '9999999999']) {
      assert.equal((await ada.visitor.get(`/read/${path}@${number}`)).status, 404, number);
    }
  });

  it('of a public brief: other readers can only read pinned ones', async () => {
    const path = await make('brief', 'was-private', ['draft', 'final']);
    const old = () => reader.visitor.get(`/read/${path}@1`);
    assert.equal((await old()).status, 404);
    await submit(ada.visitor, `/history/${path}`, { act: 'pin', revision: '1' });
    assert.equal((await old()).status, 200);
  });

  it('of a page: in the sandbox, at an address signed for this text', async () => {
    const path = await make('page', 'old', ['<p>one', '<p>two'], { visibility: 'private' });
    await invite('/pages/ada/old', grace, 'read');
    const sourceOf = async ({ visitor }: Person) => {
      const { text, status } = await visitor.get(`/read/${path}@1`);
      assert.equal(status, 200);
      const [, source = ''] = /<iframe [^>]*src="([^"]*)"/.exec(text) ?? [];
      return source.replaceAll('&amp;', '&');
    };
    const [own, theirs] = [await sourceOf(ada), await sourceOf(grace)];
    assert.match(own, /\/s\/[^/]+\/revisions\/1\?/);
    const get = async (url: string, headers = {}) => readAnswer(await fetch(url, { headers }));
    assert.equal((await get(own)).text, '<p>one');
    assert.equal((await get(own, { range: 'bytes=3-4' })).text, 'on');
    // The address is signed for one text, and opens no other.
    assert.equal((await get(own.replace('/revisions/1', '/revisions/2'))).status, 404);
    assert.equal((await get(own.replace('/revisions/1', '/1'))).status, 404);
    await ada.client.patch('/pages/ada/old', { html: '<p>three' });
    assert.equal((await get(own)).text, '<p>one');
    await ada.client.delete('/pages/ada/old/collaborators/grace');
    assert.equal((await get(theirs)).status, 404);
    await submit(ada.visitor, `/history/${path}`, { act: 'erase', revision: '1' });
    assert.equal((await get(own)).status, 404);
  });
});

describe('The link of a pinned revision', () => {
  // The text never changes, but it can be hidden.
  const asked = 'public, no-cache';

  it('of a public brief: Markdown for programs, a page for people, while it is pinned', async () => {
    const path = await make('brief', 'linked', ['# One', '# Two']);
    const missing = (await stranger('/ada/nothing@1')).text;
    const both = [`/${path}@1`, `/${path}@1.md`, `/${path}@1?format=md`, `/Ada/LINKED%401`];
    for (const link of both) {
      const { status, text } = await stranger(link);
      assert.deepEqual([status, text], [404, missing], link);
    }
    await submit(ada.visitor, `/history/${path}`, { act: 'pin', revision: '1' });
    for (const link of both) {
      const { status, text, headers } = await stranger(link);
      assert.deepEqual([status, text], [200, '# One'], link);
      assert.equal(headers.get('cache-control'), asked);
      assert.match(headers.get('content-type') ?? '', /^text\/markdown/);
    }
    const page = await stranger(`/${path}@1`, { accept: 'text/html' });
    assert.match(page.text, /<strong>Revision 1<\/strong>, saved by ada on/);
    assert.match(page.text, /<h1[^>]*>One/);
    assert.match(page.text, new RegExp(`rel="canonical" href="${service.webUrl}/${path}"`));
    const again = { accept: 'text/html', 'if-none-match': page.headers.get('etag') ?? '' };
    assert.equal((await stranger(`/${path}@1`, again)).status, 304);
    await submit(ada.visitor, `/history/${path}`, { act: 'unpin', revision: '1' });
    assert.equal((await stranger(`/${path}@1`)).status, 404);
  });

  it('of a brief that isn’t public: hidden, and its readers are sent to the app', async () => {
    const path = await make('brief', 'hidden', ['one', 'two'], { visibility: 'private' });
    await submit(ada.visitor, `/history/${path}`, { act: 'pin', revision: '1' });
    const answers = await Promise.all(
      [`/${path}@1`, `/${path}@2`, '/ada/nothing@1', '/nobody/hidden@1'].flatMap((link) => [
        stranger(link),
        newVisitor(service).get(link),
        reader.visitor.get(link),
      ]),
    );
    for (const [index, { status, text }] of answers.entries()) {
      assert.deepEqual([status, text], [404, answers[index % 3]?.text]);
    }
    const led = await ada.visitor.get(`/${path}@1`);
    assert.deepEqual([led.status, led.headers.get('location')], [303, `/read/${path}@1`]);
  });

  it('of a public page: in its frame and raw', async () => {
    const path = await make('page', 'linked', ['<p>one', '<p>two']);
    assert.equal((await stranger('/ada/linked@1', {}, service.renderUrl)).status, 404);
    assert.equal((await newVisitor(service).get(`/${path}@1`)).status, 404);
    await submit(ada.visitor, `/history/${path}`, { act: 'pin', revision: '1' });
    const raw = await stranger('/ada/linked@1', {}, service.renderUrl);
    assert.deepEqual([raw.status, raw.text], [200, '<p>one']);
    assert.equal(raw.headers.get('cache-control'), asked);
    const framed = await newVisitor(service).get(`/${path}@1`);
    assert.match(framed.text, new RegExp(`src="${service.renderUrl}/ada/linked@1"`));
    assert.match(framed.text, /<strong>Revision 1<\/strong>/);
    await ada.client.patch('/pages/ada/linked', { visibility: 'private' });
    assert.equal((await stranger('/ada/linked@1', {}, service.renderUrl)).status, 404);
    assert.equal((await newVisitor(service).get(`/${path}@1`)).status, 404);
    const led = await ada.visitor.get(`/${path}@1`);
    assert.equal(led.headers.get('location'), `/read/${path}@1`);
  });
});

describe('Opening a document again', () => {
  const newsIn = ({ text }: { text: string }) =>
    /<aside class="revision-banner"[^>]*><p>(\d+ changes?) since your last visit · <a class="changes-link" href="([^"]*)"/
      .exec(text)
      ?.slice(1)
      .map((part) => part.replaceAll('&amp;', '&'));

  for (const kind of ['brief', 'page'] as const) {
    it(`a ${kind}: says once what others changed, with a link to the comparison`, async () => {
      const path = await make(kind, 'visited', ['one', 'two'], { visibility: 'private' });
      await invite(`/${kind}s/ada/visited`, grace, 'write');
      const open = async ({ visitor }: Person) => newsIn(await visitor.get(`/read/${path}`));
      assert.equal(await open(ada), undefined);
      const field = kind === 'brief' ? 'content' : 'html';
      for (const text of ['three', 'four']) {
        await grace.client.patch(`/${kind}s/ada/visited`, { [field]: text });
      }
      const link = `/history/${path}?from=2&to=4`;
      assert.deepEqual(await open(ada), ['2 changes', link]);
      assert.match((await ada.visitor.get(link)).text, /<h1>Changes in visited/);
      assert.equal(await open(ada), undefined);
      assert.equal(await open(grace), undefined, 'the first visit');
      await ada.client.patch(`/${kind}s/ada/visited`, { [field]: 'five' });
      assert.equal((await open(grace))?.[0], '1 change');
    });
  }

  it('ignores your own saves in the app, and renames', async () => {
    const path = await make('brief', 'own', ['one', 'two']);
    const open = async () => newsIn(await ada.visitor.get(`/read/${path}`));
    assert.equal(await open(), undefined);
    const restore = { act: 'restore', revision: '1', over: '2' };
    await submit(ada.visitor, `/history/${path}`, restore);
    await ada.client.patch('/briefs/ada/own', { visibility: 'private' });
    assert.equal(await open(), undefined);
    // The user's own program is different.
    await ada.client.patch('/briefs/ada/own', { content: 'three' });
    assert.equal((await open())?.[0], '1 change');
  });

  it('says nothing to people who read it only because it is public', async () => {
    const path = await make('brief', 'open', ['one']);
    const open = async () => newsIn(await reader.visitor.get(`/read/${path}`));
    assert.equal(await open(), undefined);
    await ada.client.patch('/briefs/ada/open', { content: 'two' });
    assert.equal(await open(), undefined);
    const { read } = service.app.context.sql;
    const seen = read.selectFrom('seen').innerJoin('owner', 'owner.id', 'seen.accountId');
    const rows = await seen.where('owner.namespace', '=', 'reader').select('version').execute();
    assert.deepEqual(rows, []);
  });
});
