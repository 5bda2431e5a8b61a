import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError } from '../../../test/harness.ts';
import { assertRawError, lines, rawAnswer } from '../../../test/raw-http.ts';
import { databaseState } from '../../../test/state.ts';
import { startFurnished } from './body-routes.testing.ts';

const NO_INTEGERS = [
  '',
  '%201',
  '1%20',
  '1.5',
  '1.0',
  '1e1',
  '0x10',
  '+1',
  '%2B1',
  '-',
  'one',
  'NaN',
  'Infinity',
  '1,2',
  '1;2',
  '%00',
  '1%00',
  '٣',
  '１',
  'null',
  'true',
  '[]',
  '01',
];

describe('Invalid addresses', async () => {
  const furnished = await startFurnished();
  const { baseUrl } = furnished.service;
  const { paths } = await (await fetch(`${baseUrl}/openapi.json`)).json();
  const fill: Record<string, string> = {
    owner: 'ada',
    username: 'ada',
    name: 'notes',
    org: 'engines',
  };
  type Operation = { parameters?: { name: string; in: string; required?: boolean }[] };
  /** Addresses of lists, which end where the next parameter begins. */
  const lists = Object.entries(paths as Record<string, { get?: Operation }>)
    .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'page'))
    .map(([template, { get }]) => {
      const webhook = furnished.routes.find((one) => template === `${one.template}/deliveries`);
      const path = webhook
        ? `${webhook.path}/deliveries`
        : template.replace(/\{(\w+)\}/g, (_, name) => fill[name] ?? '');
      const needed = get?.parameters?.filter((one) => one.in === 'query' && one.required) ?? [];
      return `${path}?${needed.map(({ name }) => `${name}=x&`).join('')}`;
    });
  assert.ok(lists.length >= 11, lists.join());
  after(() => furnished.service.stop());
  const readerOf = (list: string) =>
    list.startsWith('/admin/') ? furnished.steward : furnished.ada;

  it('per_page and page that aren’t integers in range: 400 that names the parameter', async () => {
    for (const list of lists) {
      for (const [name, values] of Object.entries({
        per_page: ['0', '-1', '-0', '101', '1000', ...NO_INTEGERS],
        page: ['0', '-1', '-0', ...NO_INTEGERS],
      })) {
        for (const value of values) {
          const answer = await readerOf(list).get(`${list}${name}=${value}`);
          assertError(answer, 400, 'BAD_REQUEST', new RegExp(`^${name}: must be `));
        }
      }
    }
  });

  it('repeated parameters: 400 that names the parameter', async () => {
    for (const list of lists) {
      for (const name of ['page', 'per_page']) {
        const answer = await readerOf(list).get(`${list}${name}=1&${name}=1`);
        assertError(answer, 400, 'BAD_REQUEST', new RegExp(`^${name}: must be an integer`));
      }
    }
    const answer = await furnished.ada.get('/user/memberships/orgs?state=active&state=pending');
    assertError(answer, 400, 'BAD_REQUEST', /^state: /);
  });

  it('the limits of the range, and a page beyond the end, are valid', async () => {
    for (const list of lists) {
      for (const query of ['per_page=1', 'per_page=100', 'page=9007199254740991&per_page=100']) {
        assert.equal((await readerOf(list).get(`${list}${query}`)).status, 200);
      }
    }
  });

  it('unknown states: 400 that names the parameter', async () => {
    for (const state of ['', 'expired', 'ACTIVE', 'active%20', '%00', '__proto__', 'toString']) {
      const answer = await furnished.ada.get(`/user/memberships/orgs?state=${state}`);
      assertError(answer, 400, 'BAD_REQUEST', /^state: must be one of active, pending/);
    }
  });

  it('unknown parameters are ignored', async () => {
    for (const query of [
      'x=1',
      '__proto__=1',
      '__proto__[page]=0',
      'constructor=1',
      'page[]=0',
      '%zz=1',
      '&&=&',
      '=',
    ]) {
      assert.equal((await furnished.ada.get(`/user/briefs?${query}`)).status, 200, query);
    }
  });

  it('malformed ids: 404, like unknown ones', async () => {
    const { ada, service } = furnished;
    const state = await databaseState(service.app.context);
    const unknown = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';
    const permission = { permission: 'read' };
    for (const id of [
      unknown,
      unknown.toUpperCase(),
      '1',
      'x',
      '%00',
      "'",
      '%25',
      '-1',
      'null',
      '*',
      '%F0%9F%98%80',
      'x'.repeat(1_400),
    ]) {
      const answers = [
        await ada.patch(`/briefs/ada/notes/invitations/${id}`, permission),
        await ada.delete(`/briefs/ada/notes/invitations/${id}`),
        await ada.delete(`/orgs/engines/invitations/${id}`),
        await ada.request(`/user/brief_invitations/${id}`, { method: 'PATCH' }),
        await ada.delete(`/user/brief_invitations/${id}`),
      ];
      for (const answer of answers) assertError(answer, 404, 'NOT_FOUND', /^inviteId: /);
    }
    assert.deepEqual(await databaseState(service.app.context), state);
  });

  it('impossible owners and names: 404', async () => {
    const { ada } = furnished;
    for (const name of [
      '%00',
      'notes%00',
      '%F0%9F%98%80',
      'a%2Fb',
      '%5C',
      '%3Cscript%3E',
      "n'--",
      '%22',
      '%25',
      '%0A',
      'x'.repeat(1_400),
      'notes%2F..%2Fnotes',
    ]) {
      for (const path of [
        `/briefs/ada/${name}`,
        `/briefs/${name}/notes`,
        `/users/${name}`,
        `/orgs/${name}`,
        `/users/${name}/briefs`,
      ]) {
        assertError(await ada.get(path), 404, 'NOT_FOUND');
      }
    }
  });

  /** Sends an unchanged path; URL parsers would normalise it. */
  async function get(path: string, token: string | undefined = furnished.ada.token) {
    const request = lines(
      `GET ${path} HTTP/1.1`,
      'Host: localhost',
      ...(token ? [`Authorization: Bearer ${token}`] : []),
    );
    return rawAnswer(furnished.service.config.port, request);
  }

  it('invalid percent-encoding or UTF-8: 400 in the error format', async () => {
    for (const bad of ['%zz', '%', '%2', '%c0%80', '%ED%A0%80', '%ff', '%e2%82', 'a%', '%%41']) {
      for (const path of [
        `/api/users/${bad}`,
        `/api/briefs/ada/${bad}`,
        `/api/briefs/${bad}/notes/collaborators`,
      ]) {
        assertRawError(await get(path), 400, 'BAD_REQUEST');
      }
    }
  });

  it('path traversal: 404, and never another resource', async () => {
    for (const path of [
      '/api/users/..%2fada',
      '/api/users/%2e%2e/ada',
      '/api/users/%2e%2e%2fada',
      '/api/users/../users/ada',
      '/api/./users/ada',
      '/api//users/ada',
      '/api/users//ada',
      '/api/users\\ada',
      '/api/users/ada\\..\\grace',
      '/api\\users/ada',
      '/api/briefs/ada/x/../notes',
      '/api/briefs/ada/..',
      '/api/briefs/ada/%2e%2e',
      '/api/users/ada/../grace',
      '/api/users/ada;x=1',
    ]) {
      assertRawError(await get(path), 404, 'NOT_FOUND');
    }
  });

  it('unknown paths: 404 with a token, 401 without', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api/USER', '/api/briefs/ada/notes/x']) {
      assertRawError(await get(path), 404, 'NOT_FOUND');
      assertRawError(await get(path, ''), 401, 'UNAUTHORIZED');
    }
  });
});
