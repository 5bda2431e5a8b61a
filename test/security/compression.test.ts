import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, startService } from '../harness.ts';
import { goToConsent, makePkce, register, UNLIMITED } from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';
import { newVisitor } from '../sign-in/visitor.ts';
import { clientMissing } from '../web/built-client.ts';

const ACCEPTED = { 'accept-encoding': 'gzip, br, zstd' };
const OWN = { ...ACCEPTED, 'sec-fetch-site': 'same-origin' };

// The BREACH attack: a response contains a secret and text by an attacker. If the attacker can make
// a browser request it and see its compressed size, they can guess the secret step by step.
describe('Compression reveals no secrets', { skip: clientMissing }, async () => {
  const get = (path: string, headers: Record<string, string>) =>
    ada.request(new URL(path, service.webUrl).href, { headers });

  const service = await startService(UNLIMITED);
  after(() => service.stop());
  const client = await service.user('ada');
  const ada = await signedIn(service, (await client.get('/user')).data.id);
  const content = `# Plan\n\n${'What we want to have done. '.repeat(60)}`;
  await client.post('/user/briefs', { name: 'plan', content, visibility: 'private' });
  await client.post('/user/briefs', { name: 'open', content });

  function assertNotCompressed(answer: Answer, status: number): void {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers.get('content-encoding'), null);
    assert.ok(answer.text.length > 1024, 'long enough to be compressed');
  }

  for (const path of ['/', '/read/ada/plan', '/search?q=plan', '/settings/tokens']) {
    it(`${path} is compressed only for requests by our own pages or typed by the user`, async () => {
      for (const site of ['same-origin', 'none']) {
        const answer = await get(path, { ...ACCEPTED, 'sec-fetch-site': site });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-encoding'), 'zstd', site);
      }
      for (const site of ['cross-site', 'same-site', 'x', '']) {
        assertNotCompressed(await get(path, { ...ACCEPTED, 'sec-fetch-site': site }), 200);
      }
      assertNotCompressed(await get(path, ACCEPTED), 200);
    });
  }

  it('a public brief has the tag of its encoding', async () => {
    const read = (headers: Record<string, string>) =>
      newVisitor(service).get('/ada/open', { ...headers, accept: 'text/html' });
    const identity = { 'accept-encoding': 'identity' };
    const [plain, own] = [await read(identity), await read(OWN)];
    assertNotCompressed(plain, 200);
    assert.equal(own.headers.get('content-encoding'), 'zstd');
    assert.notEqual(plain.headers.get('etag'), own.headers.get('etag'));
    const condition = { 'if-none-match': `${own.headers.get('etag')}` };
    assertNotCompressed(await read({ ...identity, ...condition }), 200);
  });

  it('the page that shows a new token is not compressed', async () => {
    const answer = await ada.request(`${service.webUrl}/settings/tokens`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'new', lifetime: '30', scopes: 'documents:read' }),
      headers: { ...OWN, origin: service.webUrl },
    });
    assertNotCompressed(answer, 201);
    assert.match(answer.text, /brf_[0-9A-Za-z]{20}/);
  });

  it('the consent screen is not compressed, because it repeats its secret address', async () => {
    const client = await register(service);
    const page = await goToConsent(service, ada, {
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code_challenge: makePkce().challenge,
    });
    const answer = await get(page, OWN);
    assertNotCompressed(answer, 200);
    assert.ok(answer.text.includes(page.split('/').at(-1) as string));
  });

  it('signed addresses differ each time, so they can’t be guessed', async () => {
    const client = await service.user('grace');
    await client.post('/user/pages', { name: 'dice', html: '<p>6', visibility: 'private' });
    const grace = await signedIn(service, (await client.get('/user')).data.id);
    const sealed = async () => {
      const { text } = await grace.get(`${service.webUrl}/read/grace/pages/dice`);
      return /for=([\w-]{86})(?:&amp;review=1)?&amp;sig=([\w-]{43})/.exec(text)?.slice(1) ?? [];
    };
    const [first, second] = [await sealed(), await sealed()];
    assert.equal(first.length, 2);
    for (const at of [0, 1]) assert.notEqual(first[at], second[at]);
  });
});
