import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../harness.ts';
import { connect } from '../mcp/agent.ts';
import { newVisitor, PASSWORD } from '../sign-in/visitor.ts';
import { clientMissing } from '../web/built-client.ts';
import { SCREENS } from '../web-app/screens.ts';
import { makePerson } from '../web-app/world.ts';

/** A name, and look-alikes or names that fold to it. */
const LOOK_ALIKES: Record<string, string[]> = {
  kelvin: ['\u212Aelvin', 'кelvin', 'ｋelvin', 'kelvin\u200b', 'kel\u00advin', 'kelvin\u0301'],
  discreet: ['d\u0131screet', 'd\u0130screet', 'disсreet', '\u200ediscreet', 'discreet\u3164'],
  straße: ['straße', 'STRAẞE'],
  sharp: ['\u017Fharp', 'sharp\u2024', 'sharp.', 'sharp ', 'sharp\0'],
  nine: ['nⅰne', '𝓃ine', 'n\u0456ne', 'nine\ufe0f', 'nine\ud800'],
};

const OWNERS = ['kelvin', 'discreet', 'sharp', 'nine'];

/** Names with which someone could pose as the service, or hide one of its pages. */
const RESERVED = [
  'admin',
  'api',
  'support',
  'security',
  'settings',
  'sign-in',
  'assets',
  'authorize',
  'search',
  'organizations',
  'invitations',
  'import',
  'export',
  'new',
  'read',
  'edit',
  'share',
  'history',
  'delete',
  'rename',
  'preview',
  'uploads',
  'healthz',
  'readyz',
  'reference',
  'shared',
  'people',
  'well-known',
  'null',
  'undefined',
  'briefs',
  'pages',
  'files',
  's',
];

describe('Look-alike and reserved names', { skip: clientMissing }, async () => {
  const service = await startService();
  after(() => service.stop());
  const mallory = await makePerson(service, 'mallory');
  for (const owner of OWNERS) {
    const client = await service.user(owner);
    const body = { name: 'plan', content: `# Plan of ${owner}` };
    assert.equal((await client.post('/user/briefs', body)).status, 201);
  }

  /** Every way to take a name; returns whether it worked. */
  const WAYS: Record<string, (name: string) => Promise<boolean>> = {
    'the API': async (namespace) =>
      (await mallory.client.post('/user/orgs', { namespace, name: 'x' })).status === 201,
    'a tool': async (namespace) => {
      const agent = await connect(service, mallory.client.token);
      const { data } = await agent.call('set_organization', { organization: namespace, name: 'x' });
      await agent.close();
      return data !== undefined;
    },
    'the app': async (namespace) => {
      const form = { namespace, name: 'x' };
      return (await mallory.visitor.post('/organizations/new', form)).status === 303;
    },
    'signing up': async (username) => {
      const form = { username, email: 'x@example.com', password: PASSWORD };
      return (await newVisitor(service).post('/sign-up', form)).status === 303;
    },
  };

  for (const [way, take] of Object.entries(WAYS)) {
    it(`can’t be taken by ${way}`, async () => {
      for (const name of [...Object.values(LOOK_ALIKES).flat(), ...OWNERS, 'KELVIN', ...RESERVED]) {
        assert.equal(await take(name), false, JSON.stringify(name));
      }
    });
  }

  it('lead to no documents, on any host', async () => {
    for (const [owner, names] of Object.entries(LOOK_ALIKES)) {
      if (!OWNERS.includes(owner)) continue;
      for (const name of names.filter((one) => one.isWellFormed())) {
        const path = encodeURIComponent(name);
        for (const url of [
          `${service.webUrl}/${path}`,
          `${service.webUrl}/${path}/plan`,
          `${service.renderUrl}/${path}/plan`,
        ]) {
          const { status } = await fetch(url);
          assert.equal(status, 404, `${url} (${owner})`);
        }
        assert.equal((await mallory.client.get(`/briefs/${path}/plan`)).status, 404, name);
        assert.equal((await mallory.client.get(`/users/${path}`)).status, 404, name);
      }
    }
  });

  it('every first path segment of the service is reserved', async () => {
    const { text } = await mallory.visitor.get('/');
    const links = Array.from(text.matchAll(/(?:href|action)="(\/[^"]*)"/g), ([, path]) => path);
    const paths = [...links, ...SCREENS.map(({ path }) => path)];
    const firsts = paths.flatMap((path) => /^\/([a-z-]+)(?=[/?#]|$)/.exec(path ?? '')?.[1] ?? []);
    const segments = new Set(
      firsts.filter((one) => !['mallory', 'ada', 'observatory'].includes(one)),
    );
    assert.ok(segments.size >= 12 && segments.has('reference'), [...segments].join());
    for (const segment of segments) {
      assert.equal(await WAYS['the API']?.(segment), false, segment);
    }
  });

  it('documents: names that are equal after folding are the same', async () => {
    const post = (name: string) => mallory.client.post('/user/briefs', { name, content: 'x' });
    assert.equal((await post('kelvin')).status, 201);
    for (const name of ['\u212Aelvin', 'KELVIN', ' kelvin '])
      assert.equal((await post(name)).status, 422);
    assert.equal((await post('cafe\u0301')).status, 201);
    assert.equal((await post('café')).status, 422);
    for (const name of ['kel\u200bvin', 'kelvin\u202e', 'kelvin\u00ad']) {
      assert.equal((await post(name)).status, 400, JSON.stringify(name));
    }
  });
});
