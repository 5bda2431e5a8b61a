import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { formFor, GIF, PNG, SVG } from '../../../test/files/samples.ts';
import { type Answer, assertError, type Client, startService } from '../../../test/harness.ts';
import { expectStatus, join, makeOrganization, users } from '../../../test/rest/scenario.ts';
import type { Scope } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';

const FIELDS = [
  'id',
  'namespace',
  'type',
  'displayName',
  'summary',
  'url',
  'pictureUrl',
  'hasPicture',
  'createdAt',
];

/** A request that changes a profile. */
type Change = (path: string) => Promise<Answer>;

describe('Public profiles over the API', async () => {
  const service = await startService();
  after(() => service.stop());
  const { ada, grace, stranger } = await users(service, 'ada', 'grace', 'stranger');
  await makeOrganization(ada, 'engines');
  await join(ada, 'engines', grace);

  const setPicture = (client: Client, path: string, body = formFor('picture')) =>
    client.request(`${path}/picture`, { method: 'PUT', body });

  const withPicture = (bytes: Uint8Array, field = 'picture') => {
    const form = new FormData();
    form.append(field, new Blob([new Uint8Array(bytes)]), 'x.png');
    return form;
  };

  async function pictureOf(profile: { pictureUrl: string }): Promise<Buffer> {
    return Buffer.from(await (await fetch(profile.pictureUrl)).arrayBuffer());
  }

  it('a new account’s has its username and a drawn picture', async () => {
    const { data } = await expectStatus(ada.get('/user/profile'), 200);
    assert.deepEqual(Object.keys(data), FIELDS);
    const { namespace, type, displayName, summary, url, hasPicture } = data;
    assert.deepEqual(
      { namespace, type, displayName, summary, url, hasPicture },
      {
        namespace: 'ada',
        type: 'user',
        displayName: null,
        summary: null,
        url: `${service.webUrl}/ada`,
        hasPicture: false,
      },
    );
    assert.match((await pictureOf(data)).toString(), /^<svg/);
  });

  it('a change keeps omitted fields, and appears on the public page', async () => {
    const { data } = await expectStatus(
      ada.patch('/user/profile', { displayName: ' Ada  Lovelace ', summary: 'Writes.' }),
      200,
    );
    assert.deepEqual([data.displayName, data.summary], ['Ada Lovelace', 'Writes.']);
    await expectStatus(setPicture(ada, '/user/profile'), 200);
    const changed = await expectStatus(ada.patch('/user/profile', { summary: 'Notes.' }), 200);
    assert.deepEqual(
      [changed.data.displayName, changed.data.summary, changed.data.hasPicture],
      ['Ada Lovelace', 'Notes.', true],
    );
    const page = await fetch(changed.data.url, { headers: { accept: 'text/html' } });
    const html = await page.text();
    assert.match(html, /<h1>Ada Lovelace<\/h1>/);
    assert.match(html, /<p class="lead">Notes\.<\/p>/);
    const cleared = await expectStatus(ada.patch('/user/profile', { displayName: '' }), 200);
    assert.deepEqual([cleared.data.displayName, cleared.data.summary], [null, 'Notes.']);
    assert.equal(cleared.data.hasPicture, true);
  });

  it('a text that is too long or has bidirectional controls is refused by field', async () => {
    for (const body of [
      { displayName: 'x'.repeat(101) },
      { displayName: 'x\u202e' },
      { summary: 'x'.repeat(301) },
    ]) {
      const [field] = Object.keys(body);
      assertError(
        await ada.patch('/user/profile', body),
        400,
        'BAD_REQUEST',
        new RegExp(`^${field}:`),
      );
    }
    const name = { displayName: 'Engines Ltd' };
    assertError(
      await ada.patch('/orgs/engines/profile', name),
      400,
      'BAD_REQUEST',
      /^displayName: /,
    );
  });

  it('a picture is served as it was sent, and can be deleted', async () => {
    for (const path of ['/user/profile', '/orgs/engines/profile']) {
      const { data } = await expectStatus(setPicture(ada, path), 200);
      assert.equal(data.hasPicture, true);
      assert.deepEqual(await pictureOf(data), PNG);
      for (let time = 0; time < 2; time += 1) {
        await expectStatus(ada.delete(`${path}/picture`), 204);
      }
      assert.equal((await ada.get(path)).data.hasPicture, false);
      assert.match((await pictureOf(data)).toString(), /^<svg/);
    }
  });

  it('anything except an image of up to 512 KB is refused, and the picture stays', async () => {
    await expectStatus(setPicture(ada, '/user/profile'), 200);
    for (const bytes of [SVG, GIF, Buffer.from('hello'), Buffer.alloc(0)]) {
      const answer = await setPicture(ada, '/user/profile', withPicture(bytes));
      assertError(answer, 422, 'UNPROCESSABLE', /^picture: /);
    }
    // The second is refused by its declared length.
    for (const size of [512 * 1024, 2 * 1024 * 1024]) {
      const large = withPicture(Buffer.concat([PNG, Buffer.alloc(size)]));
      const answer = await setPicture(ada, '/user/profile', large);
      assertError(answer, 413, 'PAYLOAD_TOO_LARGE', /^picture: must be at most 512 KB/);
    }
    const two = withPicture(PNG);
    two.append('picture', new Blob([new Uint8Array(PNG)]), 'y.png');
    for (const form of [withPicture(PNG, 'file'), two, new FormData()]) {
      assertError(await setPicture(ada, '/user/profile', form), 400, 'BAD_REQUEST', /^body: /);
    }
    const { data } = await ada.get('/user/profile');
    assert.deepEqual(await pictureOf(data), PNG);
  });

  it('anyone can read a user’s; an unknown name and an organization are 404', async () => {
    await expectStatus(ada.patch('/user/profile', { summary: 'Notes.' }), 200);
    const own = (await ada.get('/user/profile')).data;
    assert.deepEqual((await expectStatus(stranger.get('/users/ADA/profile'), 200)).data, own);
    for (const name of ['nobody', 'engines', 'a--b', '%00']) {
      assertError(await stranger.get(`/users/${name}/profile`), 404, 'NOT_FOUND', /username/);
    }
  });

  it('anyone can read an organization’s; only its admins can change it', async () => {
    const path = '/orgs/engines/profile';
    const { data } = await expectStatus(ada.patch(path, { summary: 'We build.' }), 200);
    assert.deepEqual(
      [data.namespace, data.type, data.displayName, data.summary],
      ['engines', 'organization', 'ENGINES', 'We build.'],
    );
    assert.deepEqual((await expectStatus(stranger.get(path), 200)).data, data);
    const changes: Record<string, (client: Client) => Change> = {
      patch: (client) => (at) => client.patch(at, { summary: 'Mine.' }),
      'a bad patch': (client) => (at) => client.patch(at, { summary: 1 }),
      put: (client) => (at) => setPicture(client, at),
      delete: (client) => (at) => client.delete(`${at}/picture`),
    };
    for (const [what, of] of Object.entries(changes)) {
      for (const client of [grace, stranger]) {
        assertError(await of(client)(path), 403, 'FORBIDDEN');
        for (const org of ['nobody', 'ada', '%00']) {
          assertError(await of(client)(`/orgs/${org}/profile`), 404, 'NOT_FOUND');
        }
        assert.deepEqual((await ada.get(path)).data, data, what);
      }
    }
    assertError(await stranger.get('/orgs/nobody/profile'), 404, 'NOT_FOUND');
  });

  it('a token that can only see the profile can’t change it', async () => {
    const clientWith = async (scopes: Scope[]) => {
      const input = { username: 'ada', name: 'test', lifetimeMs: undefined, scopes };
      return service.client((await createToken(service.app.context, input)).token);
    };
    const reader = await clientWith(['profile', 'documents:write', 'organizations']);
    const before = (await expectStatus(reader.get('/user/profile'), 200)).data;
    assertError(
      await reader.patch('/user/profile', { summary: 'x' }),
      403,
      'FORBIDDEN',
      /profile:write/,
    );
    assertError(await setPicture(reader, '/user/profile'), 403, 'FORBIDDEN', /profile:write/);
    assertError(await reader.delete('/user/profile/picture'), 403, 'FORBIDDEN', /profile:write/);
    assert.deepEqual((await ada.get('/user/profile')).data, before);
    const writer = await clientWith(['profile:write']);
    await expectStatus(writer.patch('/user/profile', { summary: 'Changed.' }), 200);
    assertError(await writer.patch('/orgs/engines/profile', { summary: 'x' }), 403, 'FORBIDDEN');
  });
});
