import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { TOOLS } from '../../src/tools.ts';
import { startService } from '../harness.ts';
import { openPostOffice } from '../mail/post-office.ts';
import { connect } from '../mcp/agent.ts';
import { postRegistration, UNLIMITED } from '../oauth/agent.ts';
import { newVisitor, PASSWORD } from '../sign-in/visitor.ts';
import { databaseState } from '../state.ts';
import { clientMissing } from '../web/built-client.ts';
import { formsOf } from '../web-app/forms.ts';
import { SCREENS } from '../web-app/screens.ts';
import { makeWorld } from '../web-app/world.ts';

const MARK = 'marked-mass-assignment';
const ID = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';

/** The API's bodies refuse every unknown field: src/surfaces/rest/bad-input.test.ts. */
describe('Mass assignment fails in', { skip: clientMissing }, async () => {
  const office = await openPostOffice();
  const service = await startService({ ...UNLIMITED, ...office.settings });
  const ada = (await makeWorld(service)).ada;
  const openapi = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const found = new Set<string>(['sub', 'scope', 'isAdmin', 'is_admin', 'admin', 'trusted']);
  collectProperties(openapi, found);
  for (const rows of Object.values(await databaseState(service.app.context))) {
    for (const column of Object.keys(rows[0] ?? {})) {
      found.add(column).add(column.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()));
    }
  }
  /** All names of response fields and database columns. */
  const names = [...found];
  assert.ok(names.length > 80 && names.includes('ownerId') && names.includes('passwordHash'));
  after(async () => {
    await service.stop();
    await office.close();
  });

  async function assertUnmarked(what: string): Promise<void> {
    const state = JSON.stringify(await databaseState(service.app.context));
    assert.ok(!state.includes(MARK) && !state.includes(ID), what);
  }

  it('every form of every screen, with every known field besides its own', async () => {
    const forms = new Map<string, Record<string, string>>();
    for (const { path, as } of SCREENS) {
      if (as) continue;
      for (const { action, fields } of formsOf(await ada.visitor.get(path))) {
        const target = new URL(action || path, service.webUrl).pathname;
        // Actions that end this account or session leave nothing to check.
        if (!/account|sign-out|end-all|\/search|\/delete/.test(target)) forms.set(target, fields);
      }
    }
    assert.ok(forms.size > 15, [...forms.keys()].join(' '));
    for (const [path, fields] of forms) {
      const answer = await ada.visitor.get(path);
      const own = Array.from(answer.text.matchAll(/ name="([^"]+)"/g), ([, name = '']) => name);
      const foreign = names.filter((name) => !own.includes(name) && !(name in fields));
      const marked = foreign.map((name) => [name, /id$/i.test(name) ? ID : MARK] as const);
      const { status } = await ada.visitor.post(path, { ...Object.fromEntries(marked), ...fields });
      assert.ok(status < 500, `${status} ${path}`);
    }
    await assertUnmarked('a form');
  });

  it('sign-up, with every field of an account', async () => {
    const own = { username: 'marked', email: 'marked@example.com', password: PASSWORD };
    const more = names.map((name) => [name, /id$/i.test(name) ? ID : MARK]);
    const visitor = newVisitor(service);
    const { status } = await visitor.post('/sign-up', { ...Object.fromEntries(more), ...own });
    assert.ok([303, 400, 422].includes(status), `${status}`);
    await assertUnmarked('signing up');
  });

  it('every tool, which refuses unknown arguments', async () => {
    const agent = await connect(service, ada.client.token);
    for (const tool of TOOLS) {
      const { properties } = tool.input as { properties: Record<string, unknown> };
      const foreign = names.filter(
        (name) =>
          !(name in properties) &&
          !(name in ((tool as { argumentNames?: object }).argumentNames ?? {})),
      );
      for (const name of ['id', 'role', 'createdBy'].filter((one) => foreign.includes(one))) {
        const { code, text } = await agent.call(tool.name, { [name]: MARK });
        assert.equal(code, 'INVALID_ARGUMENT', `${tool.name} ${name}: ${text}`);
      }
      const all = Object.fromEntries(foreign.map((name) => [name, MARK]));
      assert.equal((await agent.call(tool.name, all)).code, 'INVALID_ARGUMENT', tool.name);
    }
    await agent.close();
    await assertUnmarked('a tool');
  });

  it('registration of applications: no one can choose an id, a secret or a status', async () => {
    const more = Object.fromEntries(names.map((name) => [name, MARK]));
    const answer = await postRegistration(service, {
      ...more,
      client_name: 'x',
      redirect_uris: ['https://app.example.com/'],
      token_endpoint_auth_method: 'client_secret_post',
      client_id: `${MARK}-client`,
      client_secret: `${MARK}-secret`,
      client_id_issued_at: 1,
      client_secret_expires_at: 1,
      registration_access_token: MARK,
      scope: `${MARK} profile`,
      grant_types: ['authorization_code', 'client_credentials', 'implicit'],
      response_types: ['code', 'token'],
    });
    if (answer.status === 201) {
      const { client_id, client_secret, grant_types, response_types, ...rest } = answer.json;
      assert.doesNotMatch(`${client_id} ${client_secret}`, new RegExp(MARK));
      assert.deepEqual([grant_types, response_types], [['authorization_code'], ['code']]);
      assert.ok(!JSON.stringify(rest).includes(MARK), answer.text);
    } else assert.equal(answer.status, 400, answer.text);
    await assertUnmarked('registration');
  });
});

/** The names of all properties in a JSON Schema, at any depth. */
function collectProperties(schema: unknown, found: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value ?? {})) found.add(name);
    collectProperties(value, found);
  }
}
