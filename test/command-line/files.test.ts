import { strict as assert } from 'node:assert';
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startWork, statusOf } from './work.ts';

describe('Files from a shell', () => {
  const work = startWork();

  it('the package has one file and no dependencies', () => {
    const folder = `${work.installed.bin}/../briefs-cli`;
    assert.deepEqual(readdirSync(folder).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
    assert.equal(
      JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).dependencies,
      undefined,
    );
    assert.ok(statSync(`${folder}/dist/briefs.js`).size < 1_100_000);
  });

  it('push: creates a private document from a new file, and remembers it', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n');
    const { text, data } = await work.contentOf(name);
    assert.equal(text, '# Plan\n\nOne.\n');
    assert.equal(data.visibility, 'private');
    const line = new RegExp(
      `^---\nbriefs: ${work.service.webUrl}/ada/${name}#${data.id}\n---\n# Plan`,
    );
    assert.match(work.desk.read(file), line);
  });

  it('push: an unchanged file adds no revision, a changed one does', async () => {
    const { name, file } = await work.pushNew('---\ntitle: Plan\ntags: [a]\n---\n\nOne.\n');
    assert.match(work.desk.read(file), /^---\nbriefs: \S+\ntitle: Plan\n/);
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', file)), ['unchanged']);
    assert.equal((await work.contentOf(name)).revision, 1);
    work.desk.write(file, work.desk.read(file).replace('One.', 'Two.'));
    const { results } = await work.desk.json(0, 'push', file, '--message', 'Better');
    assert.equal(results[0].status, 'pushed');
    assert.equal(results[0].revision, 2);
    assert.equal((await work.contentOf(name)).text, '---\ntitle: Plan\ntags: [a]\n---\n\nTwo.\n');
    const { data } = await work.ada.get(`/briefs/ada/${name}/revisions`);
    assert.equal(data[0].message, 'Better');
  });

  it('push: merges changes by others on both sides', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n\nTwo.\n\nThree.\n');
    await work.editThere(name, '# Plan\n\nOne, theirs.\n\nTwo.\n\nThree.\n');
    work.desk.write(file, work.desk.read(file).replace('Three.', 'Three, mine.'));
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', file)), ['merged']);
    const merged = '# Plan\n\nOne, theirs.\n\nTwo.\n\nThree, mine.\n';
    assert.equal((await work.contentOf(name)).text, merged);
    assert.ok(work.desk.read(file).endsWith(merged));
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', file)), ['unchanged']);
  });

  it('push: a conflict leaves a marked file, which can be edited and pushed', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n\nTwo.\n');
    await work.editThere(name, '# Plan\n\nOne, theirs.\n\nTwo.\n');
    const mine = work.desk.read(file).replace('One.', 'One, mine.');
    work.desk.write(file, mine);
    const { results } = await work.desk.json(3, 'push', file);
    assert.match(
      results[0].message,
      new RegExp(`Edit ${name}.conflict.md, then run "briefs resolve ${file}"`),
    );
    assert.equal(work.desk.read(file), mine);
    assert.equal((await work.contentOf(name)).text, '# Plan\n\nOne, theirs.\n\nTwo.\n');
    const marked = work.desk.read(`${name}.conflict.md`);
    assert.ok(
      marked.endsWith(
        '# Plan\n\n<<<<<<< yours\nOne, mine.\n=======\nOne, theirs.\n>>>>>>> revision 2\n\nTwo.\n',
      ),
      marked,
    );
    // A file that someone is resolving isn't touched.
    work.desk.write(`${name}.conflict.md`, `${marked}half decided`);
    assert.deepEqual(statusOf(await work.desk.json(3, 'sync', '.')), ['conflict']);
    assert.equal(work.desk.read(`${name}.conflict.md`), `${marked}half decided`);
    // A failure is worse than a conflict.
    work.desk.write('latin1.md', Buffer.from('# Caf\xe9\n', 'latin1'));
    await work.desk.json(1, 'push', file, 'latin1.md');
    rmSync(work.desk.path('latin1.md'));
    // Conflict marks are never sent.
    work.desk.write(file, marked);
    assert.equal((await work.desk.run('push', file)).code, 3);
    rmSync(work.desk.path(`${name}.conflict.md`));
    assert.equal((await work.desk.run('push', file)).code, 3);
    work.desk.write(file, marked.replace(/<<<[\s\S]*>>>>>>> revision 2/, 'One, ours.'));
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', file)), ['pushed']);
    assert.equal((await work.contentOf(name)).text, '# Plan\n\nOne, ours.\n\nTwo.\n');
  });

  it('pull: downloads remote changes, and keeps local ones', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n');
    await work.editThere(name, '# Plan\n\nOne and more.\n');
    assert.deepEqual(statusOf(await work.desk.json(0, 'pull', file)), ['pulled']);
    assert.ok(work.desk.read(file).endsWith('# Plan\n\nOne and more.\n'));
    work.desk.write(file, `${work.desk.read(file)}\nMine.\n`);
    assert.deepEqual(statusOf(await work.desk.json(0, 'pull', file)), ['ahead']);
    await work.editThere(name, '# Plan\n\nTheirs.\n');
    const before = work.desk.read(file);
    assert.deepEqual(statusOf(await work.desk.json(3, 'pull', file)), ['conflict']);
    assert.equal(work.desk.read(file), before);
  });

  it('pull: a document by name or address, even after a rename', async () => {
    const { name } = await work.pushNew('# Plan\n');
    await work.desk.json(0, 'pull', `ada/${name}`, '--into', 'one');
    await work.desk.json(0, 'pull', `${work.service.webUrl}/ada/${name}`, '--into', 'two');
    assert.equal(work.desk.read(`one/${name}.md`), work.desk.read(`two/${name}.md`));
    await work.ada.patch(`/briefs/ada/${name}`, { name: `${name}-new`, content: '# New\n' });
    assert.deepEqual(statusOf(await work.desk.json(0, 'pull', 'one')), ['pulled']);
    assert.match(work.desk.read(`one/${name}.md`), new RegExp(`ada/${name}-new#[0-9a-f]{8}-`));
    work.desk.write(`one/${name}.md`, `${work.desk.read(`one/${name}.md`)}\nMore.\n`);
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', 'one')), ['pushed']);
  });

  it('pages store their state in a comment that is never sent', async () => {
    const name = work.fresh();
    const html = '<!doctype html><title>Page</title><p>One.</p>';
    work.desk.write(`${name}.html`, html);
    await work.desk.json(0, 'push', `${name}.html`);
    assert.equal((await work.contentOf(name, 'pages')).text, html);
    assert.match(
      work.desk.read(`${name}.html`),
      /<p>One\.<\/p>\n<!-- briefs: \S+\/ada\/pages\/\S+ -->$/,
    );
    work.desk.write(`${name}.html`, work.desk.read(`${name}.html`).replace('One', 'Two'));
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', `${name}.html`)), ['pushed']);
    assert.equal((await work.contentOf(name, 'pages')).text, html.replace('One', 'Two'));
    assert.deepEqual(statusOf(await work.desk.json(0, 'pull', `${name}.html`)), ['unchanged']);
  });

  it('sync: a folder in both directions', async () => {
    const grace = await work.service.user('grace');
    await work.ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
    const post = (name: string) =>
      work.ada.post('/orgs/engines/briefs', {
        name,
        content: `# ${name}\n`,
        visibility: 'internal',
      });
    await post('rota');
    work.desk.write('notes/local.md', '# Local\n');
    work.desk.write('notes/deep/er.md', '# Deeper\n');
    const first = await work.desk.json(
      0,
      'sync',
      'notes',
      '--with',
      'engines',
      '--visibility',
      'internal',
    );
    assert.deepEqual(statusOf(first).sort(), ['created', 'created', 'pulled']);
    const { data } = await work.ada.get('/orgs/engines/briefs');
    assert.deepEqual(data.map((each: { name: string }) => each.name).sort(), [
      'deep-er',
      'local',
      'rota',
    ]);

    await work.ada.put('/orgs/engines/members/grace', { role: 'admin' });
    await grace.patch('/user/memberships/orgs/engines', { state: 'active' });
    await grace.patch('/briefs/engines/local', { content: '# Local\n\nBy grace.\n' });
    await post('later');
    work.desk.write('notes/rota.md', `${work.desk.read('notes/rota.md')}\nMine.\n`);
    const second = await work.desk.json(0, 'sync', 'notes', '--with', 'engines');
    assert.deepEqual(statusOf(second).sort(), ['pulled', 'pulled', 'pushed', 'unchanged']);
    assert.match(work.desk.read('notes/local.md'), /By grace/);
    const rota = await grace.get('/briefs/engines/rota');
    assert.equal(rota.data.content, '# rota\n\nMine.\n');
  });

  it('push --to: updates a report that stores no address, unless someone else wrote it', async () => {
    const name = work.fresh();
    const push = (code: number, ...more: string[]) =>
      work.desk.json(code, 'push', 'report.md', '--to', `ada/${name}`, '--no-remember', ...more);
    work.desk.write('report.md', '# Night 1\n');
    assert.deepEqual(statusOf(await push(0)), ['created']);
    assert.deepEqual(statusOf(await push(0)), ['unchanged']);
    work.desk.write('report.md', '# Night 2\n');
    assert.deepEqual(statusOf(await push(0)), ['pushed']);
    assert.equal(work.desk.read('report.md'), '# Night 2\n');
    const grace = await work.service.user('grace-2');
    await work.ada.put(`/briefs/ada/${name}/collaborators/grace-2`, { permission: 'write' });
    const invitations = await grace.get('/user/brief_invitations');
    await grace.patch(`/user/brief_invitations/${invitations.data[0].id}`);
    await grace.patch(`/briefs/ada/${name}`, { content: '# By grace\n' });
    work.desk.write('report.md', '# Night 3\n');
    const { results } = await push(3);
    assert.match(results[0].message, /^grace-2 \(token "test"\) wrote the text of ada/);
    assert.equal((await work.contentOf(name)).text, '# By grace\n');
    assert.deepEqual(statusOf(await push(0, '--overwrite')), ['pushed']);
    assert.equal((await work.contentOf(name)).text, '# Night 3\n');
  });

  it('push: a name alone never selects a document; --to shows both texts', async () => {
    const { name, file } = await work.pushNew('# Mine\n');
    work.desk.write(`other/${file}`, '# Another\n');
    const { results } = await work.desk.json(1, 'push', `other/${file}`);
    const address = `ada/${name}`;
    assert.equal(
      results[0].message,
      `${address} exists already, with another text. Rename the file, or push it with --to ${address} to compare both.`,
    );
    const compared = await work.desk.json(3, 'push', `other/${file}`, '--to', address);
    assert.match(compared.results[0].message, /has another text, which this file isn’t based on/);
    assert.equal((await work.contentOf(name)).text, '# Mine\n');
    const marked = `other/${name}.conflict.md`;
    assert.match(work.desk.read(marked), /# Another\n=======\n# Mine/);
    work.desk.write(marked, work.desk.read(marked).replace(/<<<[\s\S]*$/, '# Both\n'));
    renameSync(work.desk.path(marked), work.desk.path(`other/${file}`));
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', `other/${file}`)), ['pushed']);
    assert.equal((await work.contentOf(name)).text, '# Both\n');
    assert.equal((await work.desk.run('push', `other/${file}`, '--overwrite')).code, 2);
  });

  it('push --to: someone with permission to edit updates the document', async () => {
    const { name } = await work.pushNew('# By ada\n');
    const grace = await work.service.user('grace-3');
    await work.ada.put(`/briefs/ada/${name}/collaborators/grace-3`, { permission: 'write' });
    const invitations = await grace.get('/user/brief_invitations');
    await grace.patch(`/user/brief_invitations/${invitations.data[0].id}`);
    work.desk.write('report.md', '# By grace\n');
    const args = ['--json', 'push', 'report.md', '--to', `ada/${name}`, '--no-remember'];
    const environment = { BRIEFS_TOKEN: grace.token as string };
    const refused = await work.desk.start(args, environment).ended;
    assert.equal(refused.code, 3, refused.stdout);
    const pushed = await work.desk.start([...args, '--overwrite'], environment).ended;
    assert.deepEqual([pushed.code, statusOf(JSON.parse(pushed.stdout))], [0, ['pushed']]);
    assert.equal((await work.contentOf(name)).text, '# By grace\n');
  });
});
