import { strict as assert } from 'node:assert';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../harness.ts';
import { decideAt, followOut, locationOf, register, UNLIMITED } from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';
import { within } from '../process.ts';
import { type Desk, installCommand, openDesk } from './command.ts';
import { startHostileServer } from './hostile-server.ts';

/** Waits until a command has written something that matches. */
async function said(started: { stderr(): string }, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(started.stderr());
    if (found) return found;
    await sleep(50);
  }
}

describe('Signing in from a shell', async () => {
  let desk: Desk;

  const installed = installCommand();
  const service = await startService(UNLIMITED);
  const ada = await service.user('ada');
  const browser = await signedIn(service, (await ada.get('/user')).data.id);
  after(async () => {
    await service?.stop();
  });
  beforeEach(() => {
    desk = openDesk(installed);
  });
  afterEach(() => desk.remove());

  const stored = () => JSON.parse(readFileSync(desk.credentials, 'utf8'));

  /** Runs `briefs login` with `BROWSER`, and decides on the consent screen. */
  async function login(decision: string[] | 'deny') {
    desk.write('browser', '#!/bin/sh\nprintf %s "$1" > "$HOME/opened"\n');
    chmodSync(desk.path('browser'), 0o755);
    const started = desk.start(['login', service.webUrl], { BROWSER: desk.path('browser') });
    const opened = `${desk.environment.HOME}/opened`;
    rmSync(opened, { force: true });
    const address = async () => {
      while (!existsSync(opened) || readFileSync(opened, 'utf8') === '') await sleep(50);
      return readFileSync(opened, 'utf8');
    };
    const first = await browser.get(await within(address(), 'the address'));
    const decided = await decideAt(browser, locationOf(first).href, decision);
    const back = await followOut(service, browser, decided);
    const answer = await fetch(back);
    return { outcome: await started.ended, answer, back, page: await answer.text() };
  }

  const SCOPES = ['documents:read', 'documents:write', 'comments', 'profile'];

  it('in the browser: the token works, is refreshed, and is readable only by its owner', async () => {
    const { outcome, page, back } = await login(SCOPES);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, new RegExp(`^Signed in to ${service.webUrl} as ada\\.`));
    assert.equal(page, 'You’re signed in. You can close this window.\n');
    assert.equal(back.hostname, '127.0.0.1');
    assert.equal(statSync(desk.credentials).mode & 0o777, 0o600);
    const server = stored().servers[service.webUrl];
    assert.equal(server.base, service.baseUrl);

    desk.write('plan.md', '# Signed in\n');
    await desk.json(0, 'push', 'plan.md');
    chmodSync(desk.credentials, 0o644);
    // An old token is refreshed before it is sent, a refused one afterwards.
    const changes: { expiresAt?: number; token?: string }[] = [
      { expiresAt: 0 },
      { token: 'refused' },
    ];
    for (const change of changes) {
      const changed = stored();
      const own = changed.servers[service.webUrl];
      const { token = own.token, expiresAt = own.oauth.expiresAt } = change;
      Object.assign(own, { token });
      Object.assign(own.oauth, { expiresAt });
      writeFileSync(desk.credentials, JSON.stringify(changed));
      await desk.json(0, 'open', 'ada/plan', '--print');
      assert.notEqual(stored().servers[service.webUrl].token, token);
    }
    assert.equal(statSync(desk.credentials).mode & 0o777, 0o600);

    const { token } = stored().servers[service.webUrl];
    assert.equal((await desk.run('logout')).code, 0);
    assert.deepEqual(stored().servers, {});
    assert.equal((await service.client(token).get('/user')).status, 401);
    const after = await desk.run('push', 'plan.md', 'plan.md');
    assert.equal(after.code, 0, 'an unchanged file needs no token');
    const { clients } = stored();
    assert.equal((await login(SCOPES)).outcome.code, 0);
    assert.deepEqual(stored().clients, clients, 'it registers once');
    assert.ok(typeof clients[service.webUrl] === 'string');
    await desk.run('logout');
    // A server that was set up again doesn't know it.
    writeFileSync(
      desk.credentials,
      JSON.stringify({ servers: {}, clients: { [service.webUrl]: 'unknown' } }),
    );
    assert.equal((await login(SCOPES)).outcome.code, 0);
    assert.notEqual(stored().clients[service.webUrl], 'unknown');
    await desk.run('logout');
    desk.write('plan.md', `${desk.read('plan.md')}More.\n`);
    const refused = await desk.run('push', 'plan.md');
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, new RegExp(`Run "briefs login ${service.webUrl}"`));
  });

  it('in the browser: stores nothing if access is denied', async () => {
    const { outcome, page } = await login('deny');
    assert.deepEqual(
      [outcome.code, outcome.stderr.split('\n').at(-2)],
      [4, 'briefs: You weren’t signed in (access_denied).'],
    );
    assert.match(page, /weren’t signed in/);
    assert.deepEqual(stored().servers, {});
  });

  it('in the browser: ignores a response to another sign-in', async () => {
    const started = desk.start(['login', service.webUrl], { BROWSER: 'true' });
    const [shown] = await within(said(started, /^http\S+$/m), 'the address');
    const redirect = new URL(shown).searchParams.get('redirect_uri');
    for (const query of ['code=stolen', 'code=stolen&state=guessed', 'error=access_denied']) {
      assert.equal((await fetch(`${redirect}?${query}`)).status, 404);
    }
    started.kill('SIGINT');
    assert.equal((await started.ended).code, 130);
    assert.deepEqual(stored().servers, {});
  });

  const NONE = { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' };

  /** Starts `briefs login` without a browser, and enters its code in one. */
  async function loginElsewhere(args: string[], more: Record<string, string> = NONE) {
    const started = desk.start(['login', service.webUrl, ...args], more);
    const [, code = ''] = await within(said(started, /enter the code (\S+)\./), 'the code');
    const page = `${service.webUrl}/connect/device`;
    assert.ok(started.stderr().includes(`\n${page}\n`), started.stderr());
    assert.ok(started.stderr().includes(`${page}?user_code=${code}\n`), started.stderr());
    const entered = await browser.submit(page, [['user_code', code]]);
    assert.equal(entered.status, 303, entered.text);
    return { started, consent: service.webUrl + entered.headers.get('location') };
  }

  it('with a browser elsewhere: the token works and is refreshed; a refusal is told', async () => {
    // As a version before this one registered.
    const usual = await register(service, { client_name: 'Briefs command line' });
    mkdirSync(dirname(desk.credentials), { recursive: true });
    const clients = { [service.webUrl]: usual.client_id };
    writeFileSync(desk.credentials, JSON.stringify({ servers: {}, clients }));
    const { started, consent } = await loginElsewhere(['--no-browser'], { BROWSER: 'true' });
    assert.equal((await decideAt(browser, consent, SCOPES)).status, 200);
    const outcome = await started.ended;
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, new RegExp(`^Signed in to ${service.webUrl} as ada\\.`));
    const { [service.webUrl]: registered } = stored().clients;
    assert.notEqual(registered, usual.client_id);
    const changed = stored();
    changed.servers[service.webUrl].oauth.expiresAt = 0;
    writeFileSync(desk.credentials, JSON.stringify(changed));
    desk.write('elsewhere.md', '# Elsewhere\n');
    await desk.json(0, 'push', 'elsewhere.md');

    // Without a screen it does that by itself, and again with the browser of this computer.
    const denied = await loginElsewhere(['--scopes', 'profile']);
    const { text } = await browser.get(denied.consent);
    assert.deepEqual(
      Array.from(text.matchAll(/name="scope" value="([^"]+)"/g), ([, scope]) => scope),
      ['profile'],
    );
    await decideAt(browser, denied.consent, 'deny');
    const refused = await denied.started.ended;
    assert.deepEqual(
      [refused.code, refused.stderr.split('\n').at(-2)],
      [4, 'briefs: You weren’t signed in (access_denied).'],
    );
    assert.equal((await login(SCOPES)).outcome.code, 0);
    assert.equal(stored().clients[service.webUrl], registered, 'one client for both');
    // A browser that can’t be started is none.
    const missing = { DISPLAY: ':1', BROWSER: desk.path('missing') };
    const { started: third, consent: last } = await loginElsewhere([], missing);
    assert.equal((await decideAt(browser, last, SCOPES)).status, 200);
    assert.equal((await third.ended).code, 0);
  });

  it('with a browser elsewhere: an expired code is told', async () => {
    const { started, consent } = await loginElsewhere([]);
    service.advance(16 * 60_000);
    assert.equal((await decideAt(browser, consent, SCOPES)).status, 404);
    const outcome = await started.ended;
    assert.deepEqual(
      [outcome.code, outcome.stderr.split('\n').at(-2)],
      [4, 'briefs: The code has expired before anybody allowed access. Run "briefs login" again.'],
    );
  });

  it('with a token, even from the environment; a refused one is never stored', async () => {
    const token = ada.token as string;
    const { username } = await desk.json(0, 'login', service.baseUrl, '--token', token);
    assert.equal(username, 'ada');
    assert.deepEqual(Object.keys(stored().servers), [service.webUrl]);
    const wrong = await desk.run('login', service.webUrl, '--token', 'wrong');
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [4, `briefs: ${service.webUrl} refuses this token.\n`],
    );
    assert.equal(stored().servers[service.webUrl].token, token);

    desk.write('plan.md', '# Refused\n');
    const more = { BRIEFS_SERVER: service.webUrl, BRIEFS_TOKEN: 'wrong' };
    const refused = await desk.start(['push', 'plan.md'], more).ended;
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /refuses your token\. Run "briefs login http/);
    const alone = await desk.start(['push', 'plan.md'], { BRIEFS_TOKEN: token }).ended;
    assert.deepEqual(
      [alone.code, alone.stderr],
      [2, 'briefs: BRIEFS_TOKEN is set without BRIEFS_SERVER. Set both.\n'],
    );
  });

  it('fails clearly if a server isn’t Briefs or doesn’t answer', async () => {
    const none = await desk.run('login', service.renderUrl);
    assert.match(none.stderr, /There is no Briefs service at/);
    const away = await desk.run('login', 'http://127.0.0.1:1');
    assert.match(away.stderr, /^briefs: 127\.0\.0\.1:1 doesn’t answer: /);
    const secure = service.webUrl.replace('http:', 'https:');
    const plain = await desk.run('login', secure, '--token', 'brf_x');
    assert.match(plain.stderr, /doesn’t answer: it speaks http, not https\.\s*$/);
    assert.equal((await desk.run('login', 'no address')).code, 2);
    // Without the scheme, or with the address of a document.
    for (const address of [new URL(service.webUrl).host, `${service.webUrl}/ada/hello`]) {
      const { server } = await desk.json(0, 'login', address, '--token', ada.token as string);
      assert.equal(server, service.webUrl);
    }
  });

  it('a hostile server can’t write outside the folder or get another server’s token', async () => {
    const hostile = await startHostileServer(service.webUrl);
    try {
      await desk.json(0, 'login', service.webUrl, '--token', ada.token as string);
      await desk.json(0, 'login', hostile.url, '--token', 'for-the-hostile');
      desk.write('keep.md', '# Keep\n');
      const { results } = await desk.json(1, 'pull', 'mallory', '--into', 'in');
      const status = (file: string) =>
        results.find((each: { file: string }) => each.file === file)?.status;
      assert.equal(status('in/fine.md'), 'pulled');
      for (const name of hostile.names) {
        const expected = name === '.hidden' ? 'skipped' : 'failed';
        assert.equal(status(`mallory/${name}`), expected, name);
      }
      assert.deepEqual(readdirSync(desk.path('in')), ['.briefs', 'fine.md']);
      assert.deepEqual(readdirSync(desk.folder).sort(), ['in', 'keep.md']);
      assert.equal(desk.read('keep.md'), '# Keep\n');

      // Responds with a wrong name, a redirect elsewhere, an endless body, or control characters.
      for (const name of ['liar', 'redirect', 'endless', 'script-address']) {
        const { results: one } = await desk.json(1, 'pull', `${hostile.url}/mallory/${name}`);
        assert.equal(one[0].status, 'failed', name);
      }
      const shown = await desk.run('open', `${hostile.url}/mallory/terminal`, '--print');
      assert.equal(shown.code, 1);
      assert.equal(shown.stderr, 'briefs: a]0;titleb pulled ok\n');
      const listed = await desk.run('pull', 'mallory', '--into', 'in');
      assert.match(listed.stdout, /^failed {4}mallory\/line break: /m);
      assert.deepEqual([...hostile.tokens], ['Bearer for-the-hostile']);
      // A file's line chooses the server, and with it the token.
      desk.write(
        'line.md',
        `---\nbriefs: ${hostile.url}/mallory/fine#1-0000000000000000-${hostile.id}\n---\n# X\n`,
      );
      await desk.run('push', 'line.md');
      assert.deepEqual([...hostile.tokens], ['Bearer for-the-hostile']);
      const names = ['in', 'keep.md', 'line.conflict.md', 'line.md'];
      assert.deepEqual(readdirSync(desk.folder).sort(), names);
    } finally {
      hostile.stop();
    }
  });
});
