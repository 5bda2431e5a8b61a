import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { assertError, type Client, startService } from '../../../test/harness.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES, type Scope } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';

describe('Scopes of tokens', async () => {
  const service = await startService();
  after(() => service.stop());
  await service.user('ada');
  const json = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const operations = Object.entries<Record<string, { security: { oauth?: [Scope] }[] }>>(
    json.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'ada'),
      // With another scope, it is enough for some bodies.
      scopes: security.flatMap(({ oauth = [] }) => oauth),
    })),
  );

  async function clientWith(scopes: readonly Scope[]): Promise<Client> {
    await setAdmin(service.app.context, undefined, { username: 'ada', isAdmin: true });
    const input = { username: 'ada', name: 'test', lifetimeMs: undefined, scopes };
    const { token } = await createToken(service.app.context, input);
    // What administrators can do would end what is tested.
    await setAdmin(service.app.context, undefined, { username: 'ada', isAdmin: false });
    return service.client(token);
  }

  it('every operation has one, and every scope has operations', () => {
    assert.ok(operations.length > 50);
    assert.deepEqual(new Set(operations.flatMap(({ scopes }) => scopes)), new Set(ALL_SCOPES));
  });

  it('without its scope, an operation is forbidden before any other check', async () => {
    for (const [names, group] of Map.groupBy(operations, ({ scopes }) => scopes.join(' '))) {
      const [scope] = names.split(' ');
      const client = await clientWith(ALL_SCOPES.filter((other) => !names.includes(other)));
      for (const { method, path } of group) {
        const answer = await client.request(path, { method });
        assertError(answer, 403, 'FORBIDDEN', new RegExp(`"${scope}"`));
        assert.equal(
          answer.headers.get('www-authenticate'),
          `Bearer error="insufficient_scope", scope="${scope}"`,
        );
      }
    }
  });

  it('its scope alone is enough for each operation', async () => {
    for (const scope of ALL_SCOPES) {
      const client = await clientWith([scope]);
      for (const { method, path } of operations.filter(({ scopes }) => scopes.includes(scope))) {
        const { status, headers } = await client.request(path, { method });
        assert.notEqual(status, 401);
        assert.equal(headers.get('www-authenticate'), null, `${method} ${path}`);
      }
    }
  });

  it('a token created without scopes has all of them, but not that of administrators', async () => {
    const ada = await service.user('grace');
    for (const { method, path, scopes } of operations) {
      const { headers } = await ada.request(path.replaceAll('ada', 'nobody'), { method });
      const isLacking = headers.get('www-authenticate') !== null;
      assert.equal(isLacking, scopes.includes('admin'), `${method} ${path}`);
    }
  });
});
