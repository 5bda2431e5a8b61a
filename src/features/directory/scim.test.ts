import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { freePorts } from '../../../test/free-ports.ts';
import type { Answer, Service } from '../../../test/harness.ts';
import { makeDocument } from '../../../test/rest/scenario.ts';
import {
  departure,
  goThrough,
  type OidcServer,
  startOidcServer,
} from '../../../test/servers/oidc.ts';
import { newVisitor, startWithVisitors, whoIs } from '../../../test/sign-in/visitor.ts';
import { createAccount } from '../../core/identity/account-service.ts';
import { findAccountByUsername } from '../../core/identity/account-store.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { patchUser } from './scim-messages.ts';
import { changePersonOf, requirePerson } from './scim-service.ts';

const SCIM_TOKEN = '0123456789abcdef0123456789abcdef';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

// The requests are those that Okta and Entra document: their shapes, spellings and order.
describe('SCIM 2.0', () => {
  let oidc: OidcServer;
  let service: Service;

  before(async () => {
    const [port, renderPort] = await freePorts(2);
    oidc = await startOidcServer({ redirectUri: `http://localhost:${port}/sign-in/callback` });
    service = await startWithVisitors({
      PORT: String(port),
      RENDER_PORT: String(renderPort),
      ...oidc.settings,
      SCIM_TOKEN,
    });
  });
  after(async () => {
    await service.stop();
    await oidc.close();
  });

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Pick<Answer, 'status' | 'headers' | 'text' | 'data'>> {
    const answer = await fetch(`${service.webUrl}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${SCIM_TOKEN}`,
        'content-type': 'application/scim+json; charset=utf-8',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers: got } = answer;
    const text = await answer.text();
    return { status, headers: got, text, data: text === '' ? undefined : JSON.parse(text) };
  }

  const find = (filter: string) =>
    send('GET', `/Users?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`);

  async function create(userName: string, more: object = {}): Promise<Answer['data']> {
    const { status, data, text } = await send('POST', '/Users', {
      schemas: [USER],
      userName,
      active: true,
      emails: [{ primary: true, type: 'work', value: userName }],
      ...more,
    });
    assert.equal(status, 201, text);
    return data;
  }

  const patch = (id: string, ...operations: object[]) =>
    send('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: operations });

  async function workingTokenOf(username: string) {
    const input = { username, name: 'agent', lifetimeMs: undefined };
    const client = service.client((await createToken(service.app.context, input)).token);
    assert.equal((await client.get('/user')).status, 200);
    return { ...client, username };
  }

  it('as Okta does it: looks, creates, updates, deactivates, reactivates', async () => {
    const none = await find('userName eq "isaac.brock@acme.example"');
    assert.match(none.headers.get('content-type') ?? '', /^application\/scim\+json/);
    assert.deepEqual([none.data.totalResults, none.data.Resources], [0, []]);
    const made = await send('POST', '/Users', {
      schemas: [USER],
      userName: 'isaac.brock@acme.example',
      name: { givenName: 'Isaac', familyName: 'Brock' },
      emails: [{ primary: true, value: 'isaac.brock@acme.example', type: 'work' }],
      displayName: 'Isaac Brock',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    assert.equal(made.status, 201, made.text);
    const { id } = made.data;
    assert.equal(made.headers.get('location'), `${service.webUrl}/scim/v2/Users/${id}`);
    assert.equal(made.data.meta.location, `${service.webUrl}/scim/v2/Users/${id}`);
    assert.doesNotMatch(made.text, /1mz050nq/);
    const got = await send('GET', `/Users/${id}`);
    assert.deepEqual([got.data.userName, got.data.active], ['isaac.brock@acme.example', true]);
    const agent = await workingTokenOf('isaac-brock');
    const renamed = await send('PUT', `/Users/${id}`, {
      ...got.data,
      userName: 'isaac@acme.example',
      emails: [{ primary: true, value: 'isaac@acme.example', type: 'work' }],
    });
    assert.equal(renamed.data.emails[0].value, 'isaac@acme.example');
    assert.equal((await find('userName eq "ISAAC@acme.example"')).data.Resources[0].id, id);

    const off = await patch(id, { op: 'replace', value: { active: false } });
    assert.deepEqual([off.status, off.data.active], [200, false]);
    assert.equal((await agent.get('/user')).status, 401);
    const on = await patch(id, { op: 'replace', value: { active: true } });
    assert.equal(on.data.active, true);
    assert.equal((await agent.get('/user')).status, 200);
    const again = await send('POST', '/Users', { schemas: [USER], userName: 'isaac@acme.example' });
    assert.deepEqual([again.status, again.data.scimType], [409, 'uniqueness']);
  });

  it('as Entra does it: tests the connection, creates, patches, deactivates with texts', async () => {
    const tested = await find('userName eq "7c5a2f9e-5b1c-4d6c-9a35-1f6d1ad3ff5a"');
    assert.deepEqual([tested.status, tested.data.totalResults], [200, 0]);
    const made = await send('POST', '/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@acme.example',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@acme.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName' },
      roles: [],
    });
    assert.equal(made.status, 201, made.text);
    const { id } = made.data;
    const agent = await workingTokenOf(made.data.displayName);
    const page = await makeDocument(agent, 'kept');
    for (const filter of [
      'userName eq "test_user_ab6490ee@acme.example"',
      'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"',
      'emails[type eq "work"].value eq "Test_User_fd0ea19b@acme.example"',
    ]) {
      assert.equal((await find(filter)).data.Resources[0].id, id, filter);
    }
    const changed = await patch(
      id,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@acme.example' },
      { op: 'Replace', path: 'name.familyName', value: 'True' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
    );
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.data.emails[0].value, 'new@acme.example');
    const off = await patch(id, { op: 'Replace', path: 'active', value: 'False' });
    assert.deepEqual([off.status, off.data.active], [200, false]);
    assert.equal((await agent.get(page)).status, 401);
    assert.equal((await patch(id, { op: 'Add', path: 'active', value: 'True' })).data.active, true);
    assert.equal((await send('DELETE', `/Users/${id}`)).status, 204);
    assert.equal((await agent.get(page)).status, 401, 'the account is disabled, and stays');
  });

  it('whom it deletes isn’t there, and gets the account back when it creates them again', async () => {
    const { id } = await create('back@acme.example', { externalId: 'back' });
    const agent = await workingTokenOf('back');
    assert.equal((await send('DELETE', `/Users/${id}`)).status, 204);
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { schemas: [USER], userName: 'back@acme.example' }],
      ['DELETE', undefined],
    ] as const) {
      assert.equal((await send(method, `/Users/${id}`, body)).status, 404, method);
    }
    const listed = (await send('GET', '/Users')).data.Resources;
    assert.ok(listed.every((one: { id: string }) => one.id !== id));
    assert.equal((await find('userName eq "back@acme.example"')).data.totalResults, 0);
    const taken = await create('elsewhere@acme.example');
    const moved = await patch(taken.id, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: 'back@acme.example',
    });
    assert.equal(moved.status, 409, moved.text);
    assert.equal((await agent.get('/user')).status, 401);
    const again = await create('back@acme.example', { externalId: 'back' });
    assert.deepEqual([again.id, again.active], [id, true]);
    assert.equal((await agent.get('/user')).status, 200);
  });

  it('goes on finding an account that it hasn’t created and disables', async () => {
    for (const [username, isCalled] of [
      ['adopted', false],
      ['shadowed', true],
    ] as const) {
      const address = `${username}@example.com`;
      const emails = [{ primary: true, type: 'work', value: 'other@example.com' }];
      if (isCalled) await create(address, { emails });
      await createAccount(service.app.context, { username: `${username}-2`, email: address });
      const { id } = (await find(`emails.value eq "${address}"`)).data.Resources[0];
      const off = await patch(id, { op: 'replace', value: { active: false } });
      assert.deepEqual([off.status, off.data.active], [200, false], off.text);
      assert.equal((await patch(id, { op: 'replace', value: { active: true } })).status, 200);
    }
  });

  it('sends the attributes that are asked for', async () => {
    const { id } = await create('shown@acme.example', { externalId: 'shown' });
    for (const [query, names] of [
      ['attributes=externalId', ['externalId', 'id', 'schemas']],
      [`attributes=${USER}:userName,nothing`, ['id', 'schemas', 'userName']],
      [
        'excludedAttributes=emails,meta,schemas,id',
        ['active', 'displayName', 'externalId', 'id', 'userName'],
      ],
    ] as const) {
      const one = await send('GET', `/Users/${id}?${query}`);
      assert.deepEqual(Object.keys(one.data).sort(), names, query);
      const list = await send('GET', `/Users?${query}&filter=id%20eq%20%22${id}%22`);
      assert.deepEqual(Object.keys(list.data.Resources[0]).sort(), names, query);
    }
    const body = { schemas: [USER], userName: 'shown@acme.example' };
    const put = await send('PUT', `/Users/${id}?attributes=active`, body);
    assert.deepEqual(Object.keys(put.data).sort(), ['active', 'id', 'schemas']);
  });

  it('lists in pages', async () => {
    for (const name of ['p1', 'p2', 'p3', 'p4', 'p5']) await create(`${name}@pages.example`);
    const all = (await send('GET', '/Users')).data;
    assert.equal(all.Resources.length, all.totalResults);
    const seen: string[] = [];
    for (let start = 1; start <= all.totalResults; start += 2) {
      const { data } = await send('GET', `/Users?startIndex=${start}&count=2`);
      assert.deepEqual([data.totalResults, data.startIndex], [all.totalResults, start]);
      assert.equal(data.itemsPerPage, data.Resources.length);
      seen.push(...data.Resources.map(({ id }: { id: string }) => id));
    }
    assert.deepEqual(
      seen,
      all.Resources.map(({ id }: { id: string }) => id),
    );
    const none = (await send('GET', '/Users?count=0')).data;
    assert.deepEqual([none.totalResults, none.Resources], [all.totalResults, []]);
    assert.equal((await send('GET', '/Users?startIndex=999&count=-1')).data.Resources.length, 0);
  });

  it('describes itself', async () => {
    const config = (await send('GET', '/ServiceProviderConfig')).data;
    assert.deepEqual([config.patch.supported, config.bulk.supported], [true, false]);
    const types = (await send('GET', '/ResourceTypes')).data.Resources;
    assert.deepEqual(
      types.map(({ id }: { id: string }) => id),
      ['User'],
    );
    assert.equal((await send('GET', '/ResourceTypes/User')).data.endpoint, '/Users');
    assert.equal((await send('GET', `/Schemas/${USER}`)).data.id, USER);
    assert.equal((await send('GET', '/Schemas')).data.Resources.length > 0, true);
    assert.equal((await send('GET', '/ResourceTypes/Nothing')).status, 404);
  });

  it('whom it creates is linked when they first sign in at the provider', async () => {
    await create('linked@acme.example', { externalId: 'sub-of-linked' });
    await create('addressed@acme.example', { externalId: 'another-id' });
    // Whose id it is comes before whose address it is.
    await create('former@acme.example', { externalId: 'id-of-former' });
    await create('known@acme.example', { externalId: 'sub-of-known' });
    await service.user('plain');
    for (const [sub, email, isVerified, username] of [
      ['sub-of-linked', 'else@acme.example', false, 'linked'],
      ['pairwise-1', 'addressed@acme.example', true, 'addressed'],
      ['sub-of-known', 'former@acme.example', true, 'known'],
      ['pairwise-2', 'addressed@acme.example', true, undefined],
      ['pairwise-3', 'plain@example.com', true, undefined],
    ] as const) {
      oidc.person = { sub, claims: { email, email_verified: isVerified } };
      const visitor = newVisitor(service);
      await visitor.get((await goThrough(oidc, await departure(visitor))).href);
      assert.equal(await whoIs(visitor), username, sub);
    }
  });

  it('finds accounts that it hasn’t created, but disables no last administrator', async () => {
    await service.user('boss');
    await setAdmin(service.app.context, undefined, { username: 'boss', isAdmin: true });
    const { data } = await find('userName eq "boss@example.com"');
    const { id } = data.Resources[0];
    const refused = await patch(id, { op: 'replace', value: { active: false } });
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.data.detail, /last administrator/);
    assert.equal((await send('DELETE', `/Users/${id}`)).status, 422);
    assert.equal((await send('GET', `/Users/${id}`)).data.active, true);
    const entries = await service.app.context.sql.read
      .selectFrom('audit_entry')
      .where('meansName', '=', 'SCIM')
      .select('action')
      .execute();
    assert.ok(entries.some(({ action }) => action === 'account.disabled'));
  });

  it('nobody stays because somebody else has taken their address', async () => {
    const { id } = await create('leaver@acme.example');
    const home = {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: 'home@else.example',
    };
    assert.equal((await patch(id, home)).status, 200);
    const squatter = { username: 'squatter', email: 'leaver@acme.example' };
    await createAccount(service.app.context, squatter);
    const found = (await find('userName eq "leaver@acme.example"')).data;
    assert.deepEqual([found.totalResults, found.Resources[0].id], [1, id]);
    const gone = { userName: 'leaver@acme.example', active: false };
    for (const leave of [
      () => patch(id, { op: 'replace', value: { active: false } }),
      () => send('PUT', `/Users/${id}`, { schemas: [USER], ...gone }),
    ]) {
      const left = await leave();
      assert.deepEqual([left.status, left.data.active], [200, false], left.text);
      assert.equal((await patch(id, { op: 'replace', value: { active: true } })).status, 200);
    }
    assert.equal((await send('DELETE', `/Users/${id}`)).status, 204);
  });

  it('a change at the same time brings nobody back', async () => {
    const { id } = await create('busy@acme.example');
    const rename = { op: 'replace', path: 'externalId', value: 'busy' };
    const leave = { op: 'replace', path: 'active', value: false };
    const { context } = service.app;
    const row = await requirePerson(context.sql.read, id);
    const renamed = await patchUser(row, '', { schemas: [PATCH], Operations: [rename] });
    assert.equal((await patch(id, leave)).data.active, false);
    await changePersonOf(context, id, renamed);
    assert.equal((await send('GET', `/Users/${id}`)).data.active, false);
  });

  it('doesn’t verify the address of who signed up with that of somebody else', async () => {
    const input = { username: 'early', email: 'victim@acme.example' };
    await createAccount(service.app.context, input);
    const { id } = (await find('userName eq "victim@acme.example"')).data.Resources[0];
    for (const userName of ['Victim@acme.example', 'other@acme.example']) {
      const put = await send('PUT', `/Users/${id}`, { schemas: [USER], userName });
      assert.equal(put.data.emails[0].value, userName, put.text);
      const account = await findAccountByUsername(service.app.context.sql.read, 'early');
      assert.equal(account?.emailVerifiedAt, null);
    }
    // Nor gives that account back.
    assert.equal((await send('DELETE', `/Users/${id}`)).status, 204);
    const again = await send('POST', '/Users', { schemas: [USER], userName: 'other@acme.example' });
    assert.equal(again.status, 409, again.text);
  });

  it('two with the same name get different usernames, and reserved ones are left', async () => {
    const [one, other, odd] = [
      await create('sam@one.example'),
      await create('sam@two.example'),
      await create('admin@one.example'),
    ];
    assert.deepEqual([one.displayName, other.displayName], ['sam', 'sam-2']);
    assert.match(odd.displayName, /^(admin-2|user)/);
  });

  it('lets nobody in without the token, and says nothing then', async () => {
    const { id } = await create('guarded@acme.example');
    const all = await service.user('scoped');
    for (const authorization of [
      '',
      'Bearer ',
      `Bearer ${SCIM_TOKEN}x`,
      `Basic ${SCIM_TOKEN}`,
      `Bearer ${all.token}`,
    ]) {
      for (const [method, path] of [
        ['GET', '/Users'],
        ['GET', `/Users/${id}`],
        ['DELETE', `/Users/${id}`],
        ['GET', '/Schemas'],
      ] as const) {
        const answer = await send(method, path, undefined, { authorization });
        assert.ok([401, 429].includes(answer.status), `${authorization} ${answer.status}`);
        assert.doesNotMatch(answer.text, /guarded/);
      }
    }
    assert.equal((await send('GET', `/Users/${id}`)).data.active, true);
  });

  it('answers what is wrong in its own form', async () => {
    const { id } = await create('wrong@acme.example');
    for (const [method, path, body, status, type] of [
      ['GET', '/Users/nobody', undefined, 404, undefined],
      ['GET', '/Users/%00', undefined, 404, undefined],
      ['GET', '/Users?filter=userName%20sw%20%22a%22', undefined, 400, 'invalidFilter'],
      ['GET', '/Users?filter=(', undefined, 400, 'invalidFilter'],
      ...[
        `userName eq "${'\\'.repeat(99)}`,
        `id eq "1"${' and (id eq "1" or id eq "2")'.repeat(30)}`,
      ].map(
        (filter) =>
          [
            'GET',
            `/Users?filter=${encodeURIComponent(filter)}`,
            undefined,
            400,
            'invalidFilter',
          ] as const,
      ),
      ['GET', '/Users?filter=__proto__%20eq%20%22x%22', undefined, 400, 'invalidValue'],
      [
        'PATCH',
        `/Users/${id}`,
        {
          schemas: [PATCH],
          Operations: [{ op: 'remove', path: `emails[value eq "${'\\'.repeat(99)}]` }],
        },
        400,
        'invalidPath',
      ],
      ['POST', '/Users', { userName: 'x@y.example', externalId: 'a\0b' }, 400, 'invalidValue'],
      ['POST', '/Users', '{', 400, 'invalidValue'],
      ['POST', '/Users', [], 400, 'invalidValue'],
      ['POST', '/Users', { userName: 5 }, 400, 'invalidValue'],
      ['POST', '/Users', { userName: 'no-address' }, 400, 'invalidValue'],
      [
        'POST',
        '/Users',
        { userName: 'x@y.example', emails: [{ value: '<' }] },
        400,
        'invalidValue',
      ],
      ['POST', '/Users', { userName: `${'x'.repeat(300)}@y.example` }, 400, 'invalidValue'],
      ['PATCH', `/Users/${id}`, {}, 400, 'invalidSyntax'],
      [
        'PATCH',
        `/Users/${id}`,
        { schemas: [PATCH], Operations: [{ op: 'x' }] },
        400,
        'invalidSyntax',
      ],
      [
        'PATCH',
        `/Users/${id}`,
        { schemas: [PATCH], Operations: [{ op: 'replace', path: '__proto__', value: 1 }] },
        400,
        'invalidPath',
      ],
      ['PUT', '/Users/nobody', { userName: 'x@y.example' }, 404, undefined],
      ['DELETE', '/Users/nobody', undefined, 404, undefined],
      ['GET', '/Groups', undefined, 404, undefined],
      ['POST', '/Bulk', {}, 404, undefined],
      ['PUT', '/Users', {}, 405, undefined],
      ['POST', '/Schemas', {}, 405, undefined],
      ['POST', '/Users', { userName: 'x'.repeat(300_000) }, 413, undefined],
      ['GET', `/Users?attributes=${'\\'.repeat(99)}`, undefined, 400, 'invalidValue'],
      ['GET', '/Users?attributes=(', undefined, 400, 'invalidFilter'],
    ] as const) {
      const answer = await send(method, path, body);
      assert.equal(
        answer.status,
        status,
        `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`,
      );
      assert.match(answer.headers.get('content-type') ?? '', /^application\/scim\+json/);
      assert.equal(answer.data.status, String(status));
      assert.equal(answer.data.scimType, type, answer.text);
    }
  });
});
