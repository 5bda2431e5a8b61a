import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { freePorts } from '../../../test/free-ports.ts';
import { type Service, startService } from '../../../test/harness.ts';
import {
  assertOAuthError,
  authorizeUrl,
  goToConsent,
  makePkce,
  obtainTokens,
  postRegistration,
  refresh,
  statusWith,
  UNLIMITED,
} from '../../../test/oauth/agent.ts';
import { openBrowser, signedIn, type Visitor } from '../../../test/oauth/visitor.ts';
import { createNameLookups } from '../../base/net/name-lookups.ts';
import { isPublicAddress } from '../../base/net/public-address.ts';
import { fetchGuarded } from './guarded-fetch.ts';

const CLIENT_ID = 'https://agents.example/client.json';
const REDIRECT = 'https://agents.example/callback';

describe('Applications that describe themselves (client id metadata documents)', () => {
  let service: Service;
  let ada: Visitor;
  const documents = new Map<string, string>();
  let contentType = 'application/json';
  const fetched: string[] = [];

  before(async () => {
    service = await startService(UNLIMITED, {
      async fetchDocument(address) {
        fetched.push(String(address));
        const body = documents.get(String(address));
        if (body === undefined) throw new Error('refused');
        return new Response(body, { headers: { 'content-type': contentType } });
      },
    });
    ada = await signedIn(service, (await (await service.user('ada')).get('/user')).data.id);
  });
  after(() => service.stop());

  function describeAs(id: string, metadata: Record<string, unknown>): void {
    const document = { client_id: id, client_name: 'Agents', redirect_uris: [REDIRECT] };
    documents.set(id, JSON.stringify({ ...document, ...metadata }));
  }

  it('prove nothing of a device: anybody can name their address there', async () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code'];
    describeAs('https://agents.example/device.json', { grant_types });
    const body = new URLSearchParams({ client_id: 'https://agents.example/device.json' });
    const asked = await fetch(`${service.baseUrl}/oauth/device`, { method: 'POST', body });
    const { user_code: code } = (await asked.json()) as { user_code: string };
    const page = `${service.webUrl}/connect/device`;
    const entered = await ada.submit(page, [['user_code', code]]);
    const { text } = await ada.get(service.webUrl + entered.headers.get('location'));
    assert.match(text, /Connect Agents\?/);
    assert.match(text, /verify that it really runs/);
    assert.doesNotMatch(text, /published by/);
  });

  it('don’t need registration', async () => {
    describeAs(CLIENT_ID, { application_type: 'web', scope: 'mcp:tools', contacts: ['x'] });
    const client = { client_id: CLIENT_ID, redirect_uris: [REDIRECT] };
    const page = await goToConsent(service, ada, {
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT,
      code_challenge: makePkce().challenge,
    });
    const { text } = await ada.get(page);
    assert.match(text, /published by <strong>agents\.example<\/strong>/);
    assert.doesNotMatch(text, /Nobody has verified/);
    const tokens = await obtainTokens(service, ada, client);
    assert.equal(await statusWith(service, tokens.access_token), 200);
    assert.equal((await refresh(service, client, tokens.refresh_token)).status, 200);
    assert.equal(fetched.filter((address) => address === CLIENT_ID).length, 1, 'fetched once');
  });

  it('follow the same rules', async () => {
    let number = 0;
    for (const metadata of [
      { client_id: 'https://other.example/client.json' },
      { redirect_uris: ['http://evil.example/'] },
      { redirect_uris: ['javascript:alert(1)'] },
      { redirect_uris: [] },
      { client_secret: 'x' },
      { token_endpoint_auth_method: 'client_secret_post' },
      { grant_types: ['implicit'] },
    ] as Record<string, unknown>[]) {
      const id = `https://agents.example/${++number}.json`;
      describeAs(id, metadata);
      const [uri] = (metadata.redirect_uris as string[] | undefined) ?? [REDIRECT];
      const url = authorizeUrl(service, {
        client_id: id,
        redirect_uri: uri ?? REDIRECT,
        code_challenge: makePkce().challenge,
      });
      const answer = await openBrowser().get(url);
      assert.equal(answer.status, 400, JSON.stringify(metadata));
      assert.equal(answer.headers.get('location'), null);
    }
  });

  it('must be served as JSON, since other files at a host may be a user’s', async () => {
    const statusOf = async (id: string) => {
      describeAs(id, {});
      const parameters = { client_id: id, redirect_uri: REDIRECT };
      const { challenge } = makePkce();
      const url = authorizeUrl(service, { ...parameters, code_challenge: challenge });
      return (await openBrowser().get(url)).status;
    };
    try {
      for (const type of ['text/markdown; charset=utf-8', 'text/html', 'text/plain', '']) {
        contentType = type;
        assert.equal(await statusOf(`https://agents.example/as/${type.length}`), 400, type);
      }
      for (const type of ['application/json; charset=utf-8', 'application/cimd+json']) {
        contentType = type;
        assert.equal(await statusOf(`https://agents.example/as/${type.length}`), 303, type);
      }
    } finally {
      contentType = 'application/json';
    }
  });

  it('get an error page without a document', async () => {
    for (const id of ['https://agents.example/none.json', 'https://127.0.0.1/client.json']) {
      const url = authorizeUrl(service, { client_id: id, redirect_uri: REDIRECT });
      const answer = await openBrowser().get(url);
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('location'), null);
      assert.doesNotMatch(answer.text, /refused/, 'nothing of why');
    }
  });
});

describe('The service’s own hosts, where anyone can publish', () => {
  const OWN = ['https://briefs.example/ada/app.md', 'https://pages.example/ada/app'];
  let service: Service;
  const fetched: string[] = [];

  before(async () => {
    const [port] = await freePorts(1);
    const settings = {
      ...UNLIMITED,
      PORT: String(port),
      WEB_URL: 'https://briefs.example',
      RENDER_URL: 'https://pages.example',
      BASE_URL: `http://localhost:${port}/api`,
    };
    service = await startService(settings, {
      async fetchDocument(address) {
        fetched.push(String(address));
        return Response.json({ client_id: address, redirect_uris: [REDIRECT] });
      },
    });
  });
  after(() => service.stop());

  it('can’t host a client metadata document', async () => {
    for (const id of OWN) {
      const url = authorizeUrl(service, {
        client_id: id,
        redirect_uri: REDIRECT,
        code_challenge: makePkce().challenge,
      });
      assert.equal((await openBrowser().get(url)).status, 400, id);
    }
    assert.deepEqual(fetched, [], 'not even asked');
  });

  it('can’t be a redirect target', async () => {
    for (const uri of [...OWN, 'https://BRIEFS.example:443/x']) {
      const answer = await postRegistration(service, { redirect_uris: [REDIRECT, uri] });
      assertOAuthError(answer, 400, 'invalid_redirect_uri');
    }
    assert.equal((await postRegistration(service, { redirect_uris: [REDIRECT] })).status, 201);
  });
});

describe('Fetching untrusted URLs', () => {
  const PRIVATE = [
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '::7f00:1',
    'fec0::1',
    '1::1',
    '4000::1',
    '3fff::1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '::127.0.0.1',
    '100::1',
    'localhost',
    '',
  ];

  it('allows only public addresses', () => {
    for (const address of PRIVATE) assert.equal(isPublicAddress(address), false, address);
    for (const address of ['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '::ffff:8.8.8.8']) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });

  it('is refused if any of a host’s addresses is not public', async () => {
    for (const address of PRIVATE.slice(0, -2)) {
      for (const found of [[address], ['93.184.216.34', address]]) {
        const answer = fetchGuarded('https://agents.example/client.json', async () => found);
        await assert.rejects(answer, /not public/, address);
      }
    }
    await assert.rejects(
      fetchGuarded('https://agents.example/', async () => []),
      /not public/,
    );
  });

  it('is refused for private IP addresses in any notation', async () => {
    const never = async () => assert.fail('nothing is looked up');
    for (const host of [
      '127.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '169.254.169.254',
      '[fe80::1]',
      '10.0.0.1',
    ]) {
      await assert.rejects(fetchGuarded(`https://${host}/client.json`, never), /not public/, host);
    }
    const resolve = createNameLookups({ servers: [], searches: false }).ofClient('127.0.0.1');
    await assert.rejects(fetchGuarded('https://localhost/client.json', resolve), /not public/);
  });

  it('requires https on port 443', async () => {
    const never = async () => assert.fail('nothing is looked up');
    for (const address of [
      'http://agents.example/client.json',
      'https://agents.example:8443/client.json',
      'https://user@agents.example/client.json',
      'file:///etc/passwd',
    ]) {
      await assert.rejects(fetchGuarded(address, never), /only https/, address);
    }
  });
});
