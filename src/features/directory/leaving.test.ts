import { strict as assert } from 'node:assert';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pino } from 'pino';
import { freePorts } from '../../../test/free-ports.ts';
import type { Service } from '../../../test/harness.ts';
import {
  departure,
  goThrough,
  leadsTo,
  type OidcServer,
  startOidcServer,
} from '../../../test/servers/oidc.ts';
import {
  newVisitor,
  PASSWORD,
  startWithVisitors,
  type Visitor,
  whoIs,
} from '../../../test/sign-in/visitor.ts';
import { BackEndUnavailable } from '../../base/errors.ts';
import { rotateAuthorizationKeys } from '../../core/identity/key-service.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { setPassword } from '../accounts/password-service.ts';
import { createUpstreamClient } from '../accounts/upstream-client.ts';
import { unlinkPerson } from '../factors/provider-service.ts';
import { type Answers, checkDue } from './checker.ts';

const HOUR = 60 * 60_000;

describe('Leaving at the provider', () => {
  let oidc: OidcServer;
  let service: Service;
  let callback = '';

  before(async () => {
    const [port, renderPort] = await freePorts(2);
    callback = `http://localhost:${port}/sign-in/callback`;
    oidc = await startOidcServer({ redirectUri: callback });
    service = await startWithVisitors({
      PORT: String(port),
      RENDER_PORT: String(renderPort),
      ...oidc.settings,
      OIDC_GROUPS: 'staff',
      OIDC_CHECK_HOURS: '4',
      OIDC_SIGN_OUT: 'on',
    });
  });
  after(async () => {
    await service.stop();
    await oidc.close();
  });

  function arrive(sub: string, groups = ['staff']) {
    oidc.person = { sub, claims: { preferred_username: sub, email: `${sub}@idp.example`, groups } };
  }

  async function signInAs(sub: string): Promise<Visitor> {
    arrive(sub);
    const visitor = newVisitor(service);
    const back = await goThrough(oidc, await departure(visitor));
    const { headers } = await visitor.get(back.href);
    if (headers.get('location') === '/sign-up/upstream') {
      const form = { username: sub, email: `${sub}@example.com` };
      assert.equal((await visitor.post('/sign-up/upstream', form)).status, 303);
    }
    return visitor;
  }

  const rowsOf = async (username: string) =>
    service.app.context.sql.read
      .selectFrom('session')
      .innerJoin('owner', 'owner.id', 'session.accountId')
      .where('namespace', '=', username)
      .select(['session.id', 'upstreamSid'])
      .orderBy('session.id')
      .execute();

  const tell = (token: string, headers: Record<string, string> = {}) =>
    fetch(`${service.webUrl}/sign-in/back-channel-logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ logout_token: token }),
    });

  const tokenOf = async (username: string) => {
    const input = { username, name: 'agent', lifetimeMs: undefined };
    return service.client((await createToken(service.app.context, input)).token);
  };

  describe('by back-channel logout', () => {
    it('ends all sessions of the person, and no token', async () => {
      const [one, other, bystander] = [
        await signInAs('ada'),
        await signInAs('ada'),
        await signInAs('eve'),
      ];
      const agent = await tokenOf('ada');
      assert.equal((await tell(oidc.logoutToken({ sub: 'ada' }))).status, 200);
      assert.deepEqual(
        [await whoIs(one), await whoIs(other), await whoIs(bystander)],
        [undefined, undefined, 'eve'],
      );
      assert.equal((await agent.get('/user')).status, 200);
    });

    it('ends only those of one session there, if it names one', async () => {
      const [one, other] = [await signInAs('bea'), await signInAs('bea')];
      const [first] = await rowsOf('bea');
      assert.ok(first?.upstreamSid);
      const { status } = await tell(oidc.logoutToken({ sub: 'bea', sid: first.upstreamSid }));
      assert.equal(status, 200);
      assert.deepEqual([await whoIs(one), await whoIs(other)], [undefined, 'bea']);
      const [second] = await rowsOf('bea');
      assert.equal((await tell(oidc.logoutToken({ sid: second?.upstreamSid }))).status, 200);
      assert.equal(await whoIs(other), undefined);
      // Of another person, and of nobody known.
      const cal = await signInAs('cal');
      const [of] = await rowsOf('cal');
      await tell(oidc.logoutToken({ sub: 'bea', sid: of?.upstreamSid }));
      assert.equal((await tell(oidc.logoutToken({ sub: 'stranger' }))).status, 200);
      assert.equal(await whoIs(cal), 'cal');
    });

    it('refuses every other token, and the same one again', async () => {
      const dan = await signInAs('dan');
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const now = Math.floor(Date.now() / 1000);
      const other = await startOidcServer({ redirectUri: callback });
      const tokens = [
        '',
        'a.b.c',
        oidc.logoutToken({ sub: 'dan', nonce: 'x' }),
        oidc.logoutToken({ sub: 'dan', events: {} }),
        oidc.logoutToken({
          sub: 'dan',
          events: 'http://schemas.openid.net/event/backchannel-logout',
        }),
        oidc.logoutToken({ sub: 'dan', aud: 'another' }),
        oidc.logoutToken({ sub: 'dan', iss: 'https://evil.example' }),
        oidc.logoutToken({ sub: 'dan', iat: now - 3_600, exp: now - 3_000 }),
        oidc.logoutToken({ sub: 'dan', iat: now - 3_600, exp: now + 3_600 }),
        oidc.logoutToken({ sub: 'dan', iat: undefined }),
        oidc.logoutToken({ sub: 'dan', jti: undefined }),
        oidc.logoutToken({ events }),
        oidc.logoutToken({ sub: 'dan' }, { alg: 'none' }),
        oidc.logoutToken({ sub: 'dan' }, { alg: 'HS256' }),
        other.logoutToken({ sub: 'dan', iss: oidc.issuer }),
      ];
      await other.close();
      for (const token of tokens) {
        const answer = await tell(token);
        assert.equal(answer.status, 400, token);
        assert.equal((await answer.json()).error, 'invalid_request');
      }
      assert.equal(await whoIs(dan), 'dan');
      const once = oidc.logoutToken({ sub: 'dan' });
      assert.equal((await tell(once)).status, 200);
      const again = await signInAs('dan');
      assert.equal((await tell(once)).status, 400);
      assert.equal(await whoIs(again), 'dan');
    });
  });

  describe('by asking every few hours', () => {
    const provider = () => {
      const { upstream } = service.config;
      assert.ok(upstream);
      return upstream;
    };
    const check = () => {
      const client = createUpstreamClient(provider(), callback, pino({ level: 'silent' }));
      return checkDue(service.app.context, client, 4 * HOUR);
    };
    // Whom the other tests leave.
    beforeEach(async () => {
      service.advance(5 * HOUR);
      await check();
    });
    const works = async (visitor: Visitor) => (await whoIs(visitor)) !== undefined;

    it('asks at most so often, and only while somebody works', async () => {
      const fay = await signInAs('fay');
      assert.equal(await check(), 0);
      service.advance(5 * HOUR);
      assert.equal(await check(), 0, 'nobody works');
      assert.ok(await works(fay));
      assert.equal(await check(), 1);
      assert.equal(await check(), 0);
      await rotateAuthorizationKeys(service.app.context);
      service.advance(5 * HOUR);
      assert.ok(await works(fay));
      assert.equal(await check(), 1);
      assert.ok(await works(fay));
    });

    for (const [what, leave] of [
      ['the provider refuses', (sub: string) => oidc.left.add(sub)],
      ['they are in no group any more', (sub: string) => arrive(sub, ['guests'])],
    ] as const) {
      it(`when ${what}, sessions end, and tokens stop until the next sign-in`, async () => {
        const sub = what.startsWith('the ') ? 'gil' : 'hil';
        const visitor = await signInAs(sub);
        const agent = await tokenOf(sub);
        service.advance(5 * HOUR);
        assert.equal((await agent.get('/user')).status, 200);
        leave(sub);
        assert.equal(await check(), 1);
        assert.equal(await works(visitor), false);
        assert.equal((await agent.get('/user')).status, 401);
        const entries = await service.app.context.sql.read
          .selectFrom('audit_entry')
          .where('action', '=', 'provider.refused')
          .where('subject', '=', sub)
          .selectAll()
          .execute();
        assert.equal(entries.length, 1);
        oidc.left.clear();
        assert.ok(await works(await signInAs(sub)));
        assert.equal((await agent.get('/user')).status, 200);
      });
    }

    it('who has another id there now signs in with a password once the link is removed', async () => {
      const visitor = await signInAs('lea');
      const agent = await tokenOf('lea');
      await setPassword(service.app.context, 'lea', PASSWORD);
      service.advance(5 * HOUR);
      assert.equal((await agent.get('/user')).status, 200);
      oidc.left.add('lea');
      assert.equal(await check(), 1);
      const form = { name: 'lea', password: PASSWORD };
      assert.equal((await visitor.post('/sign-in', form)).status, 403);
      await unlinkPerson(service.app.context, undefined, 'lea', 'Example ID');
      assert.equal((await agent.get('/user')).status, 401, 'not before they sign in');
      assert.equal((await visitor.post('/sign-in', form)).status, 303);
      assert.ok(await works(visitor));
      assert.equal((await agent.get('/user')).status, 200);
    });

    for (const [what, set] of [
      ['is away', { isAway: true }],
      ['answers with another page', { brokenPath: '/token' }],
      ['says nothing about people', { brokenPath: '/me' }],
    ] as const) {
      it(`stops nobody while the provider ${what}`, async () => {
        const ian = await signInAs('ian');
        service.advance(5 * HOUR);
        assert.ok(await works(ian));
        Object.assign(oidc, set);
        try {
          assert.equal(await check(), 1);
        } finally {
          Object.assign(oidc, { isAway: false, brokenPath: undefined });
        }
        assert.ok(await works(ian));
        service.advance(5 * HOUR);
        assert.ok(await works(ian));
        assert.equal(await check(), 1);
        assert.ok(await works(ian), 'the token that it gave meanwhile is kept');
      });
    }

    it('stores an answer that the database couldn’t take before it asks again', async () => {
      const ned = await signInAs('ned');
      service.advance(5 * HOUR);
      assert.ok(await works(ned));
      const { context } = service.app;
      let isDown = false;
      const sql = Object.assign(Object.create(context.sql), {
        transaction: async (work: Parameters<typeof context.sql.transaction>[0]) => {
          if (isDown) throw new BackEndUnavailable('down');
          return context.sql.transaction(work);
        },
      });
      const asked: string[] = [];
      const upstream = {
        askAgain: async (_subject: string, refreshToken: string) => {
          asked.push(refreshToken);
          isDown = asked.length === 1;
          return { idToken: undefined, refreshToken: 'the next one' };
        },
      };
      const answers: Answers = new Map();
      const step = () => checkDue({ ...context, sql }, upstream, 4 * HOUR, answers);
      await assert.rejects(step(), BackEndUnavailable);
      isDown = false;
      assert.equal(await step(), 0);
      service.advance(5 * HOUR);
      assert.ok(await works(ned));
      assert.equal(await step(), 1);
      assert.equal(asked[1], 'the next one');
    });

    it('who signs in there while it is asked about their former sign-in stays', async () => {
      const ora = await signInAs('ora');
      service.advance(5 * HOUR);
      assert.ok(await works(ora));
      const askAgain = async () => {
        await signInAs('ora');
        return 'refused' as const;
      };
      assert.equal(await checkDue(service.app.context, { askAgain }, 4 * HOUR), 1);
      assert.ok(await works(ora));
    });

    it('by two processes at once: one asks', async () => {
      const jan = await signInAs('jan');
      service.advance(5 * HOUR);
      assert.ok(await works(jan));
      let asked = 0;
      const upstream = {
        askAgain: async () => {
          asked += 1;
          return 'unknown' as const;
        },
      };
      const { context } = service.app;
      await Promise.all([0, 1].map(() => checkDue(context, upstream, 4 * HOUR)));
      assert.equal(asked, 1);
    });
  });

  it('signing out here signs out there', async () => {
    await signInAs('kim');
    const kim = await signInAs('kim');
    service.advance(5 * HOUR);
    assert.equal(await whoIs(kim), 'kim');
    const askAgain = async () => ({ refreshToken: 'new', idToken: undefined });
    assert.ok((await checkDue(service.app.context, { askAgain }, 4 * HOUR)) > 0);
    const answer = await kim.post('/sign-out');
    const url = new URL(leadsTo(answer));
    assert.equal(url.origin, oidc.issuer);
    assert.equal(url.searchParams.get('post_logout_redirect_uri'), `${service.webUrl}/`);
    assert.match(url.searchParams.get('id_token_hint') ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.equal((await fetch(url)).status, 200);
    assert.equal(await whoIs(kim), undefined);
    const identity = await service.app.context.sql.read
      .selectFrom('upstream_identity')
      .where('subject', '=', 'kim')
      .selectAll()
      .executeTakeFirst();
    assert.doesNotMatch(identity?.sealedTokens ?? '', /eyJ/);
  });
});
