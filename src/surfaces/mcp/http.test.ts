import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import {
  assertError,
  type Client,
  readAnswer,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { call, message, messagesOf, post, readingOf } from '../../../test/mcp/agent.ts';
import { exchange } from '../../../test/raw-http.ts';
import { BackEndUnavailable } from '../../base/errors.ts';
import { type Scope, TOOL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { DOCUMENT_TOOLS, TOOLS } from '../../tools.ts';

const MB = 1024 * 1024;
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
describe('The tool-call surface over HTTP', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  const send = (body: unknown, headers?: Record<string, string>) =>
    post(service, ada.token, body, headers);

  it('without a valid token: 401 with the authorization server', async () => {
    for (const token of [undefined, 'brf_wrong']) {
      const answer = await post(service, token, message('tools/list'));
      assertError(answer, 401, 'UNAUTHORIZED');
      const challenge = answer.headers.get('www-authenticate') ?? '';
      const metadata = `${service.webUrl}/.well-known/oauth-protected-resource/api/mcp`;
      assert.ok(challenge.startsWith('Bearer '));
      assert.ok(challenge.includes(`resource_metadata="${metadata}"`));
      assert.equal(challenge.includes('error="invalid_token"'), token !== undefined);
    }
  });

  it('a name that isn’t text matches no tool', async () => {
    let deep: unknown = 'whoami';
    for (let depth = 0; depth < 90; depth++) deep = [deep];
    for (const name of [{ toString: 'whoami' }, { valueOf: 1, toString: 1 }, deep, ['whoami'], 1]) {
      const answer = await send(message('tools/call', { name, arguments: {} }));
      assert.equal(answer.status, 200, answer.text.slice(0, 200));
      const [reply] = messagesOf(answer);
      assert.equal(reply?.error?.code, -32_602);
    }
  });

  it('other methods than POST are 405', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const headers = { authorization: `Bearer ${ada.token}`, accept: 'text/event-stream' };
      const answer = await readAnswer(await fetch(`${service.baseUrl}/mcp`, { method, headers }));
      assertError(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), 'POST');
    }
    const unknown = await readAnswer(
      await fetch(`${service.baseUrl}/mcp/x`, {
        headers: { authorization: `Bearer ${ada.token}` },
      }),
    );
    assertError(unknown, 404, 'NOT_FOUND');
  });

  it('answers in a form that the Accept header allows', async () => {
    const [json, stream] = ['application/json', 'text/event-stream'];
    /** The header, and the forms that it allows. */
    const cases: [accept: string, forms: string[]][] = [
      ['*/*', [json, stream]],
      ['', [json, stream]],
      ['application/json, text/event-stream', [json, stream]],
      ['Application/JSON;q=0.9, TEXT/event-stream ; q=0.1', [json, stream]],
      ['application/*, text/*', [json, stream]],
      ['*/*, application/json', [json, stream]],
      ['application/json', [json]],
      ['application/json; charset=utf-8', [json]],
      ['text/html, application/json;q=0.9, */*;q=0', [json]],
      ['text/event-stream;q=0, */*', [json]],
      ['text/event-stream', [stream]],
      ['text/*', [stream]],
      ['application/json;q=0, text/event-stream', [stream]],
      ['text/html', []],
      ['*/*;q=0', []],
      ['xapplication/jsonx, text/event-streams', []],
      ['application/json;q=0,text/event-stream;q=0', []],
      [';;;,,', []],
    ];
    for (const [accept, forms] of cases) {
      for (const asked of [message('ping'), call('whoami')]) {
        const answer = await send(asked, { accept });
        assert.equal(answer.status, forms.length > 0 ? 200 : 406, `${accept}: ${answer.text}`);
        if (forms.length === 0) continue;
        const type = answer.headers.get('content-type')?.replace(/;.*/, '') ?? '';
        assert.ok(forms.includes(type), `${accept} got ${type}`);
        const [reply, ...others] = messagesOf(answer);
        assert.deepEqual([reply.id, others, 'result' in reply], [1, [], true], accept);
      }
    }
    const { port } = new URL(service.webUrl);
    const body = JSON.stringify(message('ping'));
    const { answers } = await exchange(
      Number(port),
      `POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
        `Connection: close\r\n\r\n${body}`,
    );
    assert.equal(answers[0]?.status, 200, 'without the header');
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    for (const accept of [json, stream]) {
      const headers = { accept, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
      const answer = await send(message('tools/list', { _meta: modern }), headers);
      assert.match(answer.headers.get('content-type') ?? '', new RegExp(`^${accept}`), answer.text);
      assert.equal(messagesOf(answer)[0].result.tools.length, TOOLS.length);
    }
    const listen = { notifications: { toolsListChanged: true }, _meta: modern };
    const refused = await send(message('subscriptions/listen', listen), {
      accept: json,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    });
    assert.equal(refused.status, 406, 'a stream can’t be JSON');
  });

  it('other origins and foreign host names are refused', async () => {
    const { port } = new URL(service.webUrl);
    const refused = ['https://evil.example', 'null', `http://localhost.evil.example:${port}`, 'x'];
    for (const origin of refused) {
      assertError(await send(message('tools/list'), { origin }), 403, 'FORBIDDEN', /^Origin: /);
    }
    const allowed = [service.webUrl, 'http://localhost:6274', 'http://127.0.0.1', 'http://[::1]:5'];
    for (const origin of allowed) {
      assert.equal((await send(message('tools/list'), { origin })).status, 200, origin);
    }
    const body = JSON.stringify(message('tools/list'));
    const raw = async (host: string) => {
      const { answers } = await exchange(
        Number(port),
        `POST /api/mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ada.token}\r\n` +
          'Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n' +
          `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      return answers[0]?.status;
    };
    assert.equal(await raw('evil.example'), 403);
    assert.equal(await raw(`evil.example:${port}`), 403);
    assert.equal(await raw(`127.0.0.1:${port}`), 200);
    assert.equal(await raw('192.0.2.1'), 200);
  });

  it('browsers can send a bearer header, never cookies', async () => {
    const preflight = await fetch(`${service.baseUrl}/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:6274',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
    assert.match(
      preflight.headers.get('access-control-allow-headers') ?? '',
      /Mcp-Protocol-Version/,
    );
    const answer = await send(message('tools/list'));
    assert.match(answer.headers.get('cache-control') ?? '', /^private/);
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /WWW-Authenticate/);
  });

  it('an invalid message is refused in the protocol’s format', async () => {
    const faults: [unknown, number][] = [
      ['{', -32700],
      ['', -32700],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"x":1}}}', -32700],
      [[message('tools/list'), message('tools/list')], -32600],
      ['"text"', -32600],
      ['null', -32600],
    ];
    for (const [body, code] of faults) {
      const answer = await send(body);
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.code, code, String(body));
    }
    assert.equal((await send(message('tools/list'), { 'content-type': 'text/plain' })).status, 415);
    const unknown = await send(message('nothing/known'));
    assert.equal(messagesOf(unknown)[0].error.code, -32601);
    const version = await send(message('tools/list'), { 'mcp-protocol-version': '1999-01-01' });
    assert.equal(version.status, 400);
    assert.ok(version.json.error.code < 0);
  });

  it('a body of 6 MB is accepted, one more byte isn’t', async () => {
    const frame = JSON.stringify(call('whoami', { pad: '' }));
    const body = (bytes: number) =>
      frame.replace('"pad":""', `"pad":"${'x'.repeat(bytes - frame.length)}"`);
    const full = await send(body(6 * MB));
    assert.equal(full.status, 200);
    assert.match(messagesOf(full)[0].result.content[0].text, /^INVALID_ARGUMENT: pad: /);
    assertError(await send(body(6 * MB + 1)), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('content at its limit is accepted, one more byte is an invalid argument', async () => {
    const limits = { brief: 900 * 1024, page: 5 * MB };
    const inBytes = (count: number) => `${count.toLocaleString('en')} bytes`;
    for (const [kind, bytes] of Object.entries(limits)) {
      const publish = async (size: number) => {
        const args = { kind, name: 'limit', content: 'é'.repeat(size / 2) + 'x'.repeat(size % 2) };
        return messagesOf(await send(call('publish_document', args)))[0].result;
      };
      assert.equal(readingOf((await publish(bytes)).content[0].text).document.sizeBytes, bytes);
      const over = await publish(bytes + 1);
      assert.equal(over.isError, true);
      const expected = `INVALID_ARGUMENT: content: the text has ${inBytes(bytes + 1)}. The limit is ${inBytes(bytes)}.`;
      assert.ok(over.content[0].text.startsWith(expected), over.content[0].text);
    }
  });

  it('arguments that don’t match the schema are named', async () => {
    const cases: [string, object, RegExp][] = [
      ['publish_document', {}, /^INVALID_ARGUMENT: content: give either this or upload/],
      ['publish_document', { content: 1.5 }, /content: must be a string/],
      [
        'publish_document',
        { content: 'x', titel: 'y' },
        /titel: is not a known argument; known are kind, content, upload,/,
      ],
      [
        'publish_document',
        { content: 'x', visibility: 'secret' },
        /visibility: must be one of public/,
      ],
      ['publish_document', { content: 'a\ud800' }, /content: must be well-formed Unicode/],
      ['publish_document', { content: 'a\0' }, /content: must be well-formed Unicode/],
      ['read_document', { owner: 'ada', name: ['x'] }, /name: must be a string/],
      [
        'edit_document',
        { owner: 'ada', name: 'x', edits: [{ op: 'replace', old: 'a' }] },
        /edits\.0\.new: is needed/,
      ],
      ['whoami', { page: 'two' }, /page: must be an integer/],
    ];
    for (const [name, args, expected] of cases) {
      const [answer] = messagesOf(await send(call(name, args)));
      assert.equal(answer.result?.isError, true, JSON.stringify(answer));
      assert.match(answer.result.content[0].text, expected);
      assert.equal(answer.result._meta.error.code, 'INVALID_ARGUMENT');
    }
    for (const name of ['nothing', 'constructor', '__proto__']) {
      const [answer] = messagesOf(await send(call(name)));
      assert.equal(answer.error.code, -32602);
      assert.match(answer.error.message, /There is no tool/);
    }
  });

  it('parameters that don’t match the protocol are named', async () => {
    const cases: [string, object, RegExp][] = [
      [
        'initialize',
        {},
        /params\.protocolVersion: .*; params\.capabilities: .*; params\.clientInfo:/,
      ],
      ['initialize', { ...INITIALIZE, clientInfo: 'x' }, /^params\.clientInfo: /],
      ['tools/list', { cursor: 1 }, /^params\.cursor: /],
      ['tools/call', { name: 1 }, /^params\.name: /],
      ['tools/call', { name: 'whoami', arguments: 'x' }, /^params\.arguments: /],
      ['prompts/list', { cursor: {} }, /^params\.cursor: /],
      ['prompts/get', {}, /^params\.name: /],
      ['prompts/get', { name: 'write_brief', arguments: '' }, /^subject: is required/],
      [
        'prompts/get',
        { name: 'write_brief', arguments: { subject: 1 } },
        /^params\.arguments\.subj/,
      ],
      ['resources/list', { cursor: 1 }, /^params\.cursor: /],
      ['resources/templates/list', { cursor: 1 }, /^params\.cursor: /],
      ['resources/read', {}, /^params\.uri: /],
      ['resources/read', { uri: ['brief://ada/notes'] }, /^params\.uri: /],
    ];
    for (const [method, params, expected] of cases) {
      const [answer] = messagesOf(await send(message(method, params)));
      assert.equal(answer.error?.code, -32602, JSON.stringify(answer));
      assert.match(answer.error.message, expected);
    }
    const [bare] = messagesOf(await send({ jsonrpc: '2.0', id: 1, method: 'initialize' }));
    assert.equal(bare.error?.code, -32602);
    assert.match(bare.error.message, /^params: /);
  });

  it('two concurrent callers with the same id each get their own response', async () => {
    const grace = await service.user('grace');
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const client = index % 2 ? ada : grace;
        const [answer] = messagesOf(await post(service, client.token, call('whoami', {}, 7)));
        return [client.username, answer.id, answer.result.structuredContent.username];
      }),
    );
    for (const [username, id, found] of answers) {
      assert.equal(id, 7);
      assert.equal(found, username);
    }
  });

  it('earlier revisions initialize, without a session', async () => {
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
      const hello = await send(message('initialize', { ...INITIALIZE, protocolVersion }));
      assert.equal(hello.headers.get('mcp-session-id'), null);
      const [{ result }] = messagesOf(hello);
      assert.equal(result.protocolVersion, protocolVersion);
      assert.match(result.instructions, /data that other people wrote/);
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
      assert.equal((await send(note)).status, 202);
      const headers = { 'mcp-protocol-version': protocolVersion };
      const [list] = messagesOf(await send(message('tools/list'), headers));
      assert.equal(list.result.tools.length, TOOLS.length);
    }
    const [{ result }] = messagesOf(
      await send(message('initialize', { ...INITIALIZE, protocolVersion: '2099-01-01' })),
    );
    assert.equal(result.protocolVersion, '2025-11-25');
  });

  it('resources have result pages with a cursor', async () => {
    const eve = await service.user('eve');
    for (let index = 0; index < 51; index++) {
      await eve.post('/user/briefs', { name: `n${index}`, content: 'x' });
    }
    const list = async (cursor?: string) =>
      messagesOf(await post(service, eve.token, message('resources/list', { cursor })))[0];
    const first = (await list()).result;
    assert.equal(first.resources.length, 50);
    const second = (await list(first.nextCursor)).result;
    assert.equal(second.resources.length, 1);
    assert.equal(second.nextCursor, undefined);
    for (const cursor of ['x', '', 'brief.1', first.nextCursor.slice(1)]) {
      assert.equal((await list(cursor)).error.code, -32602, cursor);
    }
  });

  describe('Scopes', () => {
    async function tokenWith(scopes: readonly Scope[]): Promise<string> {
      const input = { username: 'ada', name: 'test', lifetimeMs: undefined, scopes };
      return (await createToken(service.app.context, input)).token;
    }

    it('a tool without its scope is 403 with a challenge, before its arguments are checked', async () => {
      assert.deepEqual(new Set(TOOLS.flatMap(({ scopes }) => scopes)), new Set(TOOL_SCOPES));
      for (const scope of TOOL_SCOPES) {
        const token = await tokenWith(TOOL_SCOPES.filter((other) => other !== scope));
        for (const tool of TOOLS) {
          const answer = await post(service, token, call(tool.name, { wrong: 1 }));
          if (tool.scope !== scope) {
            assert.equal(answer.status, 200, tool.name);
            continue;
          }
          assertError(answer, 403, 'FORBIDDEN', new RegExp(`"${scope}"`));
          assert.equal(
            answer.headers.get('www-authenticate'),
            // Including the token's current scopes, so that the next token keeps them.
            `Bearer error="insufficient_scope", scope="${TOOL_SCOPES.join(' ')}", resource_metadata=` +
              `"${service.webUrl}/.well-known/oauth-protected-resource/api/mcp"`,
          );
        }
      }
    });

    it('an error lists the needed scopes; on connecting, those of all tools', async () => {
      const challengeOf = async (token: string | undefined, headers: Record<string, string>) => {
        const answer = await post(service, token, call('set_member', {}), headers);
        return [answer.status, answer.headers.get('www-authenticate')] as const;
      };
      const token = await tokenWith(['profile']);
      const metadata = `resource_metadata="${service.webUrl}/.well-known/oauth-protected-resource/api/mcp"`;
      const everything = TOOL_SCOPES.join(' ');
      const asked = { 'mcp-method': 'tools/call', 'mcp-name': 'share_document' };
      for (const [headers, scope] of [
        [{}, everything],
        [{ 'mcp-method': 'server/discover' }, everything],
        [{ 'mcp-method': 'tools/list' }, everything],
        [{ 'mcp-method': 'tools/call', 'mcp-name': '__proto__' }, everything],
        [asked, 'sharing'],
        [{ ...asked, 'mcp-name': 'publish_document' }, 'documents:write'],
        [{ 'mcp-method': 'resources/read', 'mcp-name': 'brief://ada/x' }, 'documents:read'],
      ] as const) {
        const expected = [401, `Bearer scope="${scope}", ${metadata}`];
        assert.deepEqual(await challengeOf(undefined, headers), expected);
      }
      const [, expired] = await challengeOf('brf_wrong', asked);
      assert.equal(expired, `Bearer error="invalid_token", scope="sharing", ${metadata}`);
      const [status, missing] = await challengeOf(token, {});
      assert.equal(status, 403);
      assert.match(
        missing ?? '',
        /^Bearer error="insufficient_scope", scope="organizations profile",/,
      );
    });

    it('resources need documents:read; lists are visible with every token', async () => {
      const token = await tokenWith(['profile']);
      for (const method of ['resources/list', 'resources/read']) {
        const answer = await post(service, token, message(method, { uri: 'brief://ada/x' }));
        assertError(answer, 403, 'FORBIDDEN', /documents:read/);
      }
      for (const method of ['tools/list', 'prompts/list', 'resources/templates/list']) {
        assert.equal((await post(service, token, message(method))).status, 200);
      }
    });
  });
});

describe('What hosts list', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  /** A host pays for the list in each conversation: about a token for every four bytes. */
  for (const [query, tokens, count] of [
    ['', 5_000, TOOLS.length],
    ['?tools=documents', 2_500, DOCUMENT_TOOLS.length],
  ] as const) {
    it(`the tools at /mcp${query} cost at most ${tokens} tokens`, async (test) => {
      const listed = await post(service, ada.token, message('tools/list'), {}, query);
      const [{ result }] = messagesOf(listed);
      const cost = Math.ceil(Buffer.byteLength(JSON.stringify(result)) / 4);
      test.diagnostic(`${result.tools.length} tools, ${cost} tokens`);
      assert.equal(result.tools.length, count);
      assert.ok(cost <= tokens, `${cost} tokens`);
    });
  }

  it('an address offers only its tools, and requests only their scopes', async () => {
    const ask = (body: object, token?: string) =>
      post(service, token, body, {}, '?tools=documents');
    const [{ error }] = messagesOf(await ask(call('set_organization', {}), ada.token));
    assert.match(error.message, /no tool "set_organization"/);
    const [{ result }] = messagesOf(await ask(call('search_documents'), ada.token));
    assert.match(result.content[0].text, /^Documents: 0/);
    const challenge = (await ask(message('tools/list'))).headers.get('www-authenticate') ?? '';
    assert.match(challenge, /scope="documents:read documents:write comments"/);
    const wrong = await post(service, ada.token, message('tools/list'), {}, '?tools=x');
    assertError(
      wrong,
      400,
      'BAD_REQUEST',
      /^tools: there is no "x"\. Known are all, documents, read/,
    );
  });
});

describe('Chosen tools', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  async function namesAt(query: string, token: string | undefined = ada.token): Promise<string[]> {
    const answer = await post(service, token, message('tools/list'), {}, query);
    assert.equal(answer.status, 200, `${query} ${answer.text}`);
    return messagesOf(answer)[0].result.tools.map(({ name }: { name: string }) => name);
  }

  it('are those that the address names, in our order', async () => {
    const all = TOOLS.map(({ name }) => name);
    const documents = DOCUMENT_TOOLS.map(({ name }) => name);
    const read = [
      'whoami',
      'search_documents',
      'read_document',
      'inbox',
      'wait_for_feedback',
      'list_access',
      'get_organization',
    ];
    for (const [query, expected] of [
      ['?tools=all', all],
      ['?tools=read', read],
      ['?tools=documents', documents],
      ['?tools=whoami', ['whoami']],
      ['?tools=comment,read_document', ['read_document', 'comment']],
      ['?tools=comment%2C%20whoami', ['whoami', 'comment']],
      ['?tools=documents,whoami', ['whoami', ...documents]],
      ['?tools=documents,all', all],
      ['?tools=files&tools=whoami', ['whoami', 'files']],
      ['?tools=files&other=x', ['files']],
    ] as const) {
      assert.deepEqual(await namesAt(query), expected, query);
    }
    for (const query of ['', 'x', 'documents,', 'read,nope', 'Read', '__proto__', 'constructor']) {
      const wrong = await post(service, ada.token, message('ping'), {}, `?tools=${query}`);
      assertError(wrong, 400, 'BAD_REQUEST', /^tools: there is no "/);
    }
    const inboxOf = async (query: string) => {
      const marking = call('inbox', { read_to: 1 });
      const [{ result }] = messagesOf(await post(service, ada.token, marking, {}, query));
      return result.content[0].text;
    };
    assert.match(await inboxOf('?tools=read'), /^INVALID_ARGUMENT: read_to: is not a known/);
    assert.match(await inboxOf('?tools=read,documents'), /^Unread: 0/);
    assert.match(await inboxOf('?tools=read,inbox'), /^Unread: 0/);
    const publish = call('publish_document', { content: 'x' });
    const [{ error }] = messagesOf(await post(service, ada.token, publish, {}, '?tools=read'));
    assert.match(error.message, /no tool "publish_document"/, 'a reading address writes nothing');
  });

  it('are the only ones that the instructions name', async () => {
    const instructionsAt = async (query: string, token = ada.token) => {
      const hello = message('initialize', INITIALIZE);
      const [{ result }] = messagesOf(await post(service, token, hello, {}, query));
      return result.instructions as string;
    };
    for (const query of ['?tools=read', '?tools=whoami', '?tools=documents', '?tools=files', '']) {
      const offered = await namesAt(query);
      const instructions = await instructionsAt(query);
      for (const { name } of TOOLS) {
        // “files” is also a word.
        const isNamed = name !== 'files' && instructions.includes(name);
        assert.ok(offered.includes(name) || !isNamed, `${query} ${name}`);
      }
    }
    assert.match(await instructionsAt('?tools=documents'), /: read_document, then edit_document/);
    assert.doesNotMatch(await instructionsAt('?tools=read'), /To change/);
  });

  it('are those that a personal token’s scopes allow', async () => {
    const tokenWith = async (scopes: Scope[]) => {
      const input = { username: 'ada', name: scopes.join(), lifetimeMs: undefined, scopes };
      return (await createToken(service.app.context, input)).token;
    };
    for (const [scopes, expected] of [
      [
        ['documents:read'],
        ['search_documents', 'read_document', 'inbox', 'wait_for_feedback', 'list_access', 'files'],
      ],
      [['comments'], ['edit_document', 'comment']],
      [['sharing'], ['share_document', 'answer_invitation']],
      [['profile:write'], []],
    ] as [Scope[], string[]][]) {
      const listed = await namesAt('', await tokenWith(scopes));
      assert.deepEqual(listed, ['whoami', ...expected], scopes.join());
    }
    const reader = await tokenWith(['documents:read']);
    const refused = await post(service, reader, call('publish_document', { content: 'x' }));
    assertError(refused, 403, 'FORBIDDEN', /documents:write/);
  });

  it('make an address of its own for applications', async () => {
    const query = '?tools=read,comment';
    const metadata = `${service.webUrl}/.well-known/oauth-protected-resource/api/mcp${query}`;
    const challenge = (await post(service, undefined, message('ping'), {}, query)).headers.get(
      'www-authenticate',
    );
    assert.ok(challenge?.includes(`resource_metadata="${metadata}"`), `${challenge}`);
    const { json } = await readAnswer(await fetch(metadata));
    assert.equal(json.resource, `${service.baseUrl}/mcp${query}`);
    const other = service.baseUrl.replace('localhost', '127.0.0.1');
    const aliased = await fetch(`${other}/mcp`, { method: 'POST' });
    const hint = `error_description="Use the address ${service.baseUrl}/mcp"`;
    assert.ok(aliased.headers.get('www-authenticate')?.includes(hint));
  });
});

describe('The tool-call surface and the budget', () => {
  it('a token has one budget for REST and tools', async () => {
    const service = await startService({ RATE_LIMIT_API: '3/1h' });
    try {
      const ada = await service.user('ada');
      assert.equal((await ada.get('/user')).status, 200);
      const second = await post(service, ada.token, call('whoami'));
      assert.equal(second.headers.get('x-ratelimit-remaining'), '1');
      assert.equal((await ada.get('/user')).status, 200);
      const over = await post(service, ada.token, call('whoami'));
      assertError(over, 429, 'RATE_LIMITED');
      assert.match(over.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal((await ada.get('/user')).status, 429);
    } finally {
      await service.stop();
    }
  });
});

describe('Internal faults', () => {
  it('reveal nothing; an unavailable back end says to retry', async () => {
    const service = await startService();
    const ada = await service.user('ada');
    const { context } = service.app;
    const { newId } = context;
    const publish = async () => {
      const answer = await post(service, ada.token, call('publish_document', { content: '# x' }));
      assert.ok(!answer.text.includes('secret') && !answer.text.includes('/home'));
      return messagesOf(answer)[0].result.content[0].text;
    };
    try {
      context.newId = () => {
        throw new Error('select secret from table at /home/briefs');
      };
      assert.match(await publish(), /^INTERNAL: Something went wrong on our side/);
      context.newId = () => {
        throw new BackEndUnavailable('secret');
      };
      assert.match(await publish(), /^UNAVAILABLE: .*\nWait a few seconds/);
    } finally {
      context.newId = newId;
      await service.stop();
    }
  });

  it('an endlessly nested message is refused', async () => {
    const service = await startService();
    const ada = await service.user('ada');
    try {
      const nested = '['.repeat(200_000) + ']'.repeat(200_000);
      const body = JSON.stringify(call('publish_document', { content: '?' })).replace(
        '"?"',
        nested,
      );
      const answer = await post(service, ada.token, body);
      assert.equal(answer.status, 400);
      assert.match(answer.json.error.message, /nested more than 100 levels deep/);
    } finally {
      await service.stop();
    }
  });
});

describe('Stopping the service', () => {
  it('no stream delays it, and running calls are answered', async () => {
    const service = await startService();
    const ada = await service.user('ada');
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listening = fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ada.token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify(
        message('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta }),
      ),
    });
    const stream = await listening;
    assert.equal(stream.status, 200, await stream.clone().text());
    const content = 'x'.repeat(800_000);
    const inFlight = Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        post(service, ada.token, call('publish_document', { name: `n${index}`, content })),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    const start = performance.now();
    await service.stop();
    assert.ok(performance.now() - start < 5_000);
    // Requests that weren't accepted yet are refused.
    for (const answer of await inFlight) {
      if (answer.status === 'fulfilled') assert.equal(answer.value.status, 200);
    }
    await stream.text();
  });
});
