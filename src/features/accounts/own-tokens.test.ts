import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { actorOf, refusal } from '../../../test/account/actors.ts';
import { type Client, startService } from '../../../test/harness.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { callOf } from '../../core/context.ts';
import { createAccount } from '../../core/identity/account-service.ts';
import { USUAL_SCOPES } from '../../core/identity/scope.ts';
import { listAccountTokens } from '../../core/identity/token-service.ts';
import { deleteUser } from './account-deletion-service.ts';
import {
  createOwnToken,
  listOwnTokens,
  MAX_WORKING_TOKENS,
  revokeOwnToken,
} from './own-token-service.ts';

describe('Your own personal access tokens', async () => {
  const service = await startService();
  after(() => service.stop());
  const context = service.app.context;
  const ada = await service.user('ada');
  const grace = await service.user('grace');

  const make = async (client: Client, name: string, lifetimeDays?: number) =>
    createOwnToken(callOf(context, await actorOf(client)), {
      name,
      scopes: ['profile'],
      lifetimeDays,
    });

  it('a new token works within its scopes, and its listing doesn’t contain it', async () => {
    const actor = await actorOf(ada);
    const { token, id } = await createOwnToken(callOf(context, actor), {
      name: '  release script ',
      scopes: ['profile', 'documents:read', 'profile'],
      lifetimeDays: 30,
    });
    const client = service.client(token);
    assert.equal((await client.get('/user')).data.username, 'ada');
    assert.equal((await client.get('/user/briefs')).status, 200);
    assert.equal((await client.get('/user/orgs')).status, 403);
    const { working, ended } = await listOwnTokens(callOf(context, actor));
    assert.deepEqual(
      working.map(({ name }) => name),
      ['release script', 'test'],
    );
    assert.deepEqual(ended, []);
    const [newest, oldest] = working;
    assert.equal(newest?.id, id);
    assert.deepEqual(newest?.scopes, ['documents:read', 'profile']);
    const lifetime = Date.parse(newest?.expiresAt ?? '') - Date.parse(newest?.createdAt ?? '');
    assert.equal(lifetime, 30 * DAY_MS);
    assert.notEqual(newest?.lastUsedAt, null);
    assert.equal(oldest?.scopes, 'everything');
    assert.doesNotMatch(JSON.stringify(working), new RegExp(token));
  });

  it('every scope can be chosen', async () => {
    const input = { name: 'all', scopes: USUAL_SCOPES, lifetimeDays: undefined };
    const { id } = await createOwnToken(callOf(context, await actorOf(ada)), input);
    const { working } = await listOwnTokens(callOf(context, await actorOf(ada)));
    assert.deepEqual(working.find((token) => token.id === id)?.scopes, USUAL_SCOPES);
    assert.equal(working.find((token) => token.id === id)?.expiresAt, null);
  });

  it('refuses invalid input', async () => {
    const actor = await actorOf(ada);
    const good = { name: 'x', scopes: USUAL_SCOPES, lifetimeDays: 1 };
    const { working } = await listOwnTokens(callOf(context, actor));
    for (const [wrong, message] of [
      [{ name: ' ' }, /^BAD_REQUEST name: /],
      [{ name: 'x'.repeat(101) }, /^BAD_REQUEST name: /],
      [{ name: 'a\0b' }, /^BAD_REQUEST name: /],
      [{ scopes: [] }, /^BAD_REQUEST scopes: /],
      [{ scopes: ['nothing' as 'profile'] }, /^BAD_REQUEST scopes: /],
      [{ lifetimeDays: 0 }, /^BAD_REQUEST lifetime: /],
      [{ lifetimeDays: 1.5 }, /^BAD_REQUEST lifetime: /],
      [{ lifetimeDays: Number.NaN }, /^BAD_REQUEST lifetime: /],
      [{ lifetimeDays: 1e9 }, /^BAD_REQUEST lifetime: /],
    ] as const) {
      assert.match(
        await refusal(createOwnToken(callOf(context, actor), { ...good, ...wrong })),
        message,
      );
    }
    const limited = { ...actor, scopes: ['profile'] as const };
    assert.match(
      await refusal(createOwnToken(callOf(context, limited), good)),
      /^FORBIDDEN .*scope/,
    );
    assert.deepEqual((await listOwnTokens(callOf(context, actor))).working, working);
  });

  it('a revoked token stops working, and can’t be revoked twice or by others', async () => {
    const { token, id } = await make(ada, 'short');
    const client = service.client(token);
    assert.equal((await client.get('/user')).status, 200);
    const others = revokeOwnToken(callOf(context, await actorOf(grace)), id);
    assert.match(await refusal(others), /^NOT_FOUND id: /);
    assert.equal((await client.get('/user')).status, 200);
    await revokeOwnToken(callOf(context, await actorOf(ada)), id.toUpperCase());
    assert.equal((await client.get('/user')).status, 401);
    for (const gone of [id, 'x', '', '\0']) {
      assert.match(
        await refusal(revokeOwnToken(callOf(context, await actorOf(ada)), gone)),
        /^NOT_FOUND id: /,
      );
    }
    const { working, ended } = await listOwnTokens(callOf(context, await actorOf(ada)));
    assert.ok(!working.some((one) => one.id === id));
    assert.notEqual(ended.find((one) => one.id === id)?.revokedAt, null);
  });

  it('after the account is deleted, no token is created for the new holder of its name', async () => {
    const gone = await actorOf(await service.user('kay'));
    await deleteUser(context, 'kay');
    await createAccount(context, {
      username: 'kay',
      email: 'another@example.com',
      // An operator can do this within 90 days.
      reuseName: true,
    });
    const input = { name: 'late', scopes: USUAL_SCOPES, lifetimeDays: undefined };
    assert.match(await refusal(createOwnToken(callOf(context, gone), input)), /^NOT_FOUND /);
    assert.deepEqual(await listAccountTokens(context, 'kay'), []);
  });

  it('the limit holds for parallel creates; expired tokens don’t count', async () => {
    const hopper = await service.user('hopper');
    await make(hopper, 'expires', 1);
    const attempts = Array.from({ length: MAX_WORKING_TOKENS + 5 }, (_, number) =>
      refusal(make(hopper, `token ${number}`)),
    );
    const outcomes = await Promise.all(attempts);
    const refused = outcomes.filter((outcome) => outcome.startsWith('UNPROCESSABLE'));
    assert.equal(refused.length, 7);
    assert.match(refused[0] ?? '', /Revoke one/);
    const actor = await actorOf(hopper);
    assert.equal((await listOwnTokens(callOf(context, actor))).working.length, MAX_WORKING_TOKENS);
    service.advance(DAY_MS + 1000);
    const { ended } = await listOwnTokens(callOf(context, actor));
    assert.equal(ended.length, 1);
    assert.match(
      await refusal(revokeOwnToken(callOf(context, actor), ended[0]?.id ?? '')),
      /^NOT_FOUND id/,
    );
    await make(hopper, 'one more');
    assert.match(await refusal(make(hopper, 'too many')), /^UNPROCESSABLE /);
  });
});
