import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Answer } from '../../../test/harness.ts';
import {
  newVisitor,
  PASSWORD,
  signIn,
  signUp,
  startWithVisitors,
  type Visitor,
} from '../../../test/sign-in/visitor.ts';
import { setAdmin } from '../../core/identity/admin.ts';
import { createToken as makeToken } from '../../core/identity/token-service.ts';
import { setUpCodes } from './factors.testing.ts';

const MINUTE = 60_000;
const TOKEN = [
  ['name', 'laptop'],
  ['lifetime', '30'],
  ['scopes', 'documents:read'],
  ['scopes', 'documents:write'],
] as [string, string][];

describe('Signing in again before sensitive changes', async () => {
  const service = await startWithVisitors();
  after(() => service.stop());

  const asks = ({ status, text }: Answer) =>
    status < 300 && text.includes('Confirm that it’s you') && !text.includes('Copy your new token');
  const tokens = async (username: string) => {
    const { read } = service.app.context.sql;
    return (
      await read
        .selectFrom('access_token')
        .innerJoin('owner', 'owner.id', 'access_token.accountId')
        .where('owner.namespace', '=', username)
        .select(['access_token.name', 'access_token.scopes'])
        .execute()
    ).map(({ name, scopes }) => `${name}: ${scopes}`);
  };
  const createToken = (visitor: Visitor, proof: [string, string][] = []) =>
    visitor.post('/settings/tokens', [...TOKEN, ...proof]);

  it('isn’t needed for 15 minutes after signing in', async () => {
    const ada = await signUp(service, 'ada');
    service.advance(14 * MINUTE);
    assert.equal((await createToken(ada)).status, 201);
    service.advance(2 * MINUTE);
    assert.ok(asks(await createToken(ada)));
    assert.deepEqual(await tokens('ada'), ['laptop: documents:read documents:write']);
  });

  it('continues with the form that was sent, whose fields the page carries', async () => {
    const bob = await signUp(service, 'bob');
    service.advance(16 * MINUTE);
    const asked = await createToken(bob);
    assert.ok(asks(asked));
    const carried = Array.from(
      asked.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g),
      ([, name = '', value = '']) => [name, value] as [string, string],
    );
    assert.deepEqual(carried, TOKEN);
    const wrong = await bob.post('/settings/tokens', [...carried, ['proof_password', 'wrong']]);
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="proof_password-fault"/);
    assert.doesNotMatch(wrong.text, /value="wrong"/);
    assert.deepEqual(await tokens('bob'), []);
    const right = await bob.post('/settings/tokens', [...carried, ['proof_password', PASSWORD]]);
    assert.equal(right.status, 201);
    assert.deepEqual(await tokens('bob'), ['laptop: documents:read documents:write']);
    // The proof counts for the session that gave it, and no other.
    assert.equal((await createToken(bob)).status, 201);
    const there = newVisitor(service);
    await signIn(there, 'bob');
    service.advance(16 * MINUTE);
    await bob.post('/settings/confirm', { next: '/settings', proof_password: PASSWORD });
    assert.ok(asks(await createToken(there)));
  });

  it('a stolen cookie changes nothing that would let the thief stay', async () => {
    const carol = await signUp(service, 'carol');
    const { app } = await setUpCodes(service, carol);
    service.advance(16 * MINUTE);
    const thief = newVisitor(service, { address: '203.0.113.66' });
    thief.cookies.set('briefs-session', carol.cookies.get('briefs-session') ?? '');
    for (const path of ['/settings/security/passkeys/new', '/settings/security/codes']) {
      const answer = await thief.get(path);
      assert.ok(asks(answer), path);
      assert.doesNotMatch(answer.text, /data-passkey="create"|class="qr"/);
    }
    const id = '01900000-0000-7000-8000-000000000000';
    for (const path of [
      '/settings/tokens',
      '/settings/security/passkeys',
      `/settings/security/passkeys/${id}/remove`,
      '/settings/security/codes',
      '/settings/security/recovery-codes',
    ]) {
      for (const proof of [
        {},
        { proof_password: '' },
        { proof_password: 'wrong' },
        { proof_code: '123456' },
        { proof_credential: '{}' },
        { proof_credential: 'x' },
      ]) {
        const answer = await thief.post(path, { name: 'x', ...proof });
        assert.match(answer.text, /Confirm that it’s you/, `${path} ${JSON.stringify(proof)}`);
        if (answer.status === 429) break;
      }
    }
    const script = { accept: 'application/json' };
    const options = await thief.post('/settings/security/passkeys/options', {}, script);
    assert.equal(options.status, 403);
    const off = await thief.post('/settings/security/codes/off', {
      password: '',
      code: app.code(),
    });
    assert.ok([422, 429].includes(off.status));
  });

  it('takes a code, once; guesses are limited as at the sign-in', async () => {
    const dora = await signUp(service, 'dora');
    const { app, recovery } = await setUpCodes(service, dora);
    service.advance(16 * MINUTE);
    const code = app.code();
    const page = await dora.post('/settings/confirm', {
      next: '/settings/tokens',
      proof_code: '123456',
    });
    assert.equal(page.status, 422);
    assert.match(page.text, /id="proof_code-fault"/);
    const right = await dora.post('/settings/confirm', {
      next: '/settings/tokens',
      proof_code: code,
    });
    assert.equal(right.headers.get('location'), '/settings/tokens');
    service.advance(16 * MINUTE);
    const again = await dora.post('/settings/confirm', { next: '/settings', proof_code: code });
    assert.equal(again.status, 422);
    const recovered = await dora.post('/settings/confirm', {
      next: 'https://evil.example/',
      proof_code: recovery[0] as string,
    });
    assert.equal(
      recovered.headers.get('location'),
      '/settings/security',
      'only paths of this host',
    );
    service.advance(16 * MINUTE);
    for (let failures = 0; failures < 12; failures++) {
      await dora.post('/settings/confirm', { next: '/settings', proof_code: '123456' });
    }
    const limited = await dora.post('/settings/confirm', {
      next: '/settings',
      proof_code: app.code(),
    });
    assert.equal(limited.status, 429);
  });

  it('an administrator’s stolen session takes over no account', async () => {
    const chief = await signUp(service, 'chief');
    const victim = await signUp(service, 'victim');
    await setUpCodes(service, victim);
    await setAdmin(service.app.context, undefined, { username: 'chief', isAdmin: true });
    service.advance(16 * MINUTE);
    const acts = ['reset-link', 'make-admin', 'second-factor', 'email', 'delete'];
    for (const act of acts) {
      const answer = await chief.post(`/admin/people/victim/${act}`, { email: 'x@example.org' });
      assert.ok(asks(answer), act);
      assert.doesNotMatch(answer.text, /sign-in\/reset/);
    }
    assert.ok(asks(await chief.post('/admin/organizations/orphan/appoint', { username: 'chief' })));
    assert.equal((await victim.post('/admin/people/victim/make-admin')).status, 404);
    const proof = { proof_password: PASSWORD };
    const removed = await chief.post('/admin/people/victim/second-factor', proof);
    assert.equal(removed.status, 303);
    const signedIn = await signIn(newVisitor(service), 'victim');
    assert.equal(signedIn.headers.get('location'), '/', 'without a second factor');
  });

  it('an admin’s stolen session changes no policies of an organization, nor moves documents away from them', async () => {
    const olive = await signUp(service, 'olive');
    const made = await olive.post('/organizations/new', { name: 'Guild', namespace: 'guild' });
    assert.equal(made.status, 303);
    const input = { username: 'olive', name: 'her', lifetimeMs: undefined };
    const token = service.client((await makeToken(service.app.context, input)).token);
    const brief = { name: 'kept', content: '# Kept', visibility: 'private' };
    const { id } = (await token.post('/orgs/guild/briefs', brief)).data;
    const stored = () =>
      service.app.context.sql.read.selectFrom('organization_policy').selectAll().execute();
    const forms: [string, Record<string, string>][] = [
      ['policies', { links: 'nobody', outside: 'nobody', public: 'no' }],
      ['policies/programs', { tokens: 'nobody', apps: 'nobody', days: '30' }],
    ];
    service.advance(16 * MINUTE);
    for (const [form, fields] of forms) {
      assert.ok(asks(await olive.post(`/organizations/guild/${form}`, fields)), form);
    }
    assert.deepEqual(await stored(), []);
    for (const [form, fields] of forms) {
      const proof = { ...fields, proof_password: PASSWORD };
      assert.equal((await olive.post(`/organizations/guild/${form}`, proof)).status, 303, form);
    }
    service.advance(16 * MINUTE);
    const away = { document: id, owner: 'olive', name: 'kept' };
    assert.ok(asks(await olive.post('/move/guild/kept', away)));
    assert.equal((await token.get('/briefs/olive/kept')).status, 404);
    const proof = { ...away, proof_password: PASSWORD };
    assert.equal((await olive.post('/move/guild/kept', proof)).status, 303);
    assert.equal((await token.get('/briefs/olive/kept')).status, 200);
    const [policies] = await stored();
    assert.deepEqual([policies?.linkMakers, policies?.tokenHolders], ['nobody', 'nobody']);
  });

  it('a stolen session ends no protection', async () => {
    const paula = await signUp(service, 'paula');
    const { context } = service.app;
    const input = { username: 'paula', name: 'her', lifetimeMs: undefined };
    const token = service.client((await makeToken(context, input)).token);
    const { data } = await token.post('/user/briefs', { name: 'kept', content: '# Kept' });
    await paula.post('/organizations/new', { name: 'Kept', namespace: 'keepers' });
    const ofDocument = { document: data.id };
    const ofKeepers = (await token.post('/orgs/keepers/briefs', { name: 'its', content: '# Its' }))
      .data;
    await paula.post('/organizations/keepers/protection', { protected: 'on' });
    assert.equal(
      (await paula.post('/review/paula/kept/protection', { ...ofDocument, protected: 'on' }))
        .status,
      303,
    );
    service.advance(16 * MINUTE);
    const forms: [string, Record<string, string>][] = [
      ['/review/paula/kept/protection', { ...ofDocument, twoPeople: 'off' }],
      ['/review/paula/kept/protection', { ...ofDocument, protected: 'off' }],
      ['/organizations/keepers/protection', { protected: 'off' }],
      ['/move/keepers/its', { document: ofKeepers.id, owner: 'paula', name: 'its' }],
    ];
    for (const [path, fields] of forms) {
      assert.ok(asks(await paula.post(path, fields)), path);
    }
    assert.equal((await token.get('/briefs/paula/kept/review-settings')).data.protected, true);
    const twoPeople = { ...ofDocument, twoPeople: 'on' };
    assert.equal((await paula.post('/review/paula/kept/protection', twoPeople)).status, 303);
    const [path, fields] = forms[1] as (typeof forms)[number];
    const proof = { ...fields, proof_password: PASSWORD };
    assert.equal((await paula.post(path, proof)).status, 303);
    assert.equal((await token.get('/briefs/paula/kept/review-settings')).data.protected, false);
  });

  it('forms that ask for the password need nothing else', async () => {
    const eve = await signUp(service, 'eve');
    service.advance(60 * MINUTE);
    const email = await eve.post('/settings/email', {
      email: 'eve@new.example',
      current: PASSWORD,
    });
    assert.equal(email.headers.get('location'), '/settings');
    const change = { current: PASSWORD, password: 'another odd walnut' };
    assert.equal((await eve.post('/settings/password', change)).status, 303);
    const deletion = { confirmation: 'eve', password: 'another odd walnut' };
    assert.equal((await eve.post('/settings/account/delete', deletion)).status, 303);
  });

  it('without a password, those forms ask; what was typed as a password is not carried', async () => {
    const fay = await signUp(service, 'fay');
    const { app } = await setUpCodes(service, fay);
    await service.app.context.sql.transaction((tx) =>
      tx
        .updateTable('account')
        .set({ passwordHash: null })
        .where('email', '=', 'fay@example.com')
        .execute(),
    );
    service.advance(16 * MINUTE);
    assert.ok(asks(await fay.get('/settings/password')));
    const set = await fay.post('/settings/password', { password: 'another odd walnut' });
    assert.ok(asks(set));
    assert.doesNotMatch(set.text, /walnut|proof_password/);
    assert.ok(asks(await fay.post('/settings/email', { email: 'fay@new.example' })));
    const deletion = { confirmation: 'fay', proof_password: '' };
    assert.ok(asks(await fay.post('/settings/account/delete', deletion)));
    const sent = { email: 'fay@new.example', proof_code: app.code() };
    assert.equal((await fay.post('/settings/email', sent)).headers.get('location'), '/settings');
    assert.match((await fay.get('/settings')).text, /fay@new\.example/);
  });
});
