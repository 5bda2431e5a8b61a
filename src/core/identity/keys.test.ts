import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Service, startService } from '../../../test/harness.ts';
import { assertOAuthError, refresh, register, UNLIMITED } from '../../../test/oauth/agent.ts';
import { BackEndUnavailable } from '../../base/errors.ts';
import { loadAuthorizationKeys, rotateAuthorizationKeys } from './key-service.ts';

const keyIds = async ({ baseUrl }: Service): Promise<string[]> => {
  const { keys } = await (await fetch(`${baseUrl}/oauth/jwks`)).json();
  return keys.map(({ kid }: { kid: string }) => kid);
};

describe('The authorization server’s keys', () => {
  it('are created once for all processes and can be rotated', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-keys-'));
    const start = () => startService({ ...UNLIMITED, DATA_DIR: dataDir });
    const services = await Promise.all([start(), start()]);
    const [first, second] = services;
    try {
      const before = await keyIds(first);
      assert.equal(before.length, 1);
      assert.deepEqual(await keyIds(second), before);
      const { context } = first.app;
      const { cookie } = await loadAuthorizationKeys(context);

      await rotateAuthorizationKeys(context);
      const rotated = await loadAuthorizationKeys(context);
      assert.equal(rotated.cookie.length, 2);
      assert.equal(rotated.cookie[1], cookie[0], 'the one before is still accepted');
      const third = await start();
      services.push(third);
      assert.deepEqual((await keyIds(third)).slice(1), before);

      await rotateAuthorizationKeys(context);
      const again = await loadAuthorizationKeys(context);
      assert.equal(again.cookie.length, 2);
      assert.ok(!again.cookie.includes(cookie[0] ?? ''));
    } finally {
      for (const service of services) await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('The authorization server without its database', () => {
  it('answers that it is unavailable', async () => {
    const service = await startService(UNLIMITED);
    try {
      const client = await register(service);
      const { sql } = service.app.context;
      sql.read.selectFrom = () => {
        throw new BackEndUnavailable('secret detail');
      };
      const answer = await refresh(service, client, 'x'.repeat(43));
      assertOAuthError(answer, 503, 'temporarily_unavailable');
      assert.doesNotMatch(answer.text, /secret detail/);
    } finally {
      await service.stop();
    }
  });
});
