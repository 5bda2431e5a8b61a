import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { type Answer, startService } from '../../../test/harness.ts';
import { newVisitor, PASSWORD, signUp, type Visitor } from '../../../test/sign-in/visitor.ts';

const DAY = 24 * 60 * 60_000;
const PATH = '/settings/tokens';

/** The token that a page shows. */
const tokenOn = ({ text }: Answer) => /brf_[0-9A-Za-z]+/.exec(text)?.[0];

/** The address for revoking the token with a name. */
function revokePathOn({ text }: Answer, name: string): string {
  const found = new RegExp(`href="(${PATH}/[^"]+/revoke)" aria-label="Revoke ${name}"`).exec(text);
  assert.ok(found, `no way to revoke ${name}`);
  return found[1] as string;
}

describe('Tokens in the settings', async () => {
  const lines: string[] = [];

  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const service = await startService({ LOG_LEVEL: 'trace' }, { logger });
  after(() => service.stop());
  const ada = await signUp(service, 'ada');

  const make = (
    name: string,
    options: { scopes?: string[]; lifetime?: string; visitor?: Visitor } = {},
  ) => {
    const { scopes = ['documents:read'], lifetime = '30', visitor = ada } = options;
    const chosen = scopes.map((scope): [string, string] => ['scopes', scope]);
    return visitor.post(PATH, [['name', name], ['lifetime', lifetime], ...chosen]);
  };

  const statusWith = async (token: string | undefined, path: string) =>
    (await service.client(token).get(path)).status;

  it('a new one works at once, within its scopes', async () => {
    const made = await make('reader');
    assert.equal(made.status, 201);
    const token = tokenOn(made);
    assert.equal(await statusWith(token, '/user/briefs'), 200);
    assert.equal(await statusWith(token, '/user'), 403, 'a scope it lacks');
    const both = tokenOn(await make('both', { scopes: ['profile', 'documents:read'] }));
    assert.equal(await statusWith(both, '/user/briefs'), 200);
    assert.equal(await statusWith(both, '/user'), 200);
  });

  it('can be limited to some documents, which the list says', async () => {
    await signUp(service, 'bob');
    const wide = service.client(tokenOn(await make('wide', { scopes: ['documents:write'] })));
    for (const name of ['one', 'two']) await wide.post('/user/briefs', { name, content: name });
    const ask = (reach: string, scopes = ['documents:read']) =>
      ada.post(PATH, [
        ['name', 'some'],
        ['lifetime', '30'],
        ['reach', reach],
        ...scopes.map((scope): [string, string] => ['scopes', scope]),
      ]);
    for (const [reach, fault] of [
      ['bob', /“bob” is neither you nor/],
      ['ada/three', /there is no document “ada\/three”/i],
    ] as const) {
      const refused = await ask(reach);
      assert.equal(refused.status, 422);
      assert.match(refused.text, fault);
      assert.ok(refused.text.includes(`value="${reach}"`), 'what was typed stays');
    }
    const beyond = await ask('ada/one', ['documents:read', 'organizations']);
    assert.match(beyond.text, /a token for some documents can’t have: See and manage your organ/i);
    const made = await ask(`ada/one, ${service.webUrl}/ada/two`);
    assert.equal(made.status, 201);
    assert.match(made.text, />Only ada\/one, ada\/two</);
    const some = service.client(tokenOn(await ask('ada/one')));
    assert.equal((await some.get('/briefs/ada/one')).status, 200);
    assert.equal((await some.get('/briefs/ada/two')).status, 404);
    assert.deepEqual((await some.get('/user/briefs')).data.length, 1);
  });

  it('has commands to copy, which need no more than its scopes', async () => {
    const paths = {
      'documents:read': '/user/briefs',
      profile: '/user',
      organizations: '/user/orgs',
      sharing: '/user/brief_invitations',
    };
    for (const [scope, path] of Object.entries(paths)) {
      const made = await make(`line for ${scope}`, { scopes: [scope] });
      const token = tokenOn(made) as string;
      const header = `&quot;Authorization: Bearer ${token}&quot;`;
      assert.ok(made.text.includes(`curl ${service.baseUrl}${path} -H ${header}`), scope);
      assert.ok(made.text.includes(`${service.baseUrl}/mcp --header ${header}`), scope);
      assert.equal(await statusWith(token, path), 200, scope);
    }
    const writes = await make('writer', { scopes: ['documents:write'] });
    assert.match(writes.text, /curl [^ ]+\/user\/briefs -H .* -d /);
  });

  it('is shown once, and stored nowhere: not on the page, in the log or in the database', async () => {
    const token = tokenOn(await make('once')) as string;
    const again = await ada.get(PATH);
    assert.match(again.text, />once</);
    assert.equal(tokenOn(again), undefined);
    assert.equal(await statusWith(token, '/user/briefs'), 200);
    const log = lines.join('');
    assert.ok(log.includes(PATH), 'the log has the request');
    const rows = await service.app.context.sql.read
      .selectFrom('access_token')
      .selectAll()
      .execute();
    const cookies = [...ada.cookies.values()].join();
    for (const place of [log, JSON.stringify(rows), cookies]) assert.ok(!place.includes(token));
  });

  it('the list shows scopes, expiry and last use', async () => {
    const token = tokenOn(await make('listed', { scopes: ['sharing'], lifetime: 'none' }));
    const row = async () =>
      /<strong>listed<\/strong>.*?<\/li><\/ul>/s.exec((await ada.get(PATH)).text)?.[0] ?? '';
    assert.match(await row(), /Never expires\s· Never used.*Invite people to documents/);
    await statusWith(token, '/user/brief_invitations');
    assert.match(await row(), /Last used <time/);
  });

  it('expires as chosen', async () => {
    const week = tokenOn(await make('week', { lifetime: '7' }));
    const forGood = tokenOn(await make('for good', { lifetime: 'none' }));
    service.advance(8 * DAY);
    await ada.post('/settings/confirm', { next: PATH, proof_password: PASSWORD });
    assert.equal(await statusWith(week, '/user/briefs'), 401);
    assert.equal(await statusWith(forGood, '/user/briefs'), 200);
    const { text } = await ada.get(PATH);
    const ended = /<details>.*<\/details>/s.exec(text)?.[0] ?? '';
    assert.match(ended, /week<\/strong>.*Expired/s);
    assert.doesNotMatch(ended, /for good/);
  });

  it('ends when it is revoked, after a confirmation', async () => {
    const made = await make('brief life');
    const token = tokenOn(made);
    const path = revokePathOn(made, 'brief life');
    const asks = await ada.get(path);
    assert.match(asks.text, /<h1>Revoke brief life\?<\/h1>/);
    assert.match(asks.text, /This token has never been used/);
    assert.equal(await statusWith(token, '/user/briefs'), 200, 'asking revokes nothing');
    const { status, headers } = await ada.post(path);
    assert.deepEqual([status, headers.get('location')], [303, PATH]);
    assert.equal(await statusWith(token, '/user/briefs'), 401);
    assert.match((await ada.get(PATH)).text, /Token revoked/);
    assert.equal((await ada.get(path)).status, 404);
    assert.equal((await ada.post(path)).status, 404);
  });

  it('others’ and unknown ones are 404', async () => {
    const made = await make('private');
    const token = tokenOn(made);
    const path = revokePathOn(made, 'private');
    const eve = await signUp(service, 'eve');
    for (const tried of [path, `${PATH}/x/revoke`]) {
      assert.equal((await eve.get(tried)).status, 404, tried);
      assert.equal((await eve.post(tried)).status, 404, tried);
    }
    assert.doesNotMatch((await eve.get(PATH)).text, />private</);
    assert.equal((await newVisitor(service).post(path)).status, 303, 'to sign in');
    assert.equal(await statusWith(token, '/user/briefs'), 200);
  });

  it('errors are shown beside the field, and choices kept', async () => {
    const before = (await ada.get(PATH)).text.match(/>Revoke</g)?.length;
    for (const [name, options, field] of [
      ['', {}, 'name'],
      ['x'.repeat(101), {}, 'name'],
      ['of no use', { scopes: [] }, 'scopes'],
      ['unknown', { scopes: ['everything'] }, 'scopes'],
      ['odd', { lifetime: '100000' }, 'lifetime'],
      ['', { lifetime: '' }, 'lifetime'],
    ] as const) {
      const answer = await make(name, { scopes: ['profile'], ...options } as never);
      assert.equal(answer.status, 422, field);
      assert.match(answer.text, new RegExp(`id="${field}-fault"`));
      assert.equal(tokenOn(answer), undefined);
      const kept = /value="profile" checked/.test(answer.text);
      assert.equal(kept, !('scopes' in options), 'the choice of scopes');
    }
    assert.equal((await ada.get(PATH)).text.match(/>Revoke</g)?.length, before, 'none is made');
  });
});
