import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { connect } from '../../../test/mcp/agent.ts';
import { decide } from '../../../test/rest/scenario.ts';
import { makePerson } from '../../../test/web-app/world.ts';

const CHART =
  '<!doctype html><title>Chart</title><script src="https://cdn.example/chart.js"></script>' +
  '<link rel="stylesheet" href="https://allowed.example/s.css">';
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
const BLOCKED = ['https://cdn.example/chart.js'];

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

const codesOf = ({ data }: { data: { warnings?: { code: string }[] } }) =>
  data.warnings?.map(({ code }) => code);

describe('Warnings', async () => {
  const service = await startService({ PAGE_SOURCES: 'allowed.example' });
  const person = await makePerson(service, 'ada');
  const ada = person.client;
  const agent = await connect(service, ada.token);
  after(async () => {
    await agent.close();
    await service.stop();
  });

  it('follow creating, updating and editing, and reading has none', async () => {
    const page = { html: CHART, name: 'chart' };
    const created = await ada.post('/user/pages', page);
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(codesOf(created), ['blocked-addresses']);
    assert.deepEqual(created.data.warnings[0].addresses, BLOCKED);
    const path = '/pages/ada/chart';
    const more = await ada.patch(path, { html: `${CHART}<p>More` });
    assert.deepEqual(codesOf(more), ['blocked-addresses']);
    assert.equal(codesOf(await ada.patch(path, { name: 'charts' })), undefined);
    await ada.patch('/pages/ada/charts', { name: 'chart' });
    const edits = [{ op: 'replace', old: 'More', new: 'Less' }];
    assert.deepEqual(codesOf(await ada.post(`${path}/edits`, { edits })), ['blocked-addresses']);
    assert.equal(codesOf(await ada.get(path)), undefined);
    const whole = await ada.patch(path, { html: '<!doctype html><p>Whole' });
    assert.deepEqual(whole.data, (await ada.get(path)).data);
  });

  it('name secrets once anyone can read them, and never repeat them', async () => {
    const content = `# Set-up\n\n${TOKEN}\n`;
    const made = await ada.post('/user/briefs', { content, name: 'keys', visibility: 'private' });
    assert.equal(codesOf(made), undefined);
    const opened = await ada.patch('/briefs/ada/keys', { visibility: 'public' });
    assert.deepEqual(codesOf(opened), ['secrets']);
    assert.match(opened.data.warnings[0].message, /GitHub Token in line 3 \(ghp_…\)/);
    const edits = [{ op: 'append', content: 'More.\n' }];
    const edited = await ada.post('/briefs/ada/keys/edits', { edits });
    assert.deepEqual(codesOf(edited), ['secrets']);
    await ada.patch('/briefs/ada/keys', { content: '# Set-up\n' });
    const restored = await ada.post('/briefs/ada/keys/revisions/1/restore', {});
    assert.deepEqual(codesOf(restored), ['secrets']);
    const on = { quote: 'Set-up' };
    const { data: suggestion } = await ada.post('/briefs/ada/keys/threads', {
      on,
      replacement: 'Start',
    });
    const threads = [suggestion.id];
    const accepted = await decide(ada, '/briefs/ada/keys', 'accept', threads);
    assert.deepEqual([accepted.status, codesOf(accepted)], [200, ['secrets']]);
    assert.ok(!JSON.stringify(edited.data.warnings).includes(TOKEN.slice(0, 8)));
    assert.deepEqual(codesOf(await ada.post('/user/briefs', { content })), ['secrets']);
  });

  it('point out content that was surely meant otherwise', async () => {
    const wrapped = { content: '```markdown\n# Plan\n```' };
    assert.deepEqual(codesOf(await ada.post('/user/briefs', wrapped)), ['wrapped-content']);
    const page = { content: '<!doctype html><p>x', name: 'a-page' };
    assert.deepEqual(codesOf(await ada.post('/user/briefs', page)), ['wrong-kind']);
    const flat = { content: '# Plan\\n\\n- a\\n- b', name: 'flat' };
    assert.deepEqual(codesOf(await ada.post('/user/briefs', flat)), ['escaped-line-breaks']);
  });

  it('repeat with a repeated request', async () => {
    const headers = { 'idempotency-key': 'chart-1' };
    const page = { html: CHART, name: 'repeated' };
    const send = () => ada.post('/user/pages', page, headers);
    const [first, again] = [await send(), await send()];
    assert.equal(first.status, 201, first.text);
    assert.deepEqual(again.data, first.data);
  });

  it('reach agents in the text of tools', async () => {
    const page = { kind: 'page', name: 'by-agent', content: CHART };
    const published = await agent.call('publish_document', page);
    assert.match(published.text, /Warning: The page asks for an address that pages can’t load/);
    assert.match(
      published.text,
      /the addresses that can’t be loaded[\s\S]*cdn\.example\/chart\.js/,
    );
    const edits = [{ op: 'append', content: `<p>${TOKEN}` }];
    const edited = await agent.call('edit_document', { kind: 'page', name: 'by-agent', edits });
    assert.match(edited.text, /Warning: This page is public and seems to contain secrets/);
    const content = `# K\n\n${TOKEN}`;
    await agent.call('publish_document', { name: 'agents-keys', content, visibility: 'private' });
    const opened = await agent.call('manage_document', {
      action: 'update',
      name: 'agents-keys',
      visibility: 'public',
    });
    assert.match(opened.text, /Warning: This brief is public and seems to contain secrets/);
    const upload = await agent.call('publish_document', { kind: 'page', upload: true, name: 'up' });
    const answer = await fetch(upload.data.upload.url, { method: 'PUT', body: CHART });
    assert.deepEqual(codesOf({ data: await answer.json() }), ['blocked-addresses']);
  });

  it('are shown by the editor and by the Share dialog', async () => {
    const { visitor } = person;
    const form = { content: CHART, name: 'edited', visibility: 'private', owner: 'ada' };
    const json = { accept: 'application/json' };
    const created = await visitor.post('/new/page', formOf(form), json);
    assert.match(
      JSON.parse(created.text).warning,
      /It asks for: https:\/\/cdn\.example\/chart\.js\.$/,
    );
    const text = {
      content: `# K\n\n${TOKEN}\n`,
      name: 'typed',
      visibility: 'private',
      owner: 'ada',
    };
    assert.equal(
      JSON.parse((await visitor.post('/new', formOf(text), json)).text).warning,
      undefined,
    );
    const opened = await visitor.post('/share/ada/typed/visibility', {
      visibility: 'public',
      from: 'private',
      revision: '1',
    });
    assert.equal(opened.status, 303, opened.text);
    assert.match(
      (await visitor.get('/share/ada/typed')).text,
      /seems to contain secrets: GitHub Token/,
    );
  });
});
