import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, startService } from '../../../test/harness.ts';
import { signUp } from '../../../test/sign-in/visitor.ts';
import { clientMissing } from '../../../test/web/built-client.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const html = { accept: BROWSER };
const markdown = { accept: '*/*' };

describe('Reading a public brief without a token', { skip: clientMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    return readAnswer(await fetch(service.webUrl + path, { headers, method, redirect: 'manual' }));
  }

  async function publish(name: string, content = `# The *${name}*\n`): Promise<Answer> {
    const answer = await ada.post('/user/briefs', { content, name });
    assert.equal(answer.status, 201, answer.text);
    return answer;
  }

  function renditions(id: string): Promise<{ version: number; html: Uint8Array }[]> {
    const { read } = service.app.context.sql;
    return read
      .selectFrom('rendition')
      .select(['version', 'html'])
      .where('documentId', '=', id)
      .execute();
  }

  const isHtml = ({ headers }: Answer) =>
    headers.get('content-type') === 'text/html; charset=utf-8';

  it('returns the exact Markdown to programs', async () => {
    const content = '# Title\ufeff\r\n\r\n\tä\u2028<script>\n\n\n';
    await publish('bytes', content);
    for (const [path, headers] of [
      ['/ada/bytes', {}],
      ['/ada/bytes', markdown],
      ['/ada/bytes', { accept: 'text/markdown' }],
      ['/ada/bytes.md', html],
      ['/ada/bytes.MD', html],
      ['/ada/bytes?format=md', html],
      ['/ada/bytes.md?format=md', html],
      ['/ada/bytes?x=1&format=md', { accept: 'text/html' }],
      ['/ada/bytes?format=html&format=md', { accept: 'text/html' }],
    ] as const) {
      const response = await fetch(service.webUrl + path, { headers });
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8');
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(content));
    }
  });

  it('returns a web page to browsers, even with an unknown format in the query', async () => {
    await publish('page');
    for (const path of [
      '/ada/page',
      '/ada/page?format=html',
      '/ada/page?format=MD',
      '/ada/page?format=',
    ]) {
      const answer = await get(path, html);
      assert.equal(answer.status, 200);
      assert.ok(isHtml(answer), path);
      assert.match(answer.text, /^<!doctype html>/);
      assert.match(answer.text, /The <em>page<\/em>/);
    }
  });

  it('returns a strong ETag, Last-Modified, Vary and a policy, and sets no cookie', async () => {
    const { data } = await publish('headers');
    const { updatedAt } = (await ada.get('/briefs/ada/headers')).data;
    const tags = new Set<string | null>();
    for (const accept of [html, markdown]) {
      const { headers } = await get('/ada/headers', accept);
      assert.match(headers.get('etag') ?? '', /^"[^"]+"$/);
      tags.add(headers.get('etag'));
      assert.equal(headers.get('last-modified'), new Date(updatedAt).toUTCString());
      assert.equal(
        headers.get('vary'),
        accept === html ? 'Accept, Cookie, Accept-Encoding' : 'Accept',
      );
      assert.equal(headers.get('cache-control'), 'public, no-cache');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      assert.ok(headers.get('x-request-id'));
      assert.equal(headers.get('set-cookie'), null);
    }
    assert.equal(tags.size, 2, 'each form has a tag of its own');
    assert.ok(data.id);
    const raw = await get('/ada/headers', markdown);
    assert.match(raw.headers.get('content-security-policy') ?? '', /; sandbox/);
    const missing = await fetch(`${service.webUrl}/ada/missing.md`, {
      headers: { accept: 'text/html' },
    });
    assert.match(
      missing.headers.get('content-security-policy') ?? '',
      /style-src 'self'/,
      'a page of ours says so',
    );
  });

  it('returns the same headers to HEAD, without a body', async () => {
    await publish('head');
    for (const accept of [html, markdown]) {
      const whole = await get('/ada/head', accept);
      const head = await get('/ada/head', accept, 'HEAD');
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      for (const name of ['etag', 'last-modified', 'vary', 'content-type', 'content-length']) {
        assert.equal(head.headers.get(name), whole.headers.get(name), name);
      }
    }
    assert.equal((await get('/ada/missing', {}, 'HEAD')).status, 404);
  });

  it('returns 304 if the client has the current version', async () => {
    await publish('conditional');
    for (const accept of [html, markdown]) {
      const { headers } = await get('/ada/conditional', accept);
      const vary = accept === html ? 'Accept, Cookie, Accept-Encoding' : 'Accept';
      const etag = headers.get('etag') as string;
      const modified = headers.get('last-modified') as string;
      const conditions: [Record<string, string>, number][] = [
        [{ 'if-none-match': etag }, 304],
        [{ 'if-none-match': `W/${etag}` }, 304],
        [{ 'if-none-match': `"other", ${etag}` }, 304],
        [{ 'if-none-match': '*' }, 304],
        [{ 'if-none-match': '"other"' }, 200],
        [{ 'if-none-match': etag.slice(1, -1) }, 200],
        [{ 'if-modified-since': modified }, 304],
        [{ 'if-modified-since': new Date(Date.parse(modified) + 86_400_000).toUTCString() }, 304],
        [{ 'if-modified-since': new Date(Date.parse(modified) - 1_000).toUTCString() }, 200],
        [{ 'if-modified-since': 'yesterday' }, 200],
        [{ 'if-none-match': '"other"', 'if-modified-since': modified }, 200],
      ];
      for (const [condition, status] of conditions) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await get('/ada/conditional', { ...accept, ...condition }, method);
          assert.equal(answer.status, status, `${method} ${JSON.stringify(condition)}`);
          if (status !== 304) continue;
          assert.equal(answer.text, '');
          assert.equal(answer.headers.get('etag'), etag);
          assert.equal(answer.headers.get('vary'), vary);
        }
      }
    }
    const tag = (await get('/ada/conditional', html)).headers.get('etag') as string;
    const other = await get('/ada/conditional', { ...markdown, 'if-none-match': tag });
    assert.equal(other.status, 200, 'the page’s tag is not the Markdown’s');
  });

  it('repeated requests get the same response except for id and date', async () => {
    await publish('again');
    for (const [path, headers] of [
      ['/ada/again', html],
      ['/ada/again', markdown],
      ['/ada/again', {}],
      ['/ada/again.md', html],
    ] as const) {
      const answers: Answer[] = [];
      const unmodified: Answer[] = [];
      for (let times = 0; times < 5; times += 1) {
        const answer = await get(path, headers);
        answers.push(answer);
        const etag = answer.headers.get('etag') as string;
        unmodified.push(await get(path, { ...headers, 'if-none-match': etag }));
      }
      for (const alike of [answers, unmodified]) {
        const heads = alike.map((answer) => {
          const { 'x-request-id': _, date, ...rest } = Object.fromEntries(answer.headers);
          assert.ok(date);
          return rest;
        });
        for (const head of heads) assert.deepEqual(head, heads[0]);
      }
      for (const { status, text } of unmodified) assert.deepEqual([status, text], [304, '']);
      for (const answer of answers) {
        assert.equal(answer.status, 200);
        assert.equal(answer.text, answers[0]?.text);
      }
      const ids = answers.map((answer) => answer.headers.get('x-request-id'));
      assert.equal(new Set(ids).size, ids.length);
      const head = await get(path, headers, 'HEAD');
      assert.equal(
        head.headers.get('content-length'),
        `${answers[0]?.headers.get('content-length')}`,
      );
      assert.equal(head.text, '');
    }
  });

  it('repeated requests see changes, renames and deletion at once', async () => {
    const forms = [html, markdown, { accept: 'text/markdown' }];
    async function statuses(path: string): Promise<number[]> {
      for (let times = 0; times < 3; times += 1) {
        for (const headers of forms) await get(path, headers);
      }
      return Promise.all(forms.map(async (headers) => (await get(path, headers)).status));
    }
    await publish('going', '# Before');
    assert.deepEqual(await statuses('/ada/going'), [200, 200, 200]);
    await ada.patch('/briefs/ada/going', { content: '# After' });
    for (const headers of forms) assert.match((await get('/ada/going', headers)).text, /After/);
    for (const [change, back, status] of [
      [{ visibility: 'private' }, { visibility: 'public' }, 404],
      [{ name: 'gone' }, { name: 'going' }, 308],
    ] as const) {
      assert.deepEqual(await statuses('/ada/going'), [200, 200, 200]);
      await ada.patch('/briefs/ada/going', change);
      assert.deepEqual(await statuses('/ada/going'), [status, status, status]);
      await ada.patch(`/briefs/ada/${'name' in change ? change.name : 'going'}`, back);
    }
    assert.deepEqual(await statuses('/ada/going'), [200, 200, 200]);
    await ada.delete('/briefs/ada/going');
    assert.deepEqual(await statuses('/ada/going'), [404, 404, 404]);
  });

  it('a change appears at once as Markdown and as a page, even with the old tag', async () => {
    await publish('changing', '# Before');
    for (const accept of [html, markdown]) await get('/ada/changing', accept);
    for (const word of ['Once', 'Twice', 'Thrice']) {
      const old = await Promise.all([html, markdown].map((accept) => get('/ada/changing', accept)));
      await ada.patch('/briefs/ada/changing', { content: `# ${word}` });
      for (const [index, accept] of [html, markdown].entries()) {
        const condition = { 'if-none-match': old[index]?.headers.get('etag') as string };
        const answer = await get('/ada/changing', { ...accept, ...condition });
        assert.equal(answer.status, 200);
        assert.match(answer.text, new RegExp(word));
      }
    }
  });

  it('made private it is 404 at once, made public it is back', async () => {
    await publish('hidden');
    const seen = await Promise.all([html, markdown].map((accept) => get('/ada/hidden', accept)));
    await ada.patch('/briefs/ada/hidden', { visibility: 'private' });
    for (const [index, accept] of [html, markdown].entries()) {
      const condition = { 'if-none-match': seen[index]?.headers.get('etag') as string };
      assert.equal((await get('/ada/hidden', { ...accept, ...condition })).status, 404);
      const all = { ...accept, 'if-none-match': '*' };
      assert.equal((await get('/ada/hidden', all)).status, 404);
    }
    await ada.patch('/briefs/ada/hidden', { visibility: 'public' });
    for (const accept of [html, markdown]) {
      assert.equal((await get('/ada/hidden', accept)).status, 200);
    }
  });

  it('a former name redirects; a deleted brief is 404', async () => {
    await publish('old-name');
    await get('/ada/old-name', html);
    await ada.patch('/briefs/ada/old-name', { name: 'New Name' });
    for (const accept of [html, markdown]) {
      const { status, headers } = await get('/ada/old-name', accept);
      assert.deepEqual([status, headers.get('location')], [308, `${service.webUrl}/ada/new-name`]);
      assert.equal((await get('/ada/new-name', accept)).status, 200);
    }
    assert.match((await get('/ada/new-name', html)).text, /"http[^"]*\/ada\/new-name"/);
    await ada.delete('/briefs/ada/new-name');
    for (const accept of [html, markdown]) {
      assert.equal((await get('/ada/new-name', accept)).status, 404);
    }
  });

  it('look-ups normalise like names', async () => {
    await publish('Größe der Übung');
    await publish('\u0130stanbul');
    for (const [path, name] of [
      ['/ADA/gr%C3%B6%C3%9Fe-der-%C3%BCbung', 'größe-der-übung'],
      ['/Ada/GR%C3%96%C3%9FE%20DER%20%C3%9CBUNG', 'größe-der-übung'],
      ['/ada/gro%CC%88%C3%9Fe-der-u%CC%88bung', 'größe-der-übung'],
      ['/ada/%20gr%C3%B6%C3%9Fe%20%20der%09%C3%BCbung%20.md', 'größe-der-übung'],
      ['/ada/%C4%B0STANBUL', '\u0130stanbul'],
    ] as const) {
      const { status, text } = await get(path, markdown);
      assert.equal(status, 200, path);
      assert.ok(text.toLowerCase().includes(name.slice(1, 4).toLowerCase()), path);
    }
    const { url } = (await ada.get('/briefs/ada/gr%C3%B6%C3%9Fe-der-%C3%BCbung')).data;
    assert.equal((await fetch(url)).status, 200);
  });

  it('a page is rendered once per version, and stored', async () => {
    const { data } = await publish('kept');
    assert.deepEqual(await renditions(data.id), []);
    const first = await get('/ada/kept', html);
    const [kept, ...more] = await renditions(data.id);
    assert.equal(more.length, 0);
    assert.equal(kept?.version, 1);
    assert.equal(Buffer.from(kept?.html ?? []).toString(), first.text);
    const marked = first.text.replace('</main>', '<!-- kept --></main>');
    await service.app.context.sql.transaction((tx) =>
      tx
        .updateTable('rendition')
        .set({ html: Buffer.from(marked) })
        .where('documentId', '=', data.id)
        .execute(),
    );
    assert.equal((await get('/ada/kept', html)).text, marked, 'what was kept is what is sent');
    await ada.patch('/briefs/ada/kept', { content: '# Anew' });
    assert.match((await get('/ada/kept', html)).text, /Anew/);
    assert.deepEqual(
      (await renditions(data.id)).map(({ version }) => version),
      [2],
    );
    await ada.delete('/briefs/ada/kept');
    assert.deepEqual(await renditions(data.id), []);
  });

  it('processes of two releases running together each store their own page', async () => {
    const { data } = await publish('upgraded');
    // A different address makes it a different release: its pages contain other URLs.
    const other = await startService({ DATA_DIR: service.config.dataDir });
    try {
      const first = await get('/ada/upgraded', html);
      const [stored] = await renditions(data.id);
      const readOther = async () =>
        (await fetch(`${other.webUrl}/ada/upgraded`, { headers: html })).text();
      assert.notEqual(await readOther(), first.text);
      assert.equal((await renditions(data.id)).length, 2);
      const marked = first.text.replace('</main>', '<!-- stored --></main>');
      await service.app.context.sql.transaction((tx) =>
        tx
          .updateTable('rendition')
          .set({ html: Buffer.from(marked) })
          .where('documentId', '=', data.id)
          .where('html', '=', Buffer.from(stored?.html ?? []))
          .execute(),
      );
      await readOther();
      assert.equal((await get('/ada/upgraded', html)).text, marked, 'nothing overwrote it');
    } finally {
      await other.stop();
    }
  });

  it('pages of only the two latest releases are stored', async () => {
    const { data } = await publish('often-upgraded');
    for (let times = 0; times < 3; times += 1) {
      const other = await startService({ DATA_DIR: service.config.dataDir });
      await (await fetch(`${other.webUrl}/ada/often-upgraded`, { headers: html })).text();
      await other.stop();
    }
    assert.equal((await renditions(data.id)).length, 2);
  });

  it('concurrent first readers get the same page', async () => {
    const { data } = await publish('crowd', '# Crowd\n\n'.concat('*word* '.repeat(20_000)));
    const answers = await Promise.all(Array.from({ length: 40 }, () => get('/ada/crowd', html)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(new Set(answers.map(({ headers }) => headers.get('etag'))).size, 1);
    assert.equal((await renditions(data.id)).length, 1);
    assert.match(answers[0]?.text ?? '', /<em>word<\/em>/);
  });

  it('says that a late brief is being prepared, and keeps nothing of that', async (t) => {
    const { data } = await publish('late', '---\ntitle: Known\n---\n\nSOURCE *text*');
    const reader = await signUp(service, 'reader');
    const { markdown } = service.app.context;
    const busy = async () => ({ kind: 'busy' }) as const;
    const mocks = (['renderOutcome', 'previewOutcome'] as const).map((name) =>
      t.mock.method(markdown, name, busy),
    );
    const open = {
      '/ada/late': [() => get('/ada/late', html), 200],
      '/read/ada/late': [() => reader.get('/read/ada/late'), 503],
    } as const;
    for (const [path, [ask, status]] of Object.entries(open)) {
      const late = await ask();
      assert.equal(late.status, status, path);
      assert.match(late.text, /This document is being prepared/, path);
      assert.doesNotMatch(late.text, /too complex|SOURCE/, path);
      assert.match(late.headers.get('cache-control') ?? '', /no-store/, path);
    }
    assert.match((await get('/ada/late', html)).text, /<title>Known/);
    assert.deepEqual(await renditions(data.id), []);
    for (const { mock } of mocks) mock.restore();
    for (const [path, [ask]] of Object.entries(open)) {
      assert.match((await ask()).text, /SOURCE <em>text<\/em>/, path);
    }
  });

  it('readers during writes get page and tag of the same version', async () => {
    await publish('busy', '# Version 1');
    let writing = true;
    const byTag = new Map<string, string>();
    const readers = Array.from({ length: 4 }, async () => {
      while (writing) {
        const { headers, text, status } = await get('/ada/busy', html);
        assert.equal(status, 200);
        const version = /Version \d+/.exec(text)?.[0] as string;
        const tag = headers.get('etag') as string;
        assert.equal(byTag.get(tag) ?? version, version, 'one tag, one content');
        byTag.set(tag, version);
      }
    });
    for (let version = 2; version <= 25; version++) {
      await ada.patch('/briefs/ada/busy', { content: `# Version ${version}` });
    }
    writing = false;
    await Promise.all(readers);
    assert.match((await get('/ada/busy', html)).text, /Version 25/);
  });
});
