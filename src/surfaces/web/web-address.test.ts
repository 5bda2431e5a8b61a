import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, readAnswer, startService } from '../../../test/harness.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import type { Actor } from '../../core/context.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import type { VisitorOf } from './browser-session.ts';

const HTML = '<title>A "quoted" <page></title><h1>x</h1>';

describe('The web address of a page', async () => {
  /** Returns the signed-in user, by the cookie that these tests send. */
  const visitors = new Map<string, Actor>();

  const visitorOf: VisitorOf = async (request) => visitors.get(request.headers.cookie ?? '');
  const service = await startService({}, { visitorOf });
  after(() => service.stop());
  const ada = await service.user('ada');
  for (const username of ['grace', 'eve']) {
    const { data } = await (await service.user(username)).get('/user');
    visitors.set(`signed-in=${username}`, {
      id: data.id,
      username,
      scopes: ALL_SCOPES,
      via: VIA_WEB,
    });
  }
  const { data } = await ada.get('/user');
  visitors.set('signed-in=ada', {
    id: data.id,
    username: 'ada',
    scopes: ALL_SCOPES,
    via: VIA_WEB,
  });
  await ada.post('/user/pages', { html: HTML, name: 'open' });
  await ada.post('/user/pages', { html: HTML, name: 'closed', visibility: 'private' });
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  const internal = { html: HTML, name: 'inside', visibility: 'internal' };
  await ada.post('/orgs/engines/pages', internal);

  async function visit(path: string, who?: string): Promise<Answer> {
    const headers = { accept: 'text/html', ...(who && { cookie: `signed-in=${who}` }) };
    return readAnswer(await fetch(service.webUrl + path, { headers, redirect: 'manual' }));
  }

  /** The attributes of the only frame. */
  function frameOf({ text }: Answer): Record<string, string> {
    const frames = text.match(/<iframe(?:"[^"]*"|[^">])*>/g) ?? [];
    assert.equal(frames.length, 1);
    const attributes = frames[0]?.matchAll(/([\w-]+)="([^"]*)"/g) ?? [];
    return Object.fromEntries(
      Array.from(attributes, ([, name, value]) => [name, (value ?? '').replaceAll('&amp;', '&')]),
    );
  }

  /**
   * The part of a response that is the same each time, and at each address except for its own path.
   */
  function lasting({ status, headers, text }: Answer): object {
    const volatile = ['date', 'x-request-id', 'content-length'];
    const rest = [...headers].filter(([name]) => !volatile.includes(name));
    return { status, headers: rest, text: text.replace(/(\?next=)[^"]*/, '$1') };
  }

  function directive({ headers }: Answer, name: string): string | undefined {
    const policy = headers.get('content-security-policy') ?? '';
    return policy.split('; ').find((each) => each.startsWith(`${name} `));
  }

  it('shows a public page to anyone, in a sandboxed frame', async () => {
    const { data } = await ada.get('/pages/ada/open');
    const answer = await visit('/ada/pages/open');
    assert.equal(answer.status, 200);
    assert.equal(data.url, `${service.webUrl}/ada/pages/open`);
    const frame = frameOf(answer);
    assert.equal(frame.src, data.renderUrl);
    assert.equal(frame.sandbox, 'allow-scripts allow-forms allow-modals allow-downloads');
    assert.equal(frame.referrerpolicy, 'no-referrer');
    assert.equal(frame.allow, 'clipboard-write; fullscreen');
    assert.equal(directive(answer, 'frame-src'), `frame-src 'self' ${service.renderUrl}`);
    assert.equal(directive(answer, 'frame-ancestors'), "frame-ancestors 'none'");
    assert.equal(directive(answer, 'script-src'), "script-src 'self'");
    assert.match(answer.headers.get('cache-control') ?? '', /no-store|no-cache/);
    assert.doesNotMatch(answer.text, /name="robots"/);
  });

  it('escapes the page’s title', async () => {
    const { text } = await visit('/ada/pages/open');
    assert.ok(!text.includes('<page>'));
    assert.ok(text.includes('A "quoted" &lt;page>') || text.includes('A &quot;quoted&quot; &lt;'));
    const evil = '<title>"><img src=x onerror=alert(1)></title>';
    await ada.post('/user/pages', { html: evil, name: 'evil' });
    const answer = await visit('/ada/pages/evil');
    assert.doesNotMatch(answer.text, /<img/);
    assert.match(frameOf(answer).src ?? '', /\/ada\/evil$/);
  });

  it('ignores case like all names, and supports only GET and HEAD', async () => {
    assert.equal((await visit('/ADA/pages/OPEN')).status, 200);
    const url = `${service.webUrl}/ada/pages/open`;
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await fetch(url, { method });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], method);
      assert.match(await refused.text(), /programs .* write at http/);
    }
    for (const path of ['/ada/Pages/open', '/ada/pages', '/ada/pages/open/x']) {
      assert.equal((await visit(path)).status, 404, path);
    }
  });

  it('without access: programs are told where a token helps, the same for all addresses', async () => {
    const told = async (path: string) => {
      const answer = await fetch(service.webUrl + path, { headers: { accept: '*/*' } });
      return [answer.status, await answer.text()];
    };
    const [status, text] = await told('/ada/pages/none');
    assert.equal(status, 404);
    assert.ok(
      `${text}`.includes(`at ${service.baseUrl}/briefs/{owner}/{name} or ${service.baseUrl}/mcp`),
    );
    assert.deepEqual(await told('/ada/pages/closed'), [404, text]);
  });

  it('without access: the same 404 as for a missing page', async () => {
    for (const who of [undefined, 'eve', 'nobody']) {
      const missing = await visit('/ada/pages/none', who);
      assert.equal(missing.status, 404);
      for (const path of ['/ada/pages/closed', '/engines/pages/inside', '/nobody/pages/closed']) {
        assert.deepEqual(lasting(await visit(path, who)), lasting(missing), `${path} as ${who}`);
      }
      const isSignedIn = who === 'eve';
      assert.equal(/href="\/sign-in/.test(missing.text), !isSignedIn, 'only who can may sign in');
      assert.equal(/shared with you \(eve\)/.test(missing.text), isSignedIn);
      assert.doesNotMatch(missing.text, /<iframe/);
    }
  });

  it('leads readers who are signed in to the app', async () => {
    for (const address of ['ada/pages/open', 'ada/pages/closed', 'engines/pages/inside']) {
      const answer = await visit(`/${address}`, 'ada');
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/read/${address}`]);
      assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    }
  });

  it('follows changes of the visitor’s access', async () => {
    assert.equal((await visit('/ada/pages/closed', 'grace')).status, 404);
    const invited = await ada.put('/pages/ada/closed/collaborators/grace', { permission: 'read' });
    const asked = await visit('/ada/pages/closed', 'grace');
    const target = asked.headers.get('location');
    assert.deepEqual([asked.status, target], [303, '/read/ada/pages/closed'], 'to the invitation');
    const tokens = await service.user('helper');
    assert.equal((await tokens.get('/pages/ada/closed')).status, 404);
    assert.equal(invited.status, 201);
    await ada.patch('/pages/ada/closed', { visibility: 'public' });
    const open = await visit('/ada/pages/closed');
    assert.equal(frameOf(open).src, `${service.renderUrl}/ada/closed`);
    await ada.patch('/pages/ada/closed', { visibility: 'private' });
    assert.equal((await visit('/ada/pages/closed')).status, 404);
    assert.equal((await visit('/ada/pages/closed', 'ada')).status, 303);
  });

  it('does not show briefs', async () => {
    await ada.post('/user/briefs', { content: '# Only a brief', name: 'words' });
    assert.equal((await visit('/ada/pages/words')).status, 404);
    assert.equal((await visit('/ada/words')).status, 200);
    assert.equal((await visit('/ada/open')).status, 404);
  });
});
