import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, startService } from '../../../test/harness.ts';

describe('Users', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  const grace = await service.user('grace');
  await grace.post('/user/orgs', { namespace: 'engines', name: 'Engines' });

  it('GET /user: 200 with id, username, email, createdAt', async () => {
    const { status, data } = await ada.get('/user');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(data), ['id', 'username', 'email', 'createdAt']);
    assert.equal(data.username, 'ada');
    assert.equal(data.email, 'ada@example.com');
  });

  it('GET /users/{username}: 200 without the email, whatever the case', async () => {
    const { status, data } = await grace.get('/users/ADA');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(data), ['id', 'username', 'createdAt']);
    assert.equal(data.username, 'ada');
  });

  it('GET /users/{username}: 404 for an unknown name, an organization and an invalid name', async () => {
    for (const name of ['nobody', 'engines', 'a--b', '%00', 'ad%C3%A5']) {
      assertError(await ada.get(`/users/${name}`), 404, 'NOT_FOUND', /username/);
    }
  });
});
