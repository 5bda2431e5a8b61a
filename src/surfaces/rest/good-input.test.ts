import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, startService } from '../../../test/harness.ts';
import { exchange, lines, rawAnswer } from '../../../test/raw-http.ts';
import { withBytes } from './body-routes.testing.ts';

describe('Unusual valid bodies', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const create = { method: 'POST' as const, path: '/user/briefs', caller: ada };

  it('every spelling of the JSON content type', async () => {
    const types = [
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      'application/json; charset=UTF-8',
      'Application/Json ; charset="utf-8"',
    ];
    for (const [index, type] of types.entries()) {
      const body = JSON.stringify({ content: 'x', name: `type-${index}` });
      const { status, text } = await withBytes(create, body, { 'content-type': type });
      assert.equal(status, 201, `${type}: ${text}`);
    }
  });

  it('Content-Encoding: identity', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'identity' };
    const { status } = await withBytes(create, '{"content":"x","name":"identity"}', headers);
    assert.equal(status, 201);
  });

  it('a byte order mark is ignored before the JSON (RFC 8259, section 8.1) and before a brief’s text', async () => {
    const bom = '\ufeff';
    const { status, data } = await withBytes(
      create,
      bom + JSON.stringify({ content: `${bom}# Marked` }),
    );
    assert.equal(status, 201);
    assert.deepEqual([data.name, data.content], ['marked', '# Marked']);
    assert.equal((await ada.get('/briefs/ada/marked')).data.content, '# Marked');
    const changed = await ada.patch('/briefs/ada/marked', { content: `${bom}# Again ${bom}` });
    assert.equal(changed.data.content, `# Again ${bom}`);
  });

  it('white space around the JSON, and names of prototypes in values', async () => {
    const content = '"__proto__": {"constructor": {"prototype": 1}}';
    const body = `\r\n\t ${JSON.stringify({ content, name: 'prototypes' })} \n`;
    const { status, data } = await withBytes(create, body);
    assert.equal(status, 201);
    assert.equal(data.content, content);
  });

  it('content with every possible character', async () => {
    const planes = [0x1, 0x20, 0x7f, 0x80, 0xa0, 0x300, 0x2028, 0xd7ff, 0xe000, 0xfffe, 0x10ffff];
    const content = `\r\n\r${String.fromCodePoint(...planes)}\t\n\n`;
    const { data } = await ada.post('/user/briefs', { content, name: 'characters' });
    assert.equal(data.content, content);
    assert.equal((await ada.get('/briefs/ada/characters')).data.content, content);
  });

  it('empty content', async () => {
    const { status, data } = await ada.post('/user/briefs', { content: '' });
    assert.equal(status, 201);
    assert.match(data.name, /^untitled-/);
  });

  it('a repeated field: the last one counts (RFC 8259, section 4, as nearly all parsers do)', async () => {
    const { data } = await withBytes(create, '{"content":"a","content":"b","name":"repeated"}');
    assert.equal(data.content, 'b');
  });

  it('DELETE with a JSON content type, with no body and with an empty one', async () => {
    const json = { 'content-type': 'application/json' };
    for (const init of [
      { headers: json },
      { headers: { ...json, 'content-length': '0' } },
      { headers: json, body: '{}' },
      { headers: json, body: '' },
    ]) {
      await ada.post('/user/briefs', { content: 'x', name: 'doomed' });
      const answer = await ada.request('/briefs/ada/doomed', { method: 'DELETE', ...init });
      assert.equal(answer.status, 204, answer.text);
    }
  });

  it('GET with a body: answered, and the connection’s next request works', async () => {
    const head = ['Host: localhost', `Authorization: Bearer ${ada.token}`];
    const body = '{"x":1}';
    const get = lines('GET /api/user HTTP/1.1', ...head, `Content-Length: ${body.length}`) + body;
    const typed = lines(
      'GET /api/user HTTP/1.1',
      ...head,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    const { answers } = await exchange(
      service.config.port,
      `${get}${typed}7\r\n${body}\r\n0\r\n\r\n${lines('GET /healthz HTTP/1.1', 'Host: localhost')}`,
      { expected: 3 },
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.match(answers[2]?.body ?? '', /ok/);
  });

  it('accepting an invitation ignores any body', async () => {
    const grace = await service.user('grace');
    await ada.post('/user/briefs', { content: 'x', name: 'shared' });
    const path = '/briefs/ada/shared/collaborators/grace';
    const types = ['application/json', 'text', '/', 'a/b/c', '; charset'];
    const bodies = types.flatMap((type) => [
      { headers: { 'content-type': type } },
      { headers: { 'content-type': type }, body: Buffer.from('anything') },
    ]);
    for (const body of [{}, ...bodies]) {
      const { data } = await ada.put(path, { permission: 'read' });
      const init = { method: 'PATCH', ...body };
      const { status } = await grace.request(`/user/brief_invitations/${data.id}`, init);
      assert.equal(status, 204);
      assert.equal((await ada.delete(path)).status, 204);
    }
  });

  it('an unknown address is 404, whatever the content type', async () => {
    for (const type of ['text', '/', 'a/b/c']) {
      const init = { method: 'POST', headers: { 'content-type': type }, body: Buffer.from('x') };
      assertError(await ada.request('/nowhere', init), 404, 'NOT_FOUND');
    }
  });

  it('HEAD responds like GET, without the body', async () => {
    const request = lines(
      'HEAD /api/user HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${ada.token}`,
    );
    const { status, headers } = await rawAnswer(service.config.port, request, { headOnly: true });
    assert.equal(status, 200);
    assert.ok(Number(headers['content-length']) > 50);
  });
});
