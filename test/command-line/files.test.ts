import { strict as assert } from 'node:assert';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Service, startService } from '../harness.ts';
import { type Desk, type Installed, installCommand, openDesk } from './command.ts';

describe('The command line', () => {
  let installed: Installed;
  let service: Service;
  let ada: Client;
  let desk: Desk;
  let count = 0;

  before(async () => {
    installed = installCommand();
    service = await startService();
    ada = await service.user('ada');
  });
  after(async () => {
    await service?.stop();
    installed?.remove();
  });

  /** A name that no test has used. */
  const fresh = () => `plan-${++count}`;

  beforeEach(() => {
    const { webUrl } = service;
    desk = openDesk(installed, { BRIEFS_SERVER: webUrl, BRIEFS_TOKEN: ada.token as string });
  });
  afterEach(() => desk.remove());

  /** Pushes a new brief. */
  async function pushNew(text: string): Promise<{ name: string; file: string }> {
    const name = fresh();
    const file = `${name}.md`;
    desk.write(file, text);
    const { results } = await desk.json(0, 'push', file);
    assert.equal(results[0].status, 'created');
    return { name, file };
  }

  const statusOf = ({ results }: { results: { status: string }[] }) =>
    results.map(({ status }) => status);
  const contentOf = async (name: string, kind = 'briefs') => {
    const { data, headers } = await ada.get(`/${kind}/ada/${encodeURIComponent(name)}`);
    return { text: data.content ?? data.html, revision: Number(headers.get('x-revision')), data };
  };
  const editThere = (name: string, content: string) =>
    ada.patch(`/briefs/ada/${name}`, { content });

  it('the package has one file and no dependencies', () => {
    const folder = `${installed.bin}/../briefs-cli`;
    assert.deepEqual(readdirSync(folder).sort(), ['README.md', 'dist', 'package.json']);
    assert.equal(
      JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).dependencies,
      undefined,
    );
    assert.ok(statSync(`${folder}/dist/briefs.js`).size < 300_000);
  });

  it('push: a new file becomes a private document, and remembers it', async () => {
    const { name, file } = await pushNew('# Plan\n\nOne.\n');
    const { text, data } = await contentOf(name);
    assert.equal(text, '# Plan\n\nOne.\n');
    assert.equal(data.visibility, 'private');
    const line = new RegExp(
      `^---\nbriefs: ${service.webUrl}/ada/${name}#1-[0-9a-f]{16}\n---\n# Plan`,
    );
    assert.match(desk.read(file), line);
  });

  it('push: an unchanged file makes no revision, a changed one does', async () => {
    const { name, file } = await pushNew('---\ntitle: Plan\ntags: [a]\n---\n\nOne.\n');
    assert.match(desk.read(file), /^---\nbriefs: \S+\ntitle: Plan\n/);
    assert.deepEqual(statusOf(await desk.json(0, 'push', file)), ['unchanged']);
    assert.equal((await contentOf(name)).revision, 1);
    desk.write(file, desk.read(file).replace('One.', 'Two.'));
    const { results } = await desk.json(0, 'push', file, '--message', 'Better');
    assert.equal(results[0].status, 'pushed');
    assert.equal(results[0].revision, 2);
    assert.equal((await contentOf(name)).text, '---\ntitle: Plan\ntags: [a]\n---\n\nTwo.\n');
    const { data } = await ada.get(`/briefs/ada/${name}/revisions`);
    assert.equal(data[0].message, 'Better');
  });

  it('push: what others changed elsewhere is merged, there and here', async () => {
    const { name, file } = await pushNew('# Plan\n\nOne.\n\nTwo.\n\nThree.\n');
    await editThere(name, '# Plan\n\nOne, theirs.\n\nTwo.\n\nThree.\n');
    desk.write(file, desk.read(file).replace('Three.', 'Three, mine.'));
    assert.deepEqual(statusOf(await desk.json(0, 'push', file)), ['merged']);
    const merged = '# Plan\n\nOne, theirs.\n\nTwo.\n\nThree, mine.\n';
    assert.equal((await contentOf(name)).text, merged);
    assert.ok(desk.read(file).endsWith(merged));
    assert.deepEqual(statusOf(await desk.json(0, 'sync', file)), ['unchanged']);
  });

  it('push: a conflict is left as a marked file, which is decided and pushed', async () => {
    const { name, file } = await pushNew('# Plan\n\nOne.\n\nTwo.\n');
    await editThere(name, '# Plan\n\nOne, theirs.\n\nTwo.\n');
    const mine = desk.read(file).replace('One.', 'One, mine.');
    desk.write(file, mine);
    const { results } = await desk.json(3, 'push', file);
    assert.match(results[0].message, new RegExp(`Edit ${name}.conflict.md, move it over ${file}`));
    assert.equal(desk.read(file), mine);
    assert.equal((await contentOf(name)).text, '# Plan\n\nOne, theirs.\n\nTwo.\n');
    const marked = desk.read(`${name}.conflict.md`);
    assert.ok(
      marked.endsWith(
        '# Plan\n\n<<<<<<< yours\nOne, mine.\n=======\nOne, theirs.\n>>>>>>> revision 2\n\nTwo.\n',
      ),
      marked,
    );
    // What somebody is deciding isn't touched.
    desk.write(`${name}.conflict.md`, `${marked}half decided`);
    assert.deepEqual(statusOf(await desk.json(3, 'sync', '.')), ['conflict']);
    assert.equal(desk.read(`${name}.conflict.md`), `${marked}half decided`);
    // Marks are never sent.
    desk.write(file, marked);
    assert.equal((await desk.run('push', file)).code, 3);
    rmSync(desk.path(`${name}.conflict.md`));
    assert.equal((await desk.run('push', file)).code, 3);
    desk.write(file, marked.replace(/<<<[\s\S]*>>>>>>> revision 2/, 'One, ours.'));
    assert.deepEqual(statusOf(await desk.json(0, 'push', file)), ['pushed']);
    assert.equal((await contentOf(name)).text, '# Plan\n\nOne, ours.\n\nTwo.\n');
  });

  it('pull: brings what changed there, and leaves what changed here', async () => {
    const { name, file } = await pushNew('# Plan\n\nOne.\n');
    await editThere(name, '# Plan\n\nOne and more.\n');
    assert.deepEqual(statusOf(await desk.json(0, 'pull', file)), ['pulled']);
    assert.ok(desk.read(file).endsWith('# Plan\n\nOne and more.\n'));
    desk.write(file, `${desk.read(file)}\nMine.\n`);
    assert.deepEqual(statusOf(await desk.json(0, 'pull', file)), ['ahead']);
    await editThere(name, '# Plan\n\nTheirs.\n');
    const before = desk.read(file);
    assert.deepEqual(statusOf(await desk.json(3, 'pull', file)), ['conflict']);
    assert.equal(desk.read(file), before);
  });

  it('pull: a document by name or address, also after it was renamed', async () => {
    const { name } = await pushNew('# Plan\n');
    await desk.json(0, 'pull', `ada/${name}`, '--into', 'one');
    await desk.json(0, 'pull', `${service.webUrl}/ada/${name}`, '--into', 'two');
    assert.equal(desk.read(`one/${name}.md`), desk.read(`two/${name}.md`));
    await ada.patch(`/briefs/ada/${name}`, { name: `${name}-new`, content: '# New\n' });
    assert.deepEqual(statusOf(await desk.json(0, 'pull', 'one')), ['pulled']);
    assert.match(desk.read(`one/${name}.md`), new RegExp(`ada/${name}-new#2-`));
    desk.write(`one/${name}.md`, `${desk.read(`one/${name}.md`)}\nMore.\n`);
    assert.deepEqual(statusOf(await desk.json(0, 'push', 'one')), ['pushed']);
  });

  it('pages remember in a comment that is never sent', async () => {
    const name = fresh();
    const html = '<!doctype html><title>Page</title><p>One.</p>';
    desk.write(`${name}.html`, html);
    await desk.json(0, 'push', `${name}.html`);
    assert.equal((await contentOf(name, 'pages')).text, html);
    assert.match(
      desk.read(`${name}.html`),
      /<p>One\.<\/p>\n<!-- briefs: \S+\/ada\/pages\/\S+ -->$/,
    );
    desk.write(`${name}.html`, desk.read(`${name}.html`).replace('One', 'Two'));
    assert.deepEqual(statusOf(await desk.json(0, 'push', `${name}.html`)), ['pushed']);
    assert.equal((await contentOf(name, 'pages')).text, html.replace('One', 'Two'));
    assert.deepEqual(statusOf(await desk.json(0, 'pull', `${name}.html`)), ['unchanged']);
  });

  it('sync: a folder in both directions', async () => {
    const grace = await service.user('grace');
    await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
    const post = (name: string) =>
      ada.post('/orgs/engines/briefs', { name, content: `# ${name}\n`, visibility: 'internal' });
    await post('rota');
    desk.write('notes/local.md', '# Local\n');
    desk.write('notes/deep/er.md', '# Deeper\n');
    const first = await desk.json(
      0,
      'sync',
      'notes',
      '--with',
      'engines',
      '--visibility',
      'internal',
    );
    assert.deepEqual(statusOf(first).sort(), ['created', 'created', 'pulled']);
    const { data } = await ada.get('/orgs/engines/briefs');
    assert.deepEqual(data.map((each: { name: string }) => each.name).sort(), [
      'deep-er',
      'local',
      'rota',
    ]);

    await ada.put('/orgs/engines/members/grace', { role: 'admin' });
    await grace.patch('/user/memberships/orgs/engines', { state: 'active' });
    await grace.patch('/briefs/engines/local', { content: '# Local\n\nBy grace.\n' });
    await post('later');
    desk.write('notes/rota.md', `${desk.read('notes/rota.md')}\nMine.\n`);
    const second = await desk.json(0, 'sync', 'notes', '--with', 'engines');
    assert.deepEqual(statusOf(second).sort(), ['pulled', 'pulled', 'pushed', 'unchanged']);
    assert.match(desk.read('notes/local.md'), /By grace/);
    const rota = await grace.get('/briefs/engines/rota');
    assert.equal(rota.data.content, '# rota\n\nMine.\n');
  });

  it('push --to: a report without memory is updated, unless somebody else wrote it', async () => {
    const name = fresh();
    const push = (code: number, ...more: string[]) =>
      desk.json(code, 'push', 'report.md', '--to', `ada/${name}`, '--no-remember', ...more);
    desk.write('report.md', '# Night 1\n');
    assert.deepEqual(statusOf(await push(0)), ['created']);
    assert.deepEqual(statusOf(await push(0)), ['unchanged']);
    desk.write('report.md', '# Night 2\n');
    assert.deepEqual(statusOf(await push(0)), ['pushed']);
    assert.equal(desk.read('report.md'), '# Night 2\n');
    const grace = await service.user('grace-2');
    await ada.put(`/briefs/ada/${name}/collaborators/grace-2`, { permission: 'write' });
    const invitations = await grace.get('/user/brief_invitations');
    await grace.patch(`/user/brief_invitations/${invitations.data[0].id}`);
    await grace.patch(`/briefs/ada/${name}`, { content: '# By grace\n' });
    desk.write('report.md', '# Night 3\n');
    const { results } = await push(3);
    assert.match(results[0].message, /grace-2 wrote the text/);
    assert.equal((await contentOf(name)).text, '# By grace\n');
    assert.deepEqual(statusOf(await push(0, '--overwrite')), ['pushed']);
    assert.equal((await contentOf(name)).text, '# Night 3\n');
  });

  it('push: a file of the same name elsewhere replaces nothing', async () => {
    const { name, file } = await pushNew('# Mine\n');
    desk.write(`other/${file}`, '# Another\n');
    const { results } = await desk.json(1, 'push', `other/${file}`);
    assert.equal(
      results[0].message,
      `you already have ada/${name}. To update it, use --to ada/${name}.`,
    );
    assert.equal((await contentOf(name)).text, '# Mine\n');
  });

  it('odd names, other line ends, and files that are not text', async () => {
    desk.write('odd/Ünïcode & spaces — (1).md', '# Odd\r\n\r\nText.\r\n');
    desk.write("odd/quote'$(x);.md", '# Quote\n');
    desk.write('odd/###.md', '# None\n');
    desk.write('odd/latin1.md', Buffer.from('# Caf\xe9\n', 'latin1'));
    desk.write('odd/empty-front.md', '---\n---\n# Empty\n');
    const { results } = await desk.json(1, 'push', 'odd');
    const of = (file: string) => results.find((each: { file: string }) => each.file === file);
    assert.equal(of('odd/latin1.md').message, 'it is not UTF-8.');
    assert.match(of('odd/###.md').message, /no letter or digit/);
    const odd = of('odd/Ünïcode & spaces — (1).md');
    assert.equal(odd.status, 'created');
    const sent = await ada.get(`/briefs/${odd.document}`);
    assert.equal(sent.data.content, '# Odd\r\n\r\nText.\r\n');
    assert.equal(of("odd/quote'$(x);.md").status, 'created');
    const again = await desk.json(1, 'sync', 'odd');
    assert.equal(statusOf(again).filter((status) => status === 'unchanged').length, 3);
    assert.match(desk.read('odd/empty-front.md'), /^---\nbriefs: .*\n---\n---\n---\n# Empty\n$/);
  });

  it('symbolic links in folders are not followed', async () => {
    desk.write('secret.md', '# Secret\n');
    desk.write('notes/a.md', '# A\n');
    symlinkSync(desk.path('secret.md'), desk.path('notes/link.md'));
    symlinkSync(desk.folder, desk.path('notes/loop'));
    const { results } = await desk.json(0, 'push', 'notes', '--prefix', `${fresh()}-`);
    assert.deepEqual(
      results
        .map(({ file, status }: { file: string; status: string }) => `${file} ${status}`)
        .sort(),
      ['notes/a.md created', 'notes/link.md skipped'],
    );
    // Nor does a pull write through one.
    const { name } = await pushNew('# There\n');
    mkdirSync(desk.path('in'));
    symlinkSync(desk.path('secret.md'), desk.path(`in/${name}.md`));
    const pulled = await desk.json(1, 'pull', `ada/${name}`, '--into', 'in');
    assert.match(pulled.results[0].message, /symbolic link/);
    assert.equal(desk.read('secret.md'), '# Secret\n');
  });

  it('Ctrl-C leaves every file whole', async () => {
    await ada.post('/user/orgs', { namespace: 'archive-test', name: 'Archive' });
    const text = '# Long\n\n'.padEnd(300_000, 'A line of text.\n');
    for (let index = 0; index < 8; index++) {
      await ada.post('/orgs/archive-test/briefs', { name: `long-${index}`, content: text });
    }
    for (const [round, ms] of [200, 300, 400, 500].entries()) {
      const started = desk.start(['pull', 'archive-test', '--into', `in-${round}`]);
      await sleep(ms);
      started.kill('SIGINT');
      await started.ended;
      mkdirSync(desk.path(`in-${round}`), { recursive: true });
      for (const file of readdirSync(desk.path(`in-${round}`))) {
        assert.match(file, /^long-\d\.md$/);
        assert.ok(desk.read(`in-${round}/${file}`).endsWith(text), file);
      }
    }
    const { results } = await desk.json(0, 'pull', 'archive-test', '--into', 'in-3');
    assert.equal(results.length, 8);
  });

  it('comment, comments, open: of a pushed file', async () => {
    const { name, file } = await pushNew('# Plan\n\nOne passage.\n');
    const { thread } = await desk.json(0, 'comment', file, 'Which one?', '--on', 'One passage.');
    await desk.json(0, 'comment', file, 'On everything.');
    await desk.json(0, 'comment', `ada/${name}`, 'This one.', '--thread', thread, '--resolve');
    const { threads } = await desk.json(0, 'comments', file);
    assert.deepEqual(
      threads.map((each: { on: unknown }) => each.on),
      [null],
    );
    const shown = await desk.run('open', file, '--print');
    assert.equal(shown.stdout, `${service.webUrl}/ada/${name}\n`);
    const missing = await desk.run('comment', file, 'x', '--on', 'no such passage');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /^briefs: on\.quote/);
  });

  it('wait: until the event that is meant, or the timeout', async () => {
    const { name, file } = await pushNew('# Plan\n\nOne.\n');
    const { data } = await ada.get(`/briefs/ada/${name}/events`);
    const after = ['--after', String(data.cursor)];
    const waiting = desk.start([
      '--json',
      'wait',
      file,
      '--for',
      'thread.opened',
      '--timeout',
      '30s',
      ...after,
    ]);
    // Most likely it waits by then.
    await sleep(500);
    await editThere(name, '# Plan\n\nTwo.\n');
    await ada.post(`/briefs/ada/${name}/threads`, { body: 'Why?' });
    const { code, stdout } = await waiting.ended;
    assert.equal(code, 0);
    const { events, cursor } = JSON.parse(stdout);
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['thread.opened'],
    );
    const late = await desk.json(5, 'wait', file, '--after', String(cursor), '--timeout', '1s');
    assert.deepEqual(late.events, []);
  });

  it('mistakes have their exit codes and one line each', async () => {
    const { stderr, code } = await desk.run('push', 'missing.md');
    assert.deepEqual([stderr, code], ['briefs: missing.md: there is no such file or folder.\n', 1]);
    assert.equal((await desk.run('push')).code, 2);
    assert.equal((await desk.run('wait', '--timeout', 'long')).code, 2);
    const { error } = await desk.json(1, 'open', 'ada/nothing-here');
    assert.equal(error.code, 'NOT_FOUND');
    // The token is for the chosen server, whatever a file says.
    const { file } = await pushNew('# Plan\n');
    const elsewhere = desk.read(file).replace(service.webUrl, 'http://elsewhere.example');
    desk.write(file, `${elsewhere}More.\n`);
    const { results } = await desk.json(1, 'push', file);
    const wrong = `it belongs to http://elsewhere.example, and you chose ${service.webUrl}.`;
    assert.equal(results[0].message, wrong);
  });
});
