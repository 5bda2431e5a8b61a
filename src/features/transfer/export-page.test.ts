import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { streamOf } from '../../../test/document/zip.ts';
import { startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { readArchive } from './archive-reader.ts';

describe('Exporting', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await makePerson(service, 'ada');
  const grace = await makePerson(service, 'grace');
  const eve = await makePerson(service, 'eve');
  await ada.client.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  await ada.client.put('/orgs/engines/members/grace', { role: 'member' });
  await grace.client.patch('/user/memberships/orgs/engines', { state: 'active' });
  await ada.client.post('/user/briefs', {
    name: 'plan',
    content: '# Plan\n',
    visibility: 'private',
  });
  await ada.client.post('/user/pages', { name: 'dice', html: '<!doctype html><p>6' });
  await ada.client.post('/orgs/engines/briefs', { name: 'rota', content: '# Rota\n' });
  await eve.client.post('/user/briefs', { name: 'hers', content: '# Hers' });
  const form = new FormData();
  form.append('file', new Blob(['Some notes.'], { type: 'text/plain' }), 'notes.txt');
  await ada.visitor.post('/settings/uploads', form);

  /** Downloads an archive and returns its files by path. */
  async function unpack({ visitor }: Person, path: string) {
    const cookie = Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(service.webUrl + path, { headers: { cookie } });
    assert.equal(response.status, 200);
    const files = new Map<string, string>();
    const archive = streamOf(Buffer.from(await response.arrayBuffer()));
    const each = readArchive(archive, async function* (all) {
      yield* all;
    });
    for await (const file of each) {
      const read = await file.read(1_000_000);
      files.set(file.path, 'bytes' in read ? read.bytes.toString() : read.problem);
    }
    return { headers: response.headers, files };
  }

  it('returns all your documents as an archive, named by owner and day', async () => {
    const { headers, files } = await unpack(ada, '/export');
    const day = service.app.context.now().slice(0, 10);
    assert.equal(headers.get('content-type'), 'application/zip');
    const name = `attachment; filename="briefs-ada-${day}.zip"`;
    assert.equal(headers.get('content-disposition'), name);
    assert.equal(headers.get('cache-control'), 'private, no-store');
    assert.equal(files.get('briefs/plan.md'), '# Plan\n');
    assert.equal(files.get('pages/dice.html'), '<!doctype html><p>6');
    const upload = [...files.keys()].find((path) => path.startsWith('files/')) ?? '';
    assert.equal(files.get(upload), 'Some notes.');
    const index = JSON.parse(files.get('briefs.json') ?? '');
    assert.equal(index.owner, 'ada');
    assert.equal(index.documents.length, 2);
    assert.equal(files.size, 4, 'and nothing of anybody else');
    assert.equal((await unpack(ada, '/export?owner=ada')).files.size, 4);
  });

  it('exports an organization, for its admins', async () => {
    const { headers, files } = await unpack(ada, '/export?owner=Engines');
    assert.match(headers.get('content-disposition') ?? '', /"briefs-engines-[\d-]+\.zip"/);
    assert.deepEqual([...files.keys()], ['briefs/rota.md', 'briefs.json']);
    for (const person of [grace, eve]) {
      assert.equal((await person.visitor.get('/export?owner=engines')).status, 403);
    }
    for (const owner of ['ada', 'nobody-at-all', '../x"', '\n', '日']) {
      const path = `/export?owner=${encodeURIComponent(owner)}`;
      const { status, headers: refused } = await eve.visitor.get(path);
      assert.equal(status, 404, owner);
      assert.match(refused.get('content-type') ?? '', /^text\/html/);
      assert.equal(refused.get('content-disposition'), null, 'a page to read, no file');
      assert.match(refused.get('x-request-id') ?? '', /^[\w-]{36}$/);
    }
  });

  it('an export can be imported again', async () => {
    const { visitor } = ada;
    const cookie = Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const archive = await (
      await fetch(`${service.webUrl}/export`, { headers: { cookie } })
    ).arrayBuffer();
    const lin = await makePerson(service, 'lin');
    const form = new FormData();
    form.append('visibility', 'private');
    form.append('files', new Blob([archive]), 'briefs-ada.zip');
    const answer = await lin.visitor.post('/import', form);
    assert.match(answer.text, /2 imported, 0 uploaded, 2 skipped, 0 failed/);
    assert.equal((await lin.client.get('/briefs/lin/plan')).data.content, '# Plan\n');
    assert.equal((await lin.client.get('/pages/lin/dice')).data.html, '<!doctype html><p>6');
  });

  it('needs a sign-in, and is offered in settings, also for organizations that you administer', async () => {
    const { headers } = await newVisitor(service).get('/export');
    assert.equal(headers.get('location'), '/sign-in?next=%2Fexport');
    assert.match((await ada.visitor.get('/settings/account')).text, /\/export\?owner=engines/);
    const { text } = await grace.visitor.get('/settings/account');
    assert.match(text, /href="\/export"/);
    assert.doesNotMatch(text, /owner=engines/, 'a member is no admin');
  });
});
