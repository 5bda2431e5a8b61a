import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { Ajv } from 'ajv';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { formFor } from '../../../test/files/samples.ts';
import type { Client } from '../../../test/harness.ts';
import { dereference } from '../../../test/openapi-checker.ts';
import { TOOLS, toolsMissing } from '../../../test/tools.ts';
import { VERSION } from '../../base/package.ts';
import { EVENT_TYPES } from '../../base/schema/event.ts';
import { addOperations } from '../../features.ts';
import { createAccountQueue } from '../http/account-queue.ts';
import { createBodyQueue } from '../http/body-queue.ts';
import { createUnread } from '../http/unread.ts';
import { type Furnished, startFurnished } from './body-routes.testing.ts';
import { readBuiltOpenApi } from './built-openapi.ts';
import { createRestSurface } from './server.ts';

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: unknown[];
  examples?: unknown[];
  items?: Schema;
}

interface Content {
  'application/json'?: { schema: Schema };
  'multipart/form-data'?: { schema: Schema };
}

interface OperationObject {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content; headers?: object }>;
}

type Paths = Record<string, Record<string, OperationObject>>;

describe('The OpenAPI document', () => {
  let furnished: Furnished;
  /** The document as served. */
  let served: { components: { schemas: Record<string, Schema> }; info: { contact: object } };
  /** The same with references resolved. */
  let document: { openapi: string; paths: Paths; servers: { url: string }[] };

  before(async () => {
    furnished = await startFurnished();
    const json = await (await fetch(`${furnished.service.baseUrl}/openapi.json`)).json();
    served = json;
    document = dereference(json);
  });
  after(() => furnished.service.stop());

  /** Every operation with its path and method. */
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
        name: `${method.toUpperCase()} ${path}`,
      })),
    );

  it('is OpenAPI 3.1 for this server', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.deepEqual(document.servers, [{ url: furnished.service.baseUrl }]);
  });

  it('has the schemas that clients need', () => {
    const { schemas } = served.components;
    for (const name of [
      'Brief',
      'BriefSummary',
      'CreateBrief',
      'UpdateBrief',
      'Page',
      'PageSummary',
      'CreatePage',
      'UpdatePage',
      'Visibility',
      'Permission',
      'Collaborator',
      'Invitation',
      'Organization',
      'Member',
      'Membership',
      'Role',
      'User',
      'File',
      'Error',
    ]) {
      assert.ok(schemas[name], name);
    }
    assert.ok(schemas.Brief?.properties?.content);
    assert.ok(schemas.Page?.properties?.html);
    // A schema in a path would be an unnamed type.
    const inPaths = JSON.stringify((served as object as { paths: object }).paths);
    assert.doesNotMatch(inPaths, /"title"/);
  });

  const LINT = { skip: toolsMissing };
  it('passes Redocly’s recommended rules and Spectral’s without a warning', LINT, () => {
    // Both warn about a server on localhost, which only tests have.
    const linted = JSON.stringify({ ...served, servers: [{ url: 'https://briefs.test/api' }] });
    const problems = (source: string): unknown[] =>
      JSON.parse(
        execFileSync(process.execPath, [`${TOOLS}/lint-openapi.js`], {
          input: source,
          encoding: 'utf8',
        }),
      );
    assert.deepEqual(problems(linted), []);
    const faulty = linted.replaceAll('"operationId":"getBrief"', '"operationId":"get brief"');
    assert.notDeepEqual(problems(faulty), [], 'the linters find a fault');
  });

  it('is what the operations of the running service describe, and has all its routes', async () => {
    const { app, config } = furnished.service;
    const routes: string[] = [];
    const surface = await createRestSurface(
      {
        config,
        logger: pino({ level: 'silent' }),
        metrics: undefined,
        bodyQueue: createBodyQueue(),
        unread: createUnread(),
      },
      {
        context: app.context,
        limiter: {
          consume: async () => undefined,
          refund: async () => {},
          reset: async () => {},
          ping: async () => {},
          close: async () => {},
        },
        addOperations,
        accountQueue: createAccountQueue(),
        version: VERSION,
        openapi: undefined,
      },
    );
    await surface.ready();
    assert.deepEqual(served, JSON.parse(JSON.stringify(surface.swagger())));
    const table = (surface as FastifyInstance).printRoutes({ commonPrefix: false });
    await surface.close();
    for (const [method, path] of routesOf(table)) routes.push(`${method} ${path}`);
    const documented = operations().map(({ name }) => name);
    assert.deepEqual(routes.sort(), documented.sort());
  });

  it('every operation has a summary, a tag, a unique id and its errors', () => {
    const ids = new Set<string>();
    for (const { name, path, method, operation } of operations()) {
      assert.ok(operation.summary?.length > 5, name);
      assert.equal(operation.tags?.length, 1, name);
      assert.match(operation.operationId, /^[a-z][A-Za-z]+$/, name);
      assert.ok(!ids.has(operation.operationId), name);
      ids.add(operation.operationId);

      const statuses = Object.keys(operation.responses);
      assert.ok(
        statuses.some((status) => /^2/.test(status)),
        name,
      );
      const needed = ['401', '429', '500', '503'];
      if (operation.requestBody) needed.push('400', '413');
      if (operation.parameters?.some((parameter) => parameter.in === 'query')) needed.push('400');
      if (path.includes('{')) needed.push('404');
      for (const status of needed) assert.ok(statuses.includes(status), `${name} lacks ${status}`);

      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]);
      const described = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
      assert.deepEqual(described.map((parameter) => parameter.name).sort(), inPath.sort(), name);
      assert.ok(
        described.every((parameter) => parameter.required),
        name,
      );
      // What these do needs no body.
      const withoutBody = /\/(test|pin|test-mail)$/;
      const takesBody = ['POST', 'PUT'].includes(method) && !withoutBody.test(path);
      if (takesBody) assert.ok(operation.requestBody, name);
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.ok(response.description, `${name} ${status}`);
        if (Number(status) >= 400) assert.ok(response.content?.['application/json'], name);
      }
    }
  });

  it('names the headers of writes: where it is, and which revision', () => {
    const sent = (id: string, status: number) => {
      const found = operations().find(({ operation }) => operation.operationId === id);
      const headers = Object.keys(found?.operation.responses[status]?.headers ?? {});
      return headers.filter((name) => ['Location', 'X-Revision', 'X-Merged'].includes(name));
    };
    const search = operations().find(
      ({ operation }) => operation.operationId === 'searchDocuments',
    );
    assert.ok('X-Search-Pending' in (search?.operation.responses[200]?.headers ?? {}));
    // The client of all tests checks that responses have exactly these.
    for (const title of ['Brief', 'Page']) {
      assert.deepEqual(sent(`createOwn${title}`, 201), ['Location', 'X-Revision']);
      assert.deepEqual(sent(`create${title}`, 201), ['Location', 'X-Revision']);
      assert.deepEqual(sent(`update${title}`, 200), ['X-Revision', 'X-Merged']);
      assert.deepEqual(sent(`move${title}`, 200), ['Location', 'X-Revision']);
      assert.deepEqual(sent(`restore${title}Revision`, 200), ['X-Revision']);
      assert.deepEqual(sent(`accept${title}Suggestions`, 200), ['X-Revision']);
      assert.deepEqual(sent(`edit${title}`, 200), ['X-Revision', 'X-Merged']);
      assert.deepEqual(sent(`edit${title}`, 201), ['Location']);
      assert.deepEqual(sent(`open${title}Thread`, 201), ['Location']);
    }
    assert.deepEqual(sent('restoreDocument', 200), ['Location', 'X-Revision']);
    assert.deepEqual(sent('createOrganization', 201), ['Location']);
    assert.deepEqual(sent('createOwnWebhook', 201), ['Location']);
  });

  it('says defaults in words, so that generated clients don’t require such fields', () => {
    const requests = operations().map(({ operation }) => [
      operation.requestBody,
      operation.parameters,
    ]);
    assert.doesNotMatch(JSON.stringify(requests), /"default":/);
    assert.match(JSON.stringify(requests), /without saving\. Default: false\."/);
    assert.match(JSON.stringify(requests), /items on a result page\. Default: 30\."/);
  });

  it('every list has result pages', () => {
    for (const { name, method, operation } of operations()) {
      const data =
        operation.responses['200']?.content?.['application/json']?.schema.properties?.data;
      if (method !== 'GET' || data?.type !== 'array') continue;
      const query = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
      for (const parameter of ['per_page', 'page']) {
        const found = query.find((candidate) => candidate.name === parameter);
        assert.ok(found && !found.required, `${name} ${parameter}`);
      }
    }
  });

  it('every example matches its schema', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    let examples = 0;
    walk(document, (schema) => {
      if (!Array.isArray(schema.examples)) return;
      const validate = ajv.compile(schema);
      for (const example of schema.examples) {
        examples += 1;
        assert.ok(
          validate(example),
          `${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`,
        );
      }
    });
    assert.ok(examples > 50);
  });

  it('the check of examples can fail', () => {
    const ajv = new Ajv({ strict: false });
    assert.equal(ajv.compile({ type: 'string', examples: [1] })(1), false);
  });

  it('the example request of each operation works and gets a documented response', async () => {
    const { ada } = furnished;
    const known = new Set<number>();
    for (const { path, method, operation } of operations()) {
      const [needed] = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && parameter.required)
        .map(({ name, schema }) => `?${name}=${encodeURIComponent(`${schema.examples?.[0]}`)}`);
      const filled =
        path.replace(/\{(\w+)\}/g, (_, name) => EXAMPLE_PARAMETERS[name] ?? name) + (needed ?? '');
      const content = operation.requestBody?.content ?? {};
      const schema = content['application/json']?.schema;
      // The client validates the response with the document.
      const [field] = Object.keys(content['multipart/form-data']?.schema.properties ?? {});
      const { status, text } = field
        ? await ada.request(filled, { method, body: formFor(field) })
        : await send(ada, method, filled, schema && exampleOf(schema));
      assert.ok(status < 500 && status !== 400 && status !== 401, `${method} ${filled}: ${text}`);
      known.add(status);
    }
    for (const status of [200, 201, 204]) assert.ok(known.has(status), `some answered ${status}`);
  });

  it('declares what every address can answer, conditions, and the webhooks', async () => {
    const { webhooks } = served as unknown as { webhooks: object };
    assert.deepEqual(Object.keys(webhooks), [...EVENT_TYPES]);
    for (const { operation } of operations()) {
      for (const status of ['405', '431']) assert.ok(operation.responses[status], status);
    }
    for (const act of ['edits', 'move']) {
      const of = operations().find(({ path }) => path === `/briefs/{owner}/{name}/${act}`);
      const names = of?.operation.parameters?.map(({ name }) => name.toLowerCase());
      assert.ok(names?.includes('if-match'), act);
    }
    const { baseUrl } = furnished.service;
    const options = await fetch(`${baseUrl}/user/briefs`, { method: 'OPTIONS' });
    assert.equal(options.headers.get('allow'), 'GET, HEAD, POST');
    const bad = await fetch(`${baseUrl}/briefs/ada/%ff`, {
      headers: { origin: 'https://a.example' },
    });
    assert.deepEqual([bad.status, bad.headers.get('access-control-allow-origin')], [400, '*']);
  });

  it('is for any server', () => {
    const addresses = { baseUrl: 'https://api.example.org/v1', webUrl: 'https://example.org' };
    const text = readBuiltOpenApi(addresses);
    assert.doesNotMatch(text, /\.invalid/);
    const { servers, info, components } = JSON.parse(text);
    assert.deepEqual(servers, [{ url: addresses.baseUrl }]);
    assert.equal(info.contact.url, addresses.webUrl);
    const { tokenUrl } = components.securitySchemes.oauth.flows.authorizationCode;
    assert.equal(tokenUrl, `${addresses.baseUrl}/oauth/token`);
  });

  for (const coding of ['identity', 'gzip']) {
    it(`has a strong entity tag, for ${coding} too`, async () => {
      const get = (headers: Record<string, string> = {}) =>
        fetch(`${furnished.service.baseUrl}/openapi.json`, {
          headers: { 'accept-encoding': coding, ...headers },
        });
      const first = await get();
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]+"$/);
      assert.deepEqual(await first.json(), served);
      const again = await get({ 'if-none-match': etag });
      assert.deepEqual([again.status, await again.text()], [304, '']);
      assert.equal(again.headers.get('etag'), etag);
      const other = await get({ 'if-none-match': '"other"' });
      assert.deepEqual([other.status, await other.json()], [200, served]);
    });
  }

  it('is public and readable from any origin', async () => {
    const response = await fetch(`${furnished.service.baseUrl}/openapi.json`, {
      headers: { origin: 'https://example.com' },
    });
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  });
});

const EXAMPLE_PARAMETERS: Record<string, string> = {
  owner: 'ada',
  username: 'ada',
  name: 'notes',
  org: 'engines',
  id: '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f',
  inviteId: '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f',
  linkId: '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f',
  thread: '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f',
  comment: '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f',
  number: '1',
};

function send(client: Client, method: string, path: string, body: unknown) {
  return client.request(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
}

/** A body built from the schema's examples. */
function exampleOf({ properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { examples, enum: words, type }]) => [
      name,
      examples?.[0] ?? words?.[0] ?? type === 'boolean',
    ]),
  );
}

/** Visits every object that looks like a schema. */
function walk(node: unknown, visit: (schema: Schema) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && 'examples' in node) visit(node as Schema);
  for (const part of Object.values(node)) walk(part, visit);
}

/** The framework's routes in the document's form; HEAD comes with GET. */
function routesOf(table: string): [method: RouteOptions['method'], path: string][] {
  const routes: [string, string][] = [];
  const stack: string[] = [];
  for (const line of table.split('\n')) {
    const found = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line);
    if (!found) continue;
    const [, indent = '', part = '', methods = ''] = found;
    const depth = indent.length / 4;
    stack.length = depth;
    stack.push(part);
    const path = stack
      .join('')
      .replace(/^\/api/, '')
      .replace(/:(\w+)/g, '{$1}');
    for (const method of methods.split(', ')) {
      if (!method || method === 'HEAD' || method === 'OPTIONS') continue;
      routes.push([method, path]);
    }
  }
  return routes as [RouteOptions['method'], string][];
}
