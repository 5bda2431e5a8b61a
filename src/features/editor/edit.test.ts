import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, assertError, startService } from '../../../test/harness.ts';
import { newVisitor, signUp } from '../../../test/sign-in/visitor.ts';
import { assertFieldRefused } from '../../../test/web-app/forms.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { KINDS } from '../../base/schema/kind.ts';

const JSON_ONLY = { accept: 'application/json' };

function formOf(fields: Record<string, string>, file?: string | Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== undefined) form.append('file', new Blob([file], { type: 'text/html' }), 'page.html');
  return form;
}

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** The content of a text area; a browser drops the first line break. */
function areaOf({ text }: Answer, id: string): string {
  const [, value = ''] =
    new RegExp(`<textarea id="${id}"[^>]*>\n([^<]*)</textarea>`).exec(text) ?? [];
  return unescaped(value);
}

function hiddenOf({ text }: Answer): Record<string, string> {
  const hidden = /<input type="hidden" name="(\w+)" value="([^"]*)"/g;
  return Object.fromEntries(
    Array.from(text.matchAll(hidden), ([, name, value]) => [name, unescaped(value ?? '')]),
  );
}

/** A browser's submission of a page's form in which only the text was changed. */
function untouched(page: Answer): Record<string, string> {
  const { text } = page;
  const chosen = /<select name="visibility".*?<option(?=[^>]* selected)[^>]*value="(\w+)"/s;
  return {
    ...hiddenOf(page),
    name: unescaped(/<input name="name"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? ''),
    visibility: chosen.exec(text)?.[1] ?? '',
  };
}

const etagOf = ({ text }: Answer) => unescaped(/name="etag" value="([^"]*)"/.exec(text)?.[1] ?? '');

describe('The editor’s forms', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  await ada.client.post('/user/orgs', { namespace: 'engines', name: 'Engines' });

  const contentOf = async (path: string) => (await ada.client.get(path)).data.content;

  async function publish(name: string, body: object = {}): Promise<void> {
    const brief = { name, content: `# ${name}`, visibility: 'private', ...body };
    const answer = await ada.client.post('/user/briefs', brief);
    assert.equal(answer.status, 201, answer.text);
  }

  async function share(name: string, who: Person, permission: string): Promise<void> {
    const path = `/briefs/ada/${name}/collaborators/${who.username}`;
    const invited = await ada.client.put(path, { permission });
    assert.ok(invited.status < 300, invited.text);
    const [invitation] = (await who.client.get('/user/brief_invitations')).data;
    const accepted = await who.client.patch(`/user/brief_invitations/${invitation.id}`);
    assert.equal(accepted.status, 204, accepted.text);
  }

  it('return text that wasn’t saved', async () => {
    const content = '# Kept\n\nfish & <chips>';
    const out = await newVisitor(service).post('/new', formOf({ content, name: 'kept' }));
    assert.equal(out.status, 401);
    assert.equal(areaOf(out, 'content'), content);
    assert.match(out.text, /<form [^>]*action="\/new"/);
    assert.match(out.text, /You’re signed out/);

    await publish('lost');
    const read = await ada.visitor.get('/edit/ada/lost');
    await ada.client.delete('/briefs/ada/lost');
    const fields = { ...untouched(read), content };
    const gone = await ada.visitor.post('/edit/ada/lost', formOf(fields));
    assert.equal(gone.status, 404);
    assert.equal(areaOf(gone, 'content'), content);
    const apart = await ada.visitor.post('/new', formOf({ ...hiddenOf(gone), content }));
    assert.equal(apart.headers.get('location'), '/read/ada/lost');
    const { data } = await ada.client.get('/briefs/ada/lost');
    assert.deepEqual([data.content, data.visibility], [content, 'private']);

    const other = await grace.visitor.post('/edit/ada/lost', formOf(fields));
    assert.equal(other.status, 403);
    assert.match(other.text, /now signed in as grace/);
    assert.match(other.text, /<form [^>]*action="\/edit\/ada\/lost"/);
    assert.equal(areaOf(other, 'content'), content);
  });

  it('send signed-out visitors to sign in, and back', async () => {
    for (const path of ['/new', '/new/page', '/edit/ada/plan', '/edit/ada/pages/dice']) {
      const { status, headers } = await newVisitor(service).get(path);
      assert.equal(status, 303);
      assert.equal(headers.get('location'), `/sign-in?next=${encodeURIComponent(path)}`);
    }
    assertError(
      await newVisitor(service).post('/new', formOf({ content: 'x' }), JSON_ONLY),
      401,
      'UNAUTHORIZED',
    );
  });

  it('suggest private, internal if members can read, or the last choice for that owner', async () => {
    const chosen = /<select name="visibility".*?<option(?=[^>]* selected)[^>]*value="(\w+)"/s;
    const begins = async (path: string) => chosen.exec((await ada.visitor.get(path)).text)?.[1];
    await ada.client.post('/user/orgs', { namespace: 'quiet', name: 'Quiet' });
    await ada.client.post('/user/orgs', { namespace: 'open', name: 'Open' });
    await ada.client.patch('/orgs/quiet', { defaultBriefPermission: 'none' });
    assert.equal(await begins('/new'), 'private');
    assert.equal(await begins('/new?owner=quiet'), 'private');
    assert.equal(await begins('/new/page?owner=open'), 'internal');
    const fields = { content: 'x', owner: 'open', name: 'remembered', visibility: 'public' };
    assert.equal((await ada.visitor.post('/new', formOf(fields))).status, 303);
    assert.equal(await begins('/new/page?owner=open'), 'public');
    assert.equal(await begins('/new'), 'private');
    ada.visitor.cookies.delete('briefs-visibility');
  });

  it('create a brief, named by its heading, with the chosen visibility', async () => {
    const content = '# First steps\n\nOne.\n';
    const answer = await ada.visitor.post(
      '/new',
      formOf({ content, name: '', visibility: 'private' }),
    );
    assert.equal(answer.status, 303, answer.text);
    assert.equal(answer.headers.get('location'), '/read/ada/first-steps');
    const { data } = await ada.client.get('/briefs/ada/first-steps');
    assert.deepEqual([data.content, data.visibility], [content, 'private']);
  });

  it('create a brief in an organization', async () => {
    const page = await ada.visitor.get('/new?owner=engines');
    assert.match(
      page.text,
      /<option[^>]*(value="engines"[^>]*selected|selected[^>]*value="engines")/,
    );
    const fields = { content: 'x', name: 'gears', owner: 'engines', visibility: 'internal' };
    const answer = await ada.visitor.post('/new', formOf(fields));
    assert.equal(answer.headers.get('location'), '/read/engines/gears');
    assert.equal((await grace.visitor.get('/new?owner=engines')).status, 403);
    assert.equal((await grace.visitor.get('/new?owner=nowhere')).status, 404);
    assert.equal((await grace.visitor.post('/new', formOf(fields))).status, 403);
  });

  it('start a brief with a template that the user can read', async () => {
    const template = async (of: Person, owner: string, name: string, content: string) => {
      const path = owner === of.username ? '/user/briefs' : `/orgs/${owner}/briefs`;
      const made = await of.client.post(path, { name, content, visibility: 'private' });
      assert.equal(made.status, 201, made.text);
      const labels = { labels: ['Template'] };
      assert.equal((await of.client.put(`/briefs/${owner}/${name}/labels`, labels)).status, 200);
    };
    const text = '\n# Week of {{date}}\n\nBy {{ author }}, {{title}} </textarea>';
    await template(ada, 'ada', 'weekly', text);
    await template(ada, 'engines', 'incident', '# Incident');
    await template(grace, 'grace', 'hers', '# Hers');
    await publish('no-template');

    const offered = async (path: string, who = ada) =>
      Array.from(
        (await who.visitor.get(path)).text.matchAll(/menu-item" href="[^"]*template=([^"&]+)/g),
        ([, name]) => decodeURIComponent(name as string),
      );
    assert.deepEqual(await offered('/new'), ['ada/weekly', 'engines/incident']);
    assert.deepEqual(await offered('/new?owner=engines'), ['engines/incident', 'ada/weekly']);
    assert.deepEqual(await offered('/new', grace), ['grace/hers']);
    assert.deepEqual(await offered('/new/page'), []);

    const page = await ada.visitor.get('/new?owner=ada&template=ada/weekly');
    const today = new Date().toISOString().slice(0, 10);
    const filled = `\n# Week of ${today}\n\nBy ada, {{title}} </textarea>`;
    assert.equal(areaOf(page, 'content').replaceAll('&gt;', '>'), filled);
    assert.match(page.text, /&quot;isSent&quot;:true/, 'the editor takes it for unsaved text');
    const saved = await ada.visitor.post('/new', formOf({ ...untouched(page), content: filled }));
    assert.equal(saved.headers.get('location'), `/read/ada/week-of-${today}`);
    assert.equal(await contentOf('/briefs/ada/weekly'), text, 'the template stays');

    const profile = formOf({ displayName: 'Ada Lovelace', summary: '' });
    assert.equal((await ada.visitor.post('/settings/profile', profile)).status, 303);
    const named = await ada.visitor.get('/new?template=ada/weekly');
    assert.match(areaOf(named, 'content'), /By Ada Lovelace,/);
    for (const path of ['ada/weekly', 'ada/nothing', 'weekly', 'a/b/c', '']) {
      assert.equal((await grace.visitor.get(`/new?template=${path}`)).status, 404, path);
    }
  });

  it('show errors beside the fields, and keep the input', async () => {
    await publish('taken');
    const content = '# Text\n\nWith "quotes" & <tags>.';
    const cases: [Record<string, string>, number, RegExp][] = [
      [
        { content, name: 'taken' },
        422,
        /id="name-fault">You already have a brief named “taken”. “taken-2” is free./,
      ],
      [{ content, name: 'a/b' }, 400, /id="name-fault">Names can contain letters/],
      [
        { content, visibility: 'internal' },
        400,
        /id="visibility-fault">Only an organization’s documents/,
      ],
    ];
    for (const [fields, status, fault] of cases) {
      const answer = await ada.visitor.post('/new', formOf(fields));
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, fault);
      assert.equal(areaOf(answer, 'content'), content);
    }
  });

  it('suggest a free name if the name is taken', async () => {
    await publish('daily');
    const made = await ada.visitor.post('/new', formOf({ content: '# Daily', name: '' }));
    assert.equal(made.status, 422);
    assert.equal(untouched(made).name, 'daily-2');
    const again = formOf({ ...untouched(made), content: areaOf(made, 'content') });
    const { headers } = await ada.visitor.post('/new', again);
    assert.equal(headers.get('location'), '/read/ada/daily-2');

    const page = await ada.visitor.get('/edit/ada/daily-2');
    const fields = { ...untouched(page), content: '# Daily', name: 'daily' };
    const renamed = await ada.visitor.post('/edit/ada/daily-2', formOf(fields));
    assert.equal(untouched(renamed).name, 'daily-3');
    const json = await ada.visitor.post('/edit/ada/daily-2', formOf(fields), JSON_ONLY);
    assert.equal(json.status, 422);
    assert.equal(json.json.freeName, 'daily-3');
    assert.equal(json.json.field, 'name');
    assert.match(json.json.error.message, /^name: you already have a brief named “daily”/);
  });

  it('refuse an empty text; the API accepts it', async () => {
    const count = async () => (await ada.client.get('/user/briefs?per_page=100')).data.length;
    const before = await count();
    for (const [path, content] of [
      ['/new', ''],
      ['/new', ' \r\n\t'],
      ['/new/page', ''],
    ] as const) {
      const answer = await ada.visitor.post(path, formOf({ content, name: '' }));
      assert.equal(answer.status, 400);
      assert.match(answer.text, /id="content-fault">Write something first\./);
      assert.match(answer.text, /<textarea[^>]* autofocus/);
      const field = KINDS[path === '/new' ? 'brief' : 'page'].contentField;
      assertFieldRefused(await ada.visitor.post(path, formOf({ content, name: '' }), JSON_ONLY), {
        status: 400,
        code: 'BAD_REQUEST',
        field,
        sentence: /^Write something first\.$/,
      });
    }
    assert.equal(await count(), before);
    const { data } = await ada.client.post('/user/briefs', { content: '', visibility: 'private' });
    assert.match(data.name, /^untitled-/);
    // An existing text may be emptied.
    const page = await ada.visitor.get(`/edit/ada/${data.name}`);
    const emptied = formOf({ ...untouched(page), content: '' });
    assert.equal((await ada.visitor.post(`/edit/ada/${data.name}`, emptied)).status, 303);
  });

  it('keep the line breaks of the text, whatever the form sends', async () => {
    for (const [name, content] of [
      ['windows', '# T\r\n\r\none\r\ntwo\r\n'],
      ['unix', '# T\n\none\ntwo\n'],
    ] as const) {
      await ada.client.post('/user/briefs', { name, content });
      for (const lineBreak of ['\r\n', '\n']) {
        const page = await ada.visitor.get(`/edit/ada/${name}`);
        const sent = `# T\n\none\n${lineBreak.length}\n`.replaceAll('\n', lineBreak);
        const form = formOf({ ...untouched(page), content: sent });
        assert.equal((await ada.visitor.post(`/edit/ada/${name}`, form)).status, 303);
        const saved = await contentOf(`/briefs/ada/${name}`);
        assert.equal(saved, content.replace('two', String(lineBreak.length)));
      }
    }
  });

  it('save a brief and show it; a script gets the new state', async () => {
    await publish('plan');
    const page = await ada.visitor.get('/edit/ada/plan');
    assert.equal(page.status, 200);
    assert.equal(areaOf(page, 'content'), '# plan');
    const fields = {
      content: 'two\r\nlines',
      name: 'plan',
      visibility: 'private',
      etag: etagOf(page),
    };
    const saved = await ada.visitor.post('/edit/ada/plan', formOf(fields));
    assert.equal(saved.status, 303, saved.text);
    assert.equal(saved.headers.get('location'), '/read/ada/plan');
    assert.equal(await contentOf('/briefs/ada/plan'), 'two\nlines');

    const { etag } = (
      await ada.visitor.post(
        '/edit/ada/plan',
        formOf({
          ...fields,
          content: 'three',
          etag: etagOf(await ada.visitor.get('/edit/ada/plan')),
        }),
        JSON_ONLY,
      )
    ).json;
    const renamed = await ada.visitor.post(
      '/edit/ada/plan',
      formOf({ ...fields, content: 'three', name: 'The Plan', visibility: 'public', etag }),
      JSON_ONLY,
    );
    assert.equal(renamed.status, 200, renamed.text);
    const { id, etag: newEtag, ...state } = renamed.json;
    assert.notEqual(newEtag, etag);
    assert.ok(id);
    assert.deepEqual(state, {
      name: 'the-plan',
      visibility: 'public',
      owner: 'ada',
      path: '/edit/ada/the-plan',
      readPath: '/read/ada/the-plan',
      title: 'the-plan',
    });
  });

  it('change nothing if the same text is saved', async () => {
    await publish('idle', { content: 'same' });
    const page = await ada.visitor.get('/edit/ada/idle');
    const before = await ada.client.get('/briefs/ada/idle');
    const fields = formOf({ ...untouched(page), content: 'same' });
    const saved = await ada.visitor.post('/edit/ada/idle', fields, JSON_ONLY);
    assert.equal(saved.status, 200, saved.text);
    assert.equal(saved.json.etag, etagOf(page));
    assert.equal((await ada.client.get('/briefs/ada/idle')).text, before.text);
  });

  it('keep the line endings of a text, and propose with them', async () => {
    const content = '# T\r\n\r\na\r\nb\r\n';
    await publish('endings', { content });
    const page = await ada.visitor.get('/edit/ada/endings');
    const before = await ada.client.get('/briefs/ada/endings');
    const unchanged = formOf({ ...untouched(page), content: areaOf(page, 'content') });
    assert.equal((await ada.visitor.post('/edit/ada/endings', unchanged)).status, 303);
    assert.equal((await ada.client.get('/briefs/ada/endings')).text, before.text);
    const written = '# T\n\na\nx\nb\n';
    await ada.visitor.post('/edit/ada/endings', formOf({ ...untouched(page), content: written }));
    assert.equal(await contentOf('/briefs/ada/endings'), '# T\r\n\r\na\r\nx\r\nb\r\n');
    const form = await ada.visitor.get('/propose/ada/endings');
    const proposed = formOf({ ...untouched(form), content: '# T\n\na\nx\nb\nc\n', message: '' });
    assert.equal((await ada.visitor.post('/propose/ada/endings', proposed)).status, 303);
    const [thread] = (await ada.client.get('/briefs/ada/endings/threads')).data;
    assert.deepEqual([thread.on.quote, thread.replacement], ['b\r\n', 'b\r\nc\r\n']);
  });

  it('keep a leading blank line', async () => {
    await publish('blank', { content: '\n\ntext' });
    assert.equal(areaOf(await ada.visitor.get('/edit/ada/blank'), 'content'), '\n\ntext');
  });

  it('show both texts after a concurrent save, and overwrite the other only after that', async () => {
    await publish('duel', { content: 'before' });
    await share('duel', grace, 'write');
    const page = await ada.visitor.get('/edit/ada/duel');
    await grace.client.patch('/briefs/ada/duel', { content: 'hers & <b>' });

    const mine = formOf({ content: 'mine', name: 'duel', etag: etagOf(page) });
    const conflict = await ada.visitor.post('/edit/ada/duel', mine);
    assert.equal(conflict.status, 412);
    assert.equal(areaOf(conflict, 'theirs'), 'hers & <b>');
    assert.equal(areaOf(conflict, 'content'), 'mine');
    assert.match(conflict.text, /grace saved a newer version on <time/);
    assert.equal(await contentOf('/briefs/ada/duel'), 'hers & <b>', 'nothing is overwritten');

    const merged = formOf({ content: 'both', name: 'duel', etag: etagOf(conflict) });
    assert.equal((await ada.visitor.post('/edit/ada/duel', merged)).status, 303);
    assert.equal(await contentOf('/briefs/ada/duel'), 'both');
  });

  it('can save a page whose stored content was lost', async () => {
    const page = { name: 'torn', html: '<p>before', visibility: 'private' };
    await ada.client.post('/user/pages', page);
    const shown = await ada.visitor.get('/edit/ada/pages/torn');
    const { context } = service.app;
    const row = await context.sql.read
      .selectFrom('document')
      .where('name', '=', 'torn')
      .select('storagePath')
      .executeTakeFirstOrThrow();
    await context.blobs.delete(row.storagePath as string);
    assert.equal((await ada.visitor.get('/read/ada/pages/torn')).status, 200);
    const wrong = formOf({ ...untouched(shown), content: '<p>after', name: 'a/b' });
    const bad = await ada.visitor.post('/edit/ada/pages/torn', wrong);
    assert.equal(bad.status, 400);
    assert.equal(areaOf(bad, 'content'), '<p>after');
    const form = formOf({ ...untouched(shown), content: '<p>after' });
    assert.equal((await ada.visitor.post('/edit/ada/pages/torn', form)).status, 303);
    assert.equal((await ada.client.get('/pages/ada/torn')).data.html, '<p>after');
  });

  it('keep someone else’s new name and visibility unless the writer changed them too', async () => {
    await publish('moved', { content: 'before' });
    const page = await ada.visitor.get('/edit/ada/moved');
    await ada.client.patch('/briefs/ada/moved', { content: 'other', visibility: 'public' });
    const first = untouched(page);
    assert.deepEqual([first.name, first.visibility], ['moved', 'private']);
    const mine = { ...first, content: 'mine', name: 'moved-on' };
    const conflict = await ada.visitor.post('/edit/ada/moved', formOf(mine));
    assert.equal(conflict.status, 412);
    assert.match(conflict.text, /&quot;isSent&quot;:true/);
    const shown = untouched(conflict);
    assert.deepEqual([shown.name, shown.visibility], ['moved-on', 'public']);
    assert.deepEqual([shown.fromName, shown.fromVisibility], ['moved', 'public']);

    const again = formOf({ ...shown, content: 'both' });
    assert.equal((await ada.visitor.post('/edit/ada/moved', again)).status, 303);
    const { data } = await ada.client.get('/briefs/ada/moved-on');
    assert.deepEqual([data.content, data.visibility], ['both', 'public']);
  });

  it('keep someone else’s new name if the writer changed only the text', async () => {
    await publish('followed', { content: 'before' });
    const page = await ada.visitor.get('/edit/ada/followed');
    await ada.client.patch('/briefs/ada/followed', { content: 'other', name: 'followed-on' });
    const mine = formOf({ ...untouched(page), content: 'mine' });
    const moved = await ada.visitor.post('/edit/ada/followed', mine);
    assert.match(moved.headers.get('location') ?? '', /\/edit\/ada\/followed-on$/);
    const conflict = await ada.visitor.post('/edit/ada/followed-on', mine);
    assert.equal(conflict.status, 412);
    const again = formOf({ ...untouched(conflict), content: 'both' });
    assert.equal((await ada.visitor.post('/edit/ada/followed-on', again)).status, 303);
    const { data } = await ada.client.get('/briefs/ada/followed-on');
    assert.deepEqual([data.name, data.content], ['followed-on', 'both']);
  });

  it('store the chosen visibility when a form is corrected after an error', async () => {
    await publish('exposed', { content: 'before', visibility: 'public' });
    const page = await ada.visitor.get('/edit/ada/exposed');
    const bad = { ...untouched(page), content: 'mine', name: 'a/b', visibility: 'private' };
    const faulty = await ada.visitor.post('/edit/ada/exposed', formOf(bad));
    assert.equal(faulty.status, 400);
    const corrected = { ...untouched(faulty), content: 'mine', name: 'exposed' };
    assert.equal(untouched(faulty).visibility, 'private');
    const saved = await ada.visitor.post('/edit/ada/exposed', formOf(corrected));
    assert.equal(saved.status, 303);
    assert.equal((await ada.client.get('/briefs/ada/exposed')).data.visibility, 'private');
  });

  it('save only the name and who can read it for a script, unless someone has written since', async () => {
    await publish('duel-2', { content: 'before' });
    const page = await ada.visitor.get('/edit/ada/duel-2');
    await ada.client.patch('/briefs/ada/duel-2', { content: 'other' });
    const details = { only: 'details', name: 'duel-3', fromName: 'duel-2' };
    for (const etag of [etagOf(page), '']) {
      const form = formOf({ ...details, etag });
      const conflict = await ada.visitor.post('/edit/ada/duel-2', form, JSON_ONLY);
      assert.equal(conflict.status, 412, conflict.text);
      assert.equal(conflict.json.error.code, 'PRECONDITION_FAILED');
    }
    const etag = etagOf(await ada.visitor.get('/edit/ada/duel-2'));
    const form = formOf({ ...details, etag });
    assert.equal((await ada.visitor.post('/edit/ada/duel-2', form, JSON_ONLY)).status, 200);
    assert.equal((await ada.client.get('/briefs/ada/duel-3')).data.content, 'other');
  });

  it('still detect a conflict when a form is corrected after an error', async () => {
    await publish('patient', { content: 'before' });
    const page = await ada.visitor.get('/edit/ada/patient');
    await ada.client.patch('/briefs/ada/patient', { content: 'other' });
    const bad = formOf({ content: 'mine', name: 'a/b', etag: etagOf(page) });
    const faulty = await ada.visitor.post('/edit/ada/patient', bad);
    assert.equal(faulty.status, 400);
    const corrected = formOf({ content: 'mine', name: 'patient', etag: etagOf(faulty) });
    assert.equal((await ada.visitor.post('/edit/ada/patient', corrected)).status, 412);
  });

  it('let people with write permission save but not change access, and refuse others', async () => {
    await publish('shared');
    await share('shared', grace, 'write');
    const page = await grace.visitor.get('/edit/ada/shared');
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /<select[^>]*name="visibility"/);
    const fields = { content: 'hers', name: 'shared', etag: etagOf(page) };
    const open = formOf({ ...fields, visibility: 'public' });
    assertError(await grace.visitor.post('/edit/ada/shared', open, JSON_ONLY), 403, 'FORBIDDEN');
    assert.equal((await grace.visitor.post('/edit/ada/shared', formOf(fields))).status, 303);
    const { data } = await ada.client.get('/briefs/ada/shared');
    assert.deepEqual([data.content, data.visibility], ['hers', 'private']);

    const edsger = await signUp(service, 'edsger');
    const attempt = formOf({ content: 'x', name: 'shared', etag: '""' });
    assert.equal((await edsger.get('/edit/ada/shared')).status, 404);
    assert.equal((await edsger.post('/edit/ada/shared', attempt)).status, 404);
    await ada.client.patch('/briefs/ada/shared', { visibility: 'public' });
    assert.equal((await edsger.get('/edit/ada/shared')).status, 403);
    assert.equal((await edsger.post('/edit/ada/shared', attempt)).status, 403);
  });

  it('refuse to save one person’s text as another', async () => {
    const { id } = (await grace.client.get('/user')).data;
    const form = formOf({ content: 'x', name: 'swapped', account: id });
    assertFieldRefused(await ada.visitor.post('/new', form, JSON_ONLY), {
      status: 403,
      code: 'FORBIDDEN',
      field: 'account',
      sentence: /^You’re now signed in as ada, /,
    });
    assert.equal((await ada.client.get('/briefs/ada/swapped')).status, 404);
  });

  for (const { kind, contentLimitBytes, contentField, segment } of Object.values(KINDS)) {
    const path = kind === 'brief' ? '/new' : '/new/page';

    it(`accept a ${kind} of exactly the largest size, and report a larger size`, async () => {
      // Line ends are sent as two bytes, so the form is larger than the limit.
      const line = `${'x'.repeat(31)}\n`;
      const content = line.repeat(contentLimitBytes / line.length);
      const name = `largest-${kind}`;
      const made = await ada.visitor.post(path, formOf({ content, name, visibility: 'private' }));
      assert.equal(made.status, 303, made.text.slice(0, 300));
      const { data } = await ada.client.get(`/${segment}/ada/${name}`);
      assert.equal(data[contentField], content);

      const larger = `${content}x`;
      const refused = await ada.visitor.post(path, formOf({ content: larger, name: 'larger' }));
      assert.equal(refused.status, 413);
      assert.match(refused.text, /id="content-fault">The text has [\d,]+ bytes. The limit is/);
      assert.equal(areaOf(refused, 'content'), larger, 'nothing is lost');

      const huge = await ada.visitor.post(path, formOf({ content: larger.repeat(3) }), JSON_ONLY);
      assertFieldRefused(huge, {
        status: 413,
        code: 'PAYLOAD_TOO_LARGE',
        field: 'content',
        sentence: /is larger than/,
      });
    });
  }

  it('create a page from a file, named by its title, and show it in its sandbox', async () => {
    const html = '<!doctype html><title>Dice</title><h1>Dice</h1>';
    const made = await ada.visitor.post(
      '/new/page',
      formOf({ content: '', visibility: 'private' }, html),
    );
    assert.equal(made.status, 303, made.text);
    assert.equal(made.headers.get('location'), '/read/ada/pages/dice');
    const page = await ada.visitor.get('/edit/ada/pages/dice');
    assert.equal(areaOf(page, 'content'), html);
    const [, address = ''] =
      /<iframe[^>]*src="([^"]+)"[^>]*sandbox="([^"]*)"/.exec(page.text) ?? [];
    assert.ok(address.startsWith(`${service.renderUrl}/s/`), address);
    assert.doesNotMatch(page.text, /allow-same-origin/);
    assert.equal(await (await fetch(unescaped(address))).text(), html);

    const replaced = formOf(
      { content: html, name: 'dice', etag: etagOf(page) },
      '<title>Other</title>',
    );
    assert.equal((await ada.visitor.post('/edit/ada/pages/dice', replaced)).status, 303);
    assert.equal((await ada.client.get('/pages/ada/dice')).data.html, '<title>Other</title>');
  });

  it('refuse files that aren’t text', async () => {
    const latin = new Uint8Array([0x3c, 0x70, 0x3e, 0xe9]);
    const answer = await ada.visitor.post('/new/page', formOf({ name: 'latin' }, latin), JSON_ONLY);
    assertFieldRefused(answer, {
      status: 400,
      code: 'BAD_REQUEST',
      field: 'content',
      sentence: /^Must be UTF-8 text/,
    });
  });

  it('refuse a form that ends inside a file', async () => {
    const form = formOf({ name: 'broken' }, '<p>');
    const whole = new Response(form);
    const type = whole.headers.get('content-type') ?? '';
    const body = (await whole.text()).replace(/<p>.*/s, '<p>');
    const headers = { ...JSON_ONLY, 'content-type': type };
    const answer = await ada.visitor.post('/new/page', new Blob([body]), headers);
    assertFieldRefused(answer, {
      status: 400,
      code: 'BAD_REQUEST',
      field: 'body',
      sentence: /^Is not well-formed/,
    });
  });

  it('allow the editor’s own styles, only on its screens', async () => {
    const policyOf = async (path: string) => {
      const { headers, text } = await ada.visitor.get(path);
      return { policy: headers.get('content-security-policy') ?? '', text };
    };
    const one = await policyOf('/new');
    const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{20,})';/.exec(one.policy) ?? [];
    assert.ok(one.text.includes(`nonce="${nonce}"`) && nonce !== '');
    const other = await policyOf('/new');
    assert.notEqual(other.policy, one.policy, 'used once');
    const plain = await policyOf('/settings');
    assert.equal(one.policy.replace(` 'nonce-${nonce}'`, ''), plain.policy);
    assert.doesNotMatch(plain.policy, /nonce|unsafe/);
  });

  it('preview HTML on the render host, which listens only to the editor', async () => {
    const response = await fetch(`${service.renderUrl}/preview`);
    assert.equal(response.status, 200);
    const text = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^sandbox allow-scripts allow-forms allow-modals allow-downloads; default-src 'none'/,
    );
    assert.match(policy, new RegExp(`frame-ancestors ${service.webUrl}$`));
    assert.ok(text.includes(`const editor = "${service.webUrl}"`));
  });
});
