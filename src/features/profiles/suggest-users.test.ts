import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { actorOf } from '../../../test/account/actors.ts';
import { startService } from '../../../test/harness.ts';
import { collaborate, join, makeDocument, makeOrganization } from '../../../test/rest/scenario.ts';
import { callOf } from '../../core/context.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { suggestUsers } from './user-suggestion-service.ts';

describe('Suggestions of usernames', async () => {
  const service = await startService();
  after(() => service.stop());
  const ann = await service.user('ann');

  const suggest = async (prefix: string, limit?: number) =>
    suggestUsers(callOf(service.app.context, await actorOf(ann)), prefix, limit);

  it('have the prefix, in order, without disabled accounts and your own', async () => {
    for (const name of ['anna', 'an-other', 'annex', 'bob', 'an0']) await service.user(name);
    await makeOrganization(ann, 'annals');
    await setAccountDisabled(service.app.context, 'annex', true);
    assert.deepEqual(await suggest('an'), ['an-other', 'an0', 'anna']);
    assert.deepEqual(await suggest('ANN'), ['anna']);
    assert.deepEqual(await suggest('an-'), ['an-other']);
    assert.deepEqual(await suggest('an', 1), ['an-other']);
    for (const nothing of ['', 'zz', '%', '_', 'an%', 'a n', 'ä', '\0', 'x'.repeat(40), '~']) {
      assert.deepEqual(await suggest(nothing), [], nothing);
    }
  });

  it('are at most eight, acquaintances first', async () => {
    for (let number = 0; number < 12; number++) await service.user(`many${10 + number}`);
    const first = Array.from({ length: 8 }, (_, number) => `many${10 + number}`);
    for (const limit of [8, 100, undefined]) assert.deepEqual(await suggest('many', limit), first);
    assert.deepEqual(await suggest('many', Number.NaN), ['many10']);
    const [colleague, reader] = [await service.user('many90'), await service.user('many91')];
    await makeOrganization(ann, 'company');
    await join(ann, 'company', colleague);
    await collaborate(ann, await makeDocument(ann, 'plans'), reader, 'read');
    assert.deepEqual((await suggest('many')).slice(0, 3), ['many90', 'many91', 'many10']);
  });
});
