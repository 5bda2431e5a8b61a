import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import LinkHeader from 'http-link-header';
import { type Client, startService } from '../../../test/harness.ts';
import {
  CALLERS_OF_A_USER,
  CALLERS_OF_AN_ORGANIZATION,
  isListedInOrganization,
  rankOf,
} from '../../../test/rest/access-model.ts';
import { makeCast } from '../../../test/rest/cast.ts';
import {
  ALL_KINDS,
  expectStatus,
  makeDocument,
  makeOrganization,
  pluck,
  type Visibility,
} from '../../../test/rest/scenario.ts';

/** Asserts the content of a list, its count and its links. */
async function assertListed(client: Client, path: string, expected: string[], about: string) {
  assert.deepEqual(pluck(await client.get(path), 'name'), expected, about);
  const { headers } = await client.get(`${path}?per_page=1`);
  const link = LinkHeader.parse(headers.get('link') ?? '');
  const [last] = link.rel('last');
  const count = last ? Number(new URL(last.uri).searchParams.get('page')) : 0;
  assert.equal(count, expected.length, `${about}: pages linked`);
}

const service = await startService();
after(() => service.stop());
const keeper = await service.user('keeper');
const cast = makeCast(service, keeper);

for (const kind of ALL_KINDS) {
  describe(`GET /users/{username}/${kind.segment}`, () => {
    it('others see only public ones, even if they collaborate; the user sees all', async () => {
      for (const visibility of ['public', 'private'] as const) {
        const plain = await makeDocument(keeper, `${visibility}-plain`, { kind, visibility });
        const shared = await makeDocument(keeper, `${visibility}-shared`, { kind, visibility });
        assert.notEqual(plain, shared);
        await cast.share(shared, CALLERS_OF_A_USER);
      }
      const path = `/users/keeper/${kind.segment}`;
      for (const username of Object.keys(CALLERS_OF_A_USER)) {
        const client = await cast.clientOf(username);
        await assertListed(client, path, ['public-shared', 'public-plain'], username);
        await assertListed(client, `/user/${kind.segment}`, [], username);
        await assertListed(client, `/${kind.segment}`, [], username);
      }
      const all = ['private-shared', 'private-plain', 'public-shared', 'public-plain'];
      for (const own of [path, `/user/${kind.segment}`, `/${kind.segment}`]) {
        await assertListed(keeper, own, all, 'the user');
      }
    });
  });

  describe(`GET /orgs/{org}/${kind.segment}`, () => {
    const org = `${kind.segment}-guild`;
    const VISIBILITIES: Visibility[] = ['public', 'internal', 'private'];

    before(async () => {
      await makeOrganization(keeper, org);
      await cast.enrol(org, CALLERS_OF_AN_ORGANIZATION);
      for (const visibility of VISIBILITIES) {
        await makeDocument(keeper, `${visibility}-plain`, { kind, org, visibility });
        const shared = await makeDocument(keeper, `${visibility}-shared`, {
          kind,
          org,
          visibility,
        });
        await cast.share(shared, CALLERS_OF_AN_ORGANIZATION);
      }
    });

    for (const defaultBriefPermission of ['none', 'read', 'write'] as const) {
      it(`admins see all; members public, internal, and private ones where they collaborate; non-members public only (${defaultBriefPermission})`, async () => {
        await expectStatus(keeper.patch(`/orgs/${org}`, { defaultBriefPermission }), 200);
        for (const [username, caller] of Object.entries(CALLERS_OF_AN_ORGANIZATION)) {
          const { collaborates: _, ...uninvolved } = caller;
          const expected = VISIBILITIES.flatMap((visibility) => [
            ...(isListedInOrganization(uninvolved, visibility) ? [`${visibility}-plain`] : []),
            ...(isListedInOrganization(caller, visibility) ? [`${visibility}-shared`] : []),
          ]).reverse();
          const client = await cast.clientOf(username);
          await assertListed(client, `/orgs/${org}/${kind.segment}`, expected, username);
        }
      });

      it(`each entry has the caller’s own permissions (${defaultBriefPermission})`, async () => {
        await expectStatus(keeper.patch(`/orgs/${org}`, { defaultBriefPermission }), 200);
        for (const [username, caller] of Object.entries(CALLERS_OF_AN_ORGANIZATION)) {
          const client = await cast.clientOf(username);
          const { data } = await client.get(`/orgs/${org}/${kind.segment}`);
          for (const { name, visibility, permissions } of data) {
            const { collaborates: _, ...uninvolved } = caller;
            const standing = name.endsWith('-shared') ? caller : uninvolved;
            const rank = rankOf(standing, { visibility, defaultBriefPermission });
            const rights = { admin: rank === 3, write: rank >= 2, read: true };
            assert.deepEqual(permissions, rights, `${username}: ${name}`);
          }
        }
      });
    }

    it('don’t include documents of other owners', async () => {
      const other = `${kind.segment}-other`;
      await makeOrganization(keeper, other);
      await makeDocument(keeper, 'elsewhere', { kind, org: other });
      await assertListed(keeper, `/orgs/${other}/${kind.segment}`, ['elsewhere'], 'other');
      const listed = pluck(await keeper.get(`/orgs/${org}/${kind.segment}`), 'name');
      assert.ok(!listed.includes('elsewhere'));
    });
  });
}
