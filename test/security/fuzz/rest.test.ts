import { strict as assert } from 'node:assert';
import { Agent, request as httpRequest } from 'node:http';
import { after, describe, it } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { formFor } from '../../files/samples.ts';
import { type Answer, readAnswer, startService } from '../../harness.ts';
import { UNSENT_MAIL } from '../../mail/post-office.ts';
import { dereference, openApiChecker } from '../../openapi-checker.ts';
import { goodRequest, type Operation, operationsOf } from './operations.ts';
import { fillIn, type RandomRequest, requestTo, type Sent } from './requests.ts';
import { restRuns } from './runs.ts';
import { type CallerName, makeStage, OF_THE_BYSTANDER, SECRET, WITHOUT_TOKEN } from './stage.ts';

const FURNISH_EVERY = 40;
const LOOK_AFTER_BYSTANDER_EVERY = 250;

/** For an encoded path segment. */
const MAX_SEGMENT_LENGTH = 1_500;

const STATUSES: Record<string, number> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  CONTENT_TOO_LARGE: 413,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
};

/** What else can be wrong with a request, each of which could be answered first. */
const FAULTS: { query?: string; body?: string; headers?: Record<string, string> }[] = [
  ...['per_page=0', 'per_page=101', 'page=x', 'page=1&page=2', 'state=x'].map((query) => ({
    query,
  })),
  ...['*', '"x"', 'x', 'W/"x"', '"', ','].map((tag) => ({
    headers: { 'if-match': tag, 'if-none-match': tag },
  })),
  ...[
    '{}',
    '[]',
    '{"content":',
    '{"__proto__":{}}',
    '{"role":"admin"}',
    '{"content":1,"permission":1,"visibility":1}',
    '{"name":"a/b"}',
    '{"name":"notes","content":"x","html":"x"}',
    '{"visibility":"internal"}',
  ].map((body) => ({ body })),
  { body: '{}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  { body: '{}', headers: { 'content-type': '' } },
  { body: '{}', headers: { 'content-type': 'json' } },
  { body: 'x', headers: { 'content-encoding': 'gzip' } },
];

/** Texts over the limits of a body and of a brief. */
const LARGE = [1024 * 1024, 900 * 1024 + 1].map((bytes) => ({
  body: `{"content":"${'x'.repeat(bytes)}"}`,
}));

/** Parts of a path below a document that name nothing. */
const ODD_PARTS = {
  username: '%00',
  inviteId: 'x',
  thread: 'x',
  comment: '%F0%9F%98%80',
  linkId: '%25',
};

/** Fields that identify one request, or the time. */
const VARYING = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The parts of a response that a caller could compare. */
function comparable({ status, text, headers }: Answer): unknown {
  return { status, text, headers: [...headers].filter(([name]) => !VARYING.includes(name)) };
}

describe('The API, fuzzed from its OpenAPI document', async () => {
  const agent = new Agent({ keepAlive: true });
  const ajv = new Ajv({ strict: false, validateFormats: false });

  const service = await startService(UNSENT_MAIL);
  const stage = await makeStage(service);
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const operations = operationsOf(dereference(document));
  const check = openApiChecker(document);
  after(async () => {
    agent.destroy();
    await stage.service.stop();
  });

  /** Sends a request unchanged: `fetch` would fix some of its oddities. */
  function send({ method, path, headers, body }: Sent): Promise<Answer> {
    const { port, baseUrl } = stage.service.config;
    const prefix = new URL(baseUrl).pathname;
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        { agent, port, host: '127.0.0.1', method, path: prefix + path, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const { statusCode: status = 0, headersDistinct } = response;
            const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
              values.map((value): [string, string] => [name, value]),
            );
            const text = Buffer.concat(chunks);
            const bytes = text.length > 0 ? text : null;
            resolve(readAnswer(new Response(bytes, { status, headers: pairs })));
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Requirements for every response. */
  function judge({ method, path, isBad }: Sent, request: RandomRequest, answer: Answer): void {
    const { status, headers, text } = answer;
    const { caller, operation } = request;
    assert.ok(status < 500);
    assert.ok(headers.get('x-request-id'));
    assert.ok(!text.includes(SECRET) && !JSON.stringify([...headers]).includes(SECRET));
    const expected = only({ method, path }, caller, operation);
    if (expected) assert.equal(status, expected);
    if (method === 'HEAD' || status === 204) assert.equal(text, '');
    if (method === 'HEAD') return;
    if (status >= 400) assertErrorShape(answer);
    if (method === 'OPTIONS') return;
    check(method, path, answer);
    // A renamed document redirects, whatever else is wrong with the request.
    const isRefused = status >= 400 || status === 308;
    if (isBad && method === operation.method) assert.ok(isRefused, 'was not refused');
    if (status === 400 && isReadable(path)) {
      assert.match(answer.json.error.message, /: /, 'says what is wrong');
    }
  }

  /** The only possible status of a request, if there is only one. */
  function only(
    { method, path }: Pick<Sent, 'method' | 'path'>,
    caller: CallerName,
    operation: Operation,
  ): number | undefined {
    // If there is no such route, nothing else matters.
    if (!isReadable(path)) return method === operation.method ? 400 : undefined;
    if (method === 'OPTIONS') return 204;
    if (WITHOUT_TOKEN.includes(caller)) return 401;
    const isLimited = caller === 'limited' && operation.scope !== 'profile';
    return isLimited && method === operation.method ? 403 : undefined;
  }

  const allowedBy = ({ body }: Operation) => (body ? ajv.compile(body) : () => true);

  it('every operation: a valid request succeeds, invalid ones are refused', async () => {
    const templates = operations.map(
      ({ template }) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    );
    let names = 0;
    const newName = () => `made-${++names}`;
    let isDisturbed = false;
    for (const operation of operations) {
      const { method, formField, id, body, pathParameters } = operation;
      if (isDisturbed) await stage.furnish();
      const isByAdmin = /^\/admin\/(briefs|pages|reports|invitations)/.test(operation.template);
      isDisturbed =
        !isByAdmin && (method === 'PATCH' || method === 'DELETE' || /Suggestions$|^move/.test(id));
      const good = goodRequest(stage, operation, newName);
      const client = stage.clients[good.caller];
      const json = { 'content-type': 'application/json' };
      const done = await client.request(good.path, {
        method,
        ...(body && { body: JSON.stringify(good.body), headers: json }),
        ...(formField && { body: formFor(formField) }),
      });
      assert.ok(done.status < 300, `${id}: ${done.status} ${done.text}`);
      if (done.status === 201) {
        const location = done.headers.get('location') ?? '';
        const path = location.replace(stage.service.baseUrl, '');
        assert.ok(
          templates.some((template) => template.test(path)),
          `${id}: ${location}`,
        );
      }

      const refusals = [
        await stage.clients.nobody.request(good.path, { method }),
        ...(pathParameters.length > 0
          ? [await client.request(good.path.replace(/\/[^/]*$/, '/%00'), { method })]
          : []),
      ];
      for (const { status, text } of refusals) {
        // A renamed document redirects, whatever else is wrong with the request.
        const isRefused =
          (status >= 400 && status < 500) || (status === 308 && id.startsWith('move'));
        assert.ok(isRefused, `${id}: ${status} ${text}`);
      }
    }
    await stage.assertUntouched();
  });

  /** Sends a request that is good but for its fault. */
  function ask(
    { method, body: schema }: Operation,
    caller: CallerName,
    { path, body }: ReturnType<typeof goodRequest>,
    fault: (typeof FAULTS)[number],
  ): Promise<Answer> {
    const query = fault.query ? `${path.includes('?') ? '&' : '?'}${fault.query}` : '';
    return stage.clients[caller].request(path + query, {
      method,
      headers: { ...(schema && { 'content-type': 'application/json' }), ...fault.headers },
      ...(schema && { body: fault.body ?? JSON.stringify(body) }),
    });
  }

  it('every operation, aimed at another user’s data: reveals none of it', async () => {
    await stage.furnish();
    const json = { 'content-type': 'application/json' };
    for (const operation of operations) {
      const { method, id, body: schema } = operation;
      const { path, body } = goodRequest(stage, operation, () => 'vault', OF_THE_BYSTANDER);
      const sent = schema && { body: JSON.stringify(body), headers: json };
      const { text } = await stage.clients.stranger.request(path, { method, ...sent });
      assert.ok(!text.includes(SECRET), `${id}: ${text}`);
    }
    await stage.assertUntouched();
  });

  it('every operation below a document that the caller can’t see, with any fault: answers as below none', async () => {
    await stage.furnish();
    const fewer = FAULTS.filter(({ body }) => body === '{"content":' || body === '{}');
    const hidden: [CallerName, owner: string, name: string, faults: typeof FAULTS][] = [
      ['stranger', 'bystander', 'vault', [...FAULTS, ...LARGE]],
      ['stranger', 'cellar', 'vault', fewer],
      ['invitee', 'ada', 'notes', fewer],
      ['stranger', 'nobody', 'absent', []],
      ['stranger', 'a--b', 'absent', []],
      ['stranger', 'bystander', '%20', []],
    ];
    const below = operations.filter(({ template }) => /^\/\w+\/{owner}\/{name}/.test(template));
    assert.ok(below.length > 50, `${below.length}`);
    for (const operation of below) {
      const at = (names: Record<string, string>) =>
        goodRequest(stage, operation, () => 'made', names);
      const none = await ask(operation, 'stranger', at({ owner: 'bystander', name: 'absent' }), {});
      for (const [caller, owner, name, faults] of hidden) {
        const good = at({ owner, name });
        if (operation.method === 'GET') {
          const head = await ask({ ...operation, method: 'HEAD' }, caller, good, {});
          assert.deepEqual(comparable(head), comparable({ ...none, text: '' }));
        }
        const odd = at({ owner, name, ...ODD_PARTS });
        const sent = [{}, ...faults].map((fault) => [good, fault] as const);
        if (odd.path !== good.path)
          sent.push(...[{}, ...fewer].map((fault) => [odd, fault] as const));
        for (const [request, fault] of sent) {
          const answer = await ask(operation, caller, request, fault);
          const about = `${caller}: ${request.path}, ${JSON.stringify(fault).slice(0, 200)}`;
          assert.equal(answer.status, 404, `${about}: ${answer.text}`);
          assert.deepEqual(comparable(answer), comparable(none), about);
        }
      }
    }
    await stage.assertUntouched();
  });

  it('every operation that the caller may not do, with any fault: 403', async () => {
    await stage.furnish();
    // These refuse by whose it is and what is in the body, too.
    const later = /\/(edits|suggestions\/\w+|threads\/{thread}|comments\/{comment})$/;
    let refused = 0;
    for (const operation of operations.filter(({ template }) => !later.test(template))) {
      // Who may do most of those who may not do this.
      for (const caller of ['writer', 'reader', 'fellow', 'stranger'] as const) {
        const good = goodRequest(stage, operation, () => 'made');
        const { status } = await ask(operation, caller, good, {});
        if (status < 300 && operation.method !== 'GET') await stage.furnish();
        if (status !== 403) continue;
        refused++;
        for (const fault of [...FAULTS, ...LARGE]) {
          const { status, text } = await ask(operation, caller, good, fault);
          const about = `${caller}: ${operation.id}, ${JSON.stringify(fault).slice(0, 200)}: ${text}`;
          assert.equal(status, 403, about);
        }
        break;
      }
    }
    assert.ok(refused > 70, `${refused}`);
    await stage.assertUntouched();
  });

  it('random requests: a documented response, no data of others, nothing invalid accepted', async (t) => {
    const tally = new Map<number, number>();
    const reached = new Set<string>();
    let sent = 0;
    let isDisturbed = true;
    const arbitrary = fc.oneof(...operations.map(requestTo));
    const validators = new Map(operations.map((operation) => [operation.id, allowedBy(operation)]));
    const property = fc.asyncProperty(arbitrary, async (request) => {
      if (isDisturbed && sent % FURNISH_EVERY === 0) await stage.furnish();
      if (sent % FURNISH_EVERY === 0) isDisturbed = false;
      if (sent % LOOK_AFTER_BYSTANDER_EVERY === 0) await stage.assertUntouched();
      sent++;
      const { id } = request.operation;
      const filled = fillIn(request, stage, (value) => validators.get(id)?.(value) === true);
      const answer = await send(filled);
      tally.set(answer.status, (tally.get(answer.status) ?? 0) + 1);
      if (answer.status < 300 && !request.method) reached.add(id);
      if (answer.status < 300 && filled.method !== 'GET') isDisturbed = true;
      try {
        judge(filled, request, answer);
      } catch (error) {
        const { method, path, headers, body } = filled;
        const lines = [
          `${request.caller}: ${method} ${path.slice(0, 500)}`,
          JSON.stringify(headers).slice(0, 1_000),
          String(body).slice(0, 1_000),
          `→ ${answer.status} ${answer.text.slice(0, 500)}`,
        ];
        throw new Error(`${(error as Error).message}\n${lines.join('\n')}`);
      }
    });
    await fc.assert(property, { numRuns: restRuns() });
    await stage.assertUntouched();
    const statuses = [...tally].sort(([a], [b]) => a - b).map((pair) => pair.join(': '));
    t.diagnostic(`${sent} requests; ${statuses.join(', ')}; ${reached.size} operations with a 2xx`);
  });
});

function assertErrorShape(answer: Answer): void {
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  // A conflict of texts also has data.
  const { error: _, data, ...others } = answer.json;
  assert.deepEqual(others, {});
  assert.ok(answer.status === 409 || data === undefined);
  const { code, message, ...rest } = answer.json.error;
  assert.deepEqual(rest, {});
  assert.equal(STATUSES[code], answer.status);
  assert.equal(typeof message, 'string');
  assert.doesNotMatch(message, /node_modules|\.[jt]s:\d|SQLITE|sqlite3|select .* from/i);
}

/** Whether a path can be parsed at all, which is checked before authentication. */
function isReadable(path: string): boolean {
  try {
    const segments = path.replace(/[?#].*$/s, '').split('/');
    for (const segment of segments) decodeURIComponent(segment);
    return segments.every(({ length }) => length <= MAX_SEGMENT_LENGTH);
  } catch {
    return false;
  }
}
