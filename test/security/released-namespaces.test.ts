import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { createAccount } from '../../src/core/identity/account-service.ts';
import { sweepReleasedNamespaces } from '../../src/core/owner/namespace-service.ts';
import { deleteUser } from '../../src/features/accounts/account-deletion-service.ts';
import { assertError, RESERVING_NAMES, startService } from '../harness.ts';
import { expectStatus, makeDocument, makeOrganization, users } from '../rest/scenario.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * The new owner of a deleted owner's namespace could publish at addresses that others still link
 * to.
 */
describe('The namespace of a deleted user or organization', async () => {
  const service = await startService({}, RESERVING_NAMES);
  after(() => service.stop());
  const { keeper } = await users(service, 'keeper');

  const REFUSED = (name: string) =>
    new RegExp(`: "${name}" is reserved until \\d{4}-\\d\\d-\\d\\d, because its owner was deleted`);

  const signUp = (username: string, reuseName = false) =>
    createAccount(service.app.context, {
      username,
      email: `${username}@next.example`,
      reuseName,
    });

  async function assertReserved(name: string): Promise<void> {
    await assert.rejects(signUp(name), REFUSED(name));
    await assert.rejects(signUp(name.toUpperCase()), REFUSED(name));
    const answer = await keeper.post('/user/orgs', { namespace: name, name: 'Next' });
    assertError(answer, 422, 'UNPROCESSABLE', REFUSED(name));
    assert.equal((await keeper.get(`/users/${name}`)).status, 404);
    assert.equal((await keeper.get(`/orgs/${name}`)).status, 404);
  }

  it('stays reserved for 90 days, for users and organizations', async () => {
    const ada = await service.user('ada');
    await makeDocument(ada, 'linked', { visibility: 'public' });
    await makeOrganization(keeper, 'guild');
    await makeDocument(keeper, 'linked', { org: 'guild', visibility: 'public' });
    await deleteUser(service.app.context, 'ada');
    await expectStatus(keeper.delete('/orgs/guild'), 204);
    for (const name of ['ada', 'guild']) await assertReserved(name);
    service.advance(89 * DAY_MS);
    assert.equal(await sweepReleasedNamespaces(service.app.context), 0);
    for (const name of ['ada', 'guild']) await assertReserved(name);
    service.advance(1 * DAY_MS);
    await signUp('ada');
    await makeOrganization(keeper, 'guild');
    // Nothing of the former owners is left.
    assert.deepEqual((await keeper.get('/users/ada/briefs')).data, []);
    assert.deepEqual((await keeper.get('/orgs/guild/briefs')).data, []);
    // The next deletion starts a new reservation.
    await deleteUser(service.app.context, 'ada');
    await assertReserved('ada');
  });

  it('is released by the sweep after that', async () => {
    await service.user('grace');
    await deleteUser(service.app.context, 'grace');
    service.advance(90 * DAY_MS);
    assert.ok((await sweepReleasedNamespaces(service.app.context)) >= 1);
    const left = await service.app.context.sql.read
      .selectFrom('released_namespace')
      .selectAll()
      .execute();
    assert.deepEqual(left, []);
    await signUp('grace');
  });

  it('is not reserved by a deletion that was refused', async () => {
    const boss = await service.user('boss');
    await makeOrganization(boss, 'acme');
    await assert.rejects(deleteUser(service.app.context, 'boss'), /only admin/);
    const left = await service.app.context.sql.read
      .selectFrom('released_namespace')
      .where('namespace', '=', 'boss')
      .selectAll()
      .execute();
    assert.deepEqual(left, []);
  });

  it('an operator can give it to someone at once', async () => {
    await service.user('mary');
    await deleteUser(service.app.context, 'mary');
    await assertReserved('mary');
    assert.equal((await signUp('mary', true)).username, 'mary');
    await assert.rejects(signUp('mary', true), /is taken/);
  });
});
