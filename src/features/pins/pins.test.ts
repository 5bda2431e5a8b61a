import { strict as assert } from 'node:assert';
import { after, beforeEach, describe, it } from 'node:test';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import {
  collaborate,
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  pluck,
  users,
} from '../../../test/rest/scenario.ts';
import { KINDS } from '../../base/schema/kind.ts';

describe('Pins to the top', async () => {
  let made = 0;
  /** Creates a document of each owner for each test. */
  let own: string;
  let shared: string;

  const service = await startService();
  after(() => service.stop());
  const { ada, grace, edsger } = await users(service, 'ada', 'grace', 'edsger');
  await makeOrganization(ada, 'guild');
  await join(ada, 'guild', grace);
  beforeEach(async () => {
    made += 1;
    own = await makeDocument(ada, `own-${made}`, { visibility: 'private' });
    shared = await makeDocument(ada, `shared-${made}`, { org: 'guild', visibility: 'internal' });
  });

  it('are for the owner and admins of the organization, not for other admins of the document', async () => {
    const pins = (who: Client, path: string) => [who.put(`${path}/pin`), who.delete(`${path}/pin`)];
    await collaborate(ada, shared, edsger, 'admin');
    for (const who of [grace, edsger]) {
      for (const answer of pins(who, shared)) assertError(await answer, 403, 'FORBIDDEN');
    }
    for (const path of [own, '/briefs/ada/none']) {
      for (const answer of pins(grace, path)) assertError(await answer, 404, 'NOT_FOUND');
    }
    for (const path of [own, shared]) {
      for (const answer of pins(ada, path)) await expectStatus(answer, 204);
    }
  });

  it('are listed last pinned first, for people who can see them', async () => {
    const page = await makeDocument(ada, `pinned-${made}`, {
      kind: KINDS.page,
      org: 'guild',
      visibility: 'public',
    });
    const pins = async (who: Client, list: string) =>
      pluck(await expectStatus(who.get(list), 200), 'fullName');
    for (const path of [shared, page, shared]) await expectStatus(ada.put(`${path}/pin`), 204);
    assert.deepEqual(await pins(grace, '/orgs/guild/pins'), [
      `guild/pinned-${made}`,
      `guild/shared-${made}`,
    ]);
    assert.deepEqual(await pins(edsger, '/orgs/guild/pins'), [`guild/pinned-${made}`]);
    await expectStatus(ada.put(`${own}/pin`), 204);
    assert.deepEqual(await pins(ada, '/user/pins'), [`ada/own-${made}`]);
    assert.deepEqual(await pins(grace, '/users/ada/pins'), []);
    for (const path of [own, shared, page]) await expectStatus(ada.delete(`${path}/pin`), 204);
    assert.deepEqual(await pins(ada, '/orgs/guild/pins'), []);
  });

  it('an owner has 12 pins; a trashed document keeps its pin, unless 12 others are pinned by then', async () => {
    const names = Array.from({ length: 13 }, (_, index) => `twelve-${index}`);
    const paths: string[] = [];
    await makeOrganization(ada, 'dozen');
    for (const name of names) paths.push(await makeDocument(ada, name, { org: 'dozen' }));
    const [first = '', ...others] = paths;
    await expectStatus(ada.put(`${first}/labels`, { labels: ['kept'] }), 200);
    for (const path of [first, ...others.slice(0, 11)]) {
      await expectStatus(ada.put(`${path}/pin`), 204);
    }
    const last = others.at(-1) as string;
    assertError(await ada.put(`${last}/pin`), 422, 'UNPROCESSABLE', /pin/);
    const restore = async () => {
      const [{ id }] = (await ada.get('/orgs/dozen/trash')).data;
      await expectStatus(ada.post(`/trash/${id}/restore`, {}), 200);
    };
    await expectStatus(ada.delete(first), 204);
    assert.equal((await ada.get('/orgs/dozen/pins')).data.length, 11);
    await restore();
    assert.equal((await ada.get('/orgs/dozen/pins')).data.length, 12);
    assert.deepEqual((await ada.get(`${first}/labels`)).data.labels, ['kept']);
    await expectStatus(ada.delete(first), 204);
    await expectStatus(ada.put(`${last}/pin`), 204);
    await restore();
    assert.ok(!pluck(await ada.get('/orgs/dozen/pins'), 'name').includes('twelve-0'));
    assert.deepEqual((await ada.get(`${first}/labels`)).data.labels, ['kept']);
  });
});
