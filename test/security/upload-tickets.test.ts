import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { FIXED_LIMITS } from '../../src/base/limits/rate-limit.ts';
import { VIA_WEB } from '../../src/base/schema/means.ts';
import { type Actor, callOf } from '../../src/core/context.ts';
import { setAccountDisabled } from '../../src/core/identity/account-service.ts';
import { updateRefused } from '../../src/core/identity/account-store.ts';
import { TooManyAttempts } from '../../src/core/identity/attempts.ts';
import { ALL_SCOPES } from '../../src/core/identity/scope.ts';
import { TICKET_LIFETIME_MS } from '../../src/core/identity/ticket.ts';
import {
  createToken,
  listAccountTokens,
  revokeToken,
} from '../../src/core/identity/token-service.ts';
import {
  disconnectApplication,
  listConnectedApplications,
  narrowApplication,
} from '../../src/features/applications/application-service.ts';
import { setExceptions } from '../../src/features/quotas/quota-admin-service.ts';
import { issueFileTicket, sweepTickets } from '../../src/features/uploads/ticket-service.ts';
import { PNG } from '../files/samples.ts';
import { type Answer, assertError, readAnswer, startService } from '../harness.ts';
import { assertFailed, call, connect, messagesOf, post } from '../mcp/agent.ts';
import { obtainTokens, register } from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';
import { collaborate } from '../rest/scenario.ts';
import { clientMissing } from '../web/built-client.ts';

const run = promisify(execFile);

describe('Uploading with a ticket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'briefs-upload-'));

  const service = await startService();
  const [ada, grace] = [await service.user('ada'), await service.user('grace')];
  const agent = await connect(service, ada.token);
  after(async () => {
    await agent.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ticket(args: object, by = agent): Promise<string> {
    const { data, text } = await by.call('publish_document', { ...args, upload: true });
    assert.match(data?.upload.url ?? text, new RegExp(`^${service.baseUrl}/uploads/[\\w-]{32}$`));
    assert.match(text, /curl -T FILE 'http.*' — once/);
    return data.upload.url;
  }

  async function fileTicket(name: string): Promise<string> {
    const { data, text } = await agent.call('files', { action: 'upload', name });
    assert.ok(data?.upload, text);
    return data.upload.url;
  }

  const put = async (url: string, body: string | Uint8Array<ArrayBuffer>, init: RequestInit = {}) =>
    readAnswer(await fetch(url, { method: 'PUT', body, ...init }));

  /** Asserts that an address responds like one that never existed. */
  async function assertEnded(url: string): Promise<void> {
    const never = `${service.baseUrl}/uploads/${'n'.repeat(32)}`;
    const [one, other] = [await put(url, 'late'), await put(never, 'late')];
    assert.deepEqual([one.status, one.text], [404, other.text]);
    const namesOf = ({ headers }: Answer) => [...headers.keys()].sort();
    assert.deepEqual(namesOf(one), namesOf(other));
  }

  const textOf = async (path: string) => {
    const { data } = await ada.get(path);
    return data?.content ?? data?.html;
  };

  it('curl -T needs no header: creates a page, replaces it, stores a file', async () => {
    const path = join(folder, 'report.html');
    const curl = async (url: string, file: string) =>
      JSON.parse((await run('curl', ['-sS', '-T', file, url])).stdout);
    const html = `<title>Report</title>${'x'.repeat(3_000_000)}`;
    writeFileSync(path, html);
    const made = await curl(await ticket({ kind: 'page', visibility: 'private' }), path);
    assert.deepEqual([made.created, made.revision, made.visibility], [true, 1, 'private']);
    assert.equal(made.url, `${service.webUrl}/ada/pages/report`);
    assert.equal(await textOf('/pages/ada/report'), html);
    writeFileSync(path, '<title>Report</title>Two');
    const again = await curl(await ticket({ kind: 'page', name: 'report', message: 'Two' }), path);
    assert.deepEqual([again.created, again.revision, again.etag.includes('.2.')], [false, 2, true]);
    const { data } = await ada.get('/pages/ada/report/revisions');
    assert.equal(data[0].message, 'Two');
    writeFileSync(join(folder, 'dot.png'), PNG);
    const file = await curl(await fileTicket('a[1].png'), join(folder, 'dot.png'));
    assert.equal(file.markdown, `![a\\[1\\].png](${file.url})`);
    const bytes = Buffer.from(await (await fetch(file.url)).arrayBuffer());
    assert.ok(bytes.equals(PNG));
    assert.equal((await ada.get('/user/files')).data[0].id, file.id);
  });

  it('what the tool would refuse is refused before the upload', async () => {
    await grace.post('/user/briefs', { name: 'hers', content: '1' });
    await ada.post('/user/briefs', { name: 'other-token', content: '1' });
    const { token } = await createToken(service.app.context, {
      username: 'ada',
      name: 'second',
      lifetimeMs: undefined,
    });
    const second = await connect(service, token);
    const refused = async (args: object, code: string, problem: RegExp) =>
      assertFailed(await second.call('publish_document', { upload: true, ...args }), code, problem);
    await refused({ content: 'x' }, 'INVALID_ARGUMENT', /^INVALID_ARGUMENT: content: give either/);
    await refused({ upload: false }, 'INVALID_ARGUMENT', /content: give either/);
    await refused({ owner: 'grace', name: 'hers' }, 'FORBIDDEN', /read this brief/);
    await refused({ owner: 'grace', name: 'new' }, 'FORBIDDEN', /Only grace/);
    await refused({ name: 'other-token' }, 'PRECONDITION_FAILED', /base_revision: is required/);
    const base_revision = 7;
    await refused({ name: 'other-token', base_revision }, 'INVALID_ARGUMENT', /no revision 7 yet/);
    await refused({ name: 'nothing', base_revision }, 'PRECONDITION_FAILED', /no document/);
    await refused({ name: 'other-token', if_exists: 'fail' }, 'UNPROCESSABLE', /already have/);
    await refused({ name: 'x', visibility: 'internal' }, 'INVALID_ARGUMENT', /internal/);
    await refused({ name: 'a/b/c' }, 'INVALID_ARGUMENT', /name/);

    await ada.post('/user/orgs', { namespace: 'closed', name: 'Closed' });
    await ada.patch('/orgs/closed/policies', { publicDocuments: false });
    await refused({ owner: 'closed', name: 'x' }, 'UNPROCESSABLE', /no public documents/);
    await ada.post('/user/orgs', { namespace: 'guarded', name: 'Guarded' });
    await ada.patch('/orgs/guarded/protection', { protected: true });
    await refused({ owner: 'guarded' }, 'UNPROCESSABLE', /need an approval/);
    const limit = (quotas: object) => setExceptions(service.app.context, undefined, 'ada', quotas);
    await limit({ documents: 1 });
    await refused({ name: 'one-more' }, 'QUOTA_EXCEEDED', /documents is 1/);
    await refused({}, 'QUOTA_EXCEEDED', /documents is 1/);
    await limit({ bytes: 1 });
    const file = { action: 'upload', name: 'a.png' };
    assertFailed(await second.call('files', file), 'QUOTA_EXCEEDED', /storage/);
    await limit({});
    await second.close();
  });

  it('a text based on an older revision is merged, or conflicts, as with the tool', async () => {
    const lines = ['first', 'second', 'third'].map((line) => `${line}\n\n`);
    await agent.call('publish_document', { name: 'merged', content: lines.join('') });
    const [merging, conflicting] = [
      await ticket({ name: 'merged', base_revision: 1 }),
      await ticket({ name: 'merged', base_revision: 1 }),
    ];
    await ada.patch('/briefs/ada/merged', { content: lines.with(0, 'FIRST\n\n').join('') });
    const merged = await put(merging, lines.with(2, 'THIRD\n\n').join(''));
    assert.deepEqual([merged.status, merged.json.merged, merged.json.revision], [201, true, 3]);
    assert.equal(await textOf('/briefs/ada/merged'), 'FIRST\n\nsecond\n\nTHIRD\n\n');
    const conflict = await put(conflicting, lines.with(0, 'erste\n\n').join(''));
    assert.deepEqual([conflict.status, conflict.json.error.code], [409, 'CONFLICT']);
    assert.match(conflict.json.error.message, /write again with base_revision 3\.$/);
    assert.equal(conflict.json.data.conflicts[0].current, 'FIRST');
    await collaborate(ada, '/briefs/ada/merged', grace, 'write');
    const { data } = await ada.post('/user/briefs', { name: 'own', content: 'a' });
    const unconditional = await ticket({ name: 'own' });
    await collaborate(ada, '/briefs/ada/own', grace, 'write');
    await grace.patch('/briefs/ada/own', { content: 'by grace' });
    const refused = await put(unconditional, 'mine');
    assert.equal(refused.status, 412, data.name);
    assert.match(refused.json.error.message, /^base_revision: is required/);
    assert.equal(await textOf('/briefs/ada/own'), 'by grace');
  });

  it('works once, even for two concurrent uploads', async () => {
    for (const [what, url] of Object.entries({
      'a new brief': await ticket({}),
      'a new page': await ticket({ kind: 'page' }),
      'a text': await ticket({ name: 'own', base_revision: 2 }),
      'a file': await fileTicket('note.txt'),
    })) {
      const answers = await Promise.all([1, 2, 3, 4].map((one) => put(url, `# ${what} ${one}`)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, 404, 404, 404], what);
      await assertEnded(url);
    }
    const { data } = await ada.get('/user/files');
    assert.equal(data.filter(({ name }: { name: string }) => name === 'note.txt').length, 1);
  });

  it('still works after a failed upload', async () => {
    const url = await ticket({ name: 'retried' });
    const failing: [body: string | Uint8Array<ArrayBuffer>, status: number, problem: RegExp][] = [
      ['', 400, /^body: is empty/],
      [new Uint8Array([0x23, 0xff, 0xfe]), 400, /^body: is not UTF-8/],
      ['a\0b', 400, /U\+0000/],
      ['x'.repeat(900 * 1024 + 1), 413, /^body: is too large. The limit is 921600 bytes/],
    ];
    for (const [body, status, problem] of failing) {
      const { json, ...answer } = await put(url, body);
      assert.equal(answer.status, status);
      assert.match(json.error.message, problem);
    }
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x78)),
    });
    const chunked = await put(url, 'x', { body: endless, duplex: 'half' } as RequestInit).catch(
      () => undefined,
    );
    assert.ok(chunked === undefined || chunked.status === 413);
    const zipped = await put(url, 'x', { headers: { 'content-encoding': 'gzip' } });
    assert.equal(zipped.status, 400);
    await breakOff(url);
    assert.equal((await ada.get('/briefs/ada/retried')).status, 404);
    assert.equal((await put(url, 'at last')).json.revision, 1);
    const picture = await fileTicket('x.png');
    assert.equal((await put(picture, 'text')).status, 422);
    assert.equal((await put(picture, new Uint8Array(PNG))).status, 201);
  });

  /** Sends half of the announced bytes, then disconnects. */
  async function breakOff(url: string): Promise<void> {
    const headers = { 'content-length': '1000' };
    const sending = request(url, { method: 'PUT', headers });
    const closed = new Promise((resolve) => sending.on('close', resolve).on('error', resolve));
    sending.write('x'.repeat(500), () => setTimeout(() => sending.destroy(), 50));
    await closed;
  }

  it('other methods and origins are refused without a ticket', async () => {
    const url = await ticket({ name: 'methods' });
    const never = `${service.baseUrl}/uploads/${'n'.repeat(32)}`;
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
      const origin = 'https://evil.example';
      const headers = { origin, 'access-control-request-method': 'PUT' };
      const [answer, other] = await Promise.all(
        [url, never].map(async (each) => readAnswer(await fetch(each, { method, headers }))),
      );
      assert.ok(answer);
      assertError(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), 'PUT', method);
      assert.equal(answer?.text, other?.text);
      assert.equal(answer?.headers.get('access-control-allow-origin'), null);
      assert.equal(answer?.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(answer?.headers.get('cache-control'), 'private, no-store');
    }
    const { headers } = await put(url, 'x', { headers: { origin: 'https://evil.example' } });
    assert.equal(headers.get('access-control-allow-origin'), null);
  });

  it('expires with its time limit, its token, its account or its document', async () => {
    const { context } = service.app;
    const endings: Record<string, (url: string) => Promise<void>> = {
      'a deleted document': async () => {
        await ada.delete('/briefs/ada/ending');
        await ada.post('/user/briefs', { name: 'ending', content: 'Another' });
      },
      'a disabled account': async (url) => {
        await setAccountDisabled(context, 'ada', true);
        await assertEnded(url);
        await setAccountDisabled(context, 'ada', false);
        await ada.delete('/briefs/ada/ending');
      },
      'an account that the provider lets in no longer': async (url) => {
        const { id } = (await ada.get('/user')).data;
        await context.sql.transaction((tx) => updateRefused(tx, id, context.now()));
        await assertEnded(url);
        await context.sql.transaction((tx) => updateRefused(tx, id, null));
        await ada.delete('/briefs/ada/ending');
      },
      'a token older than the server lets them get': async (url) => {
        service.advance(2);
        context.tokenLifetimeMs = 1;
        await assertEnded(url);
        context.tokenLifetimeMs = undefined;
        await ada.delete('/briefs/ada/ending');
      },
      'its time': async () => {
        service.advance(TICKET_LIFETIME_MS);
      },
    };
    for (const [what, end] of Object.entries(endings)) {
      await ada.post('/user/briefs', { name: 'ending', content: 'a' });
      const url = await ticket({ name: 'ending' });
      await end(url);
      await assertEnded(url);
      assert.notEqual(await textOf('/briefs/ada/ending'), 'late', what);
    }
    assert.ok((await sweepTickets(context)) > 0);
    const { token, id } = await createToken(context, {
      username: 'ada',
      name: 'short',
      lifetimeMs: undefined,
    });
    const short = await connect(service, token);
    const url = await ticket({ name: 'revoked' }, short);
    await revokeToken(context, id);
    await assertEnded(url);
    await short.close();
  });

  it('follows a rename of its document', async () => {
    await ada.post('/user/briefs', { name: 'before', content: 'a' });
    const url = await ticket({ name: 'before' });
    await ada.patch('/briefs/ada/before', { name: 'after' });
    await ada.post('/user/briefs', { name: 'before', content: 'Another' });
    assert.match((await put(url, 'b')).json.url, /\/ada\/after$/);
    assert.equal(await textOf('/briefs/ada/before'), 'Another');
  });

  it('has only the account’s permissions at the time of the upload', async () => {
    const path = '/briefs/grace/shared';
    await grace.post('/user/briefs', { name: 'shared', content: 'a', visibility: 'private' });
    await collaborate(grace, path, ada, 'write');
    const [forbidden, unseen] = [
      await ticket({ owner: 'grace', name: 'shared', base_revision: 1 }),
      await ticket({ owner: 'grace', name: 'shared', base_revision: 1 }),
    ];
    await grace.put(`${path}/collaborators/ada`, { permission: 'read' });
    assert.equal((await put(forbidden, 'b')).status, 403);
    await grace.delete(`${path}/collaborators/ada`);
    assert.equal((await put(unseen, 'b')).status, 404);
    assert.equal((await grace.get(path)).data.content, 'a');
  });

  it('an account gets 300 tickets in 15 minutes', async () => {
    const { context } = service.app;
    const mary = await service.user('mary');
    const { id } = (await mary.get('/user')).data;
    const [token] = await listAccountTokens(context, 'mary');
    const actor: Actor = {
      id,
      username: 'mary',
      scopes: ALL_SCOPES,
      credentialId: token?.id as string,
      via: { means: 'token', name: 'test' },
    };
    const issue = () => issueFileTicket(callOf(context, actor), { name: 'a', claimedType: '' });
    for (let count = 0; count < 300; count++) await issue();
    await assert.rejects(issue(), TooManyAttempts);
  });

  it('is not issued for a read-only token', async () => {
    const { token } = await createToken(service.app.context, {
      username: 'ada',
      name: 'reader',
      lifetimeMs: undefined,
      scopes: ['documents:read'],
    });
    const reader = await connect(service, token);
    for (const [tool, args] of [
      ['publish_document', { upload: true }],
      ['files', { action: 'upload', name: 'a.txt' }],
    ] as const) {
      await assert.rejects(reader.call(tool, args), /Insufficient scope/);
    }
    await reader.close();
  });

  for (const [what, end] of [
    ['grant', disconnectApplication],
    [
      'permission to write',
      (...[call, id]: Parameters<typeof disconnectApplication>) =>
        narrowApplication(call, id, ['documents:read']),
    ],
  ] as const) {
    it(`ends with the application’s ${what}`, { skip: clientMissing }, async () => {
      const username = `grete-${what.length}`;
      const { id } = (await (await service.user(username)).get('/user')).data;
      const visitor = await signedIn(service, id);
      const tokens = await obtainTokens(service, visitor, await register(service));
      const application = await connect(service, tokens.access_token);
      const [used, url] = [await ticket({}, application), await ticket({}, application)];
      assert.equal((await put(used, '# By an application')).status, 201);
      const { context } = service.app;
      const actor = { id, username, scopes: [], via: VIA_WEB };
      const [connected] = await listConnectedApplications(callOf(context, actor));
      await end(callOf(context, actor), connected?.id ?? '');
      await assertEnded(url);
      await application.close();
    });
  }

  it('no odd path or body causes a server error', async () => {
    const url = await ticket({ name: 'fuzzed' });
    const odd = ['/', '/x', '%00', '%', '.', 'A', '%2e%2e', '\\'].map((end) => url + end);
    const shorter = Array.from({ length: 6 }, (_, index) => url.slice(0, -1 - index * 6));
    for (const each of [...odd, ...shorter, `${service.baseUrl}/uploads`]) {
      for (const body of ['{"a":', new Uint8Array([0xc3, 0x28])]) {
        const { status } = await put(each, body);
        assert.ok(status >= 400 && status < 500, `${each} ${status}`);
      }
    }
  });
});

describe('Limits of tickets', () => {
  it('guesses count per IP address, attempts with a ticket per account', async () => {
    const service = await startService({ RATE_LIMIT_API: '4/1m' });
    const put = async (url: string) => (await fetch(url, { method: 'PUT' })).status;
    try {
      const { token } = await service.user('ada');
      const args = { action: 'upload', name: 'a.txt' };
      const [{ result }] = messagesOf(await post(service, token, call('files', args)));
      const { url } = result.structuredContent.upload;
      const guesses: number[] = [];
      for (let count = 0; count < 6; count++) {
        guesses.push(await put(`${service.baseUrl}/uploads/${'g'.repeat(32)}`));
      }
      assert.deepEqual(guesses.slice(3), [404, 429, 429]);
      for (let count = 0; count < FIXED_LIMITS.uploadAttempt.count; count++) {
        assert.equal(await put(url), 400);
      }
      assert.equal(await put(url), 429);
    } finally {
      await service.stop();
    }
  });
});
