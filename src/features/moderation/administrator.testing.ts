import type { Service } from '../../../test/harness.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { createToken } from '../../core/identity/token-service.ts';

/** Creates an administrator of the instance, with a token of all scopes. */
export async function makeAdministrator(service: Service, username: string): Promise<Person> {
  const person = await makePerson(service, username);
  const { context } = service.app;
  await setAdmin(context, undefined, { username, isAdmin: true });
  const all = { username, name: 'all', lifetimeMs: undefined, scopes: ALL_SCOPES };
  const { token } = await createToken(context, all);
  return { ...person, client: service.client(token) };
}
