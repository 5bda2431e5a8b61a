import { strict as assert } from 'node:assert';
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { loadCommonPasswords } from '../../core/identity/password-rules.ts';

const BREACHED = 'seventeen red herons';

describe('Passwords known from breaches', async () => {
  const asked: IncomingMessage[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;

  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const settings = { BREACHED_PASSWORDS: `http://127.0.0.1:${port}/range/` };
  const service = await startService(settings, { logger });
  after(async () => {
    await service.stop();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  /** What the real server answers: the other digits and how often they were seen, with padding. */
  const rangeOf = (password: string, count: number) => {
    const suffix = hash('sha1', password).toUpperCase().slice(5);
    const others = ['0018A45C4D1DEF81644B54AB7F969B88D65:4', `${'0'.repeat(35)}:0`];
    return [...others, `${suffix}:${count}`].join('\r\n');
  };
  let counter = 0;
  const signUp = (password: string) => {
    counter += 1;
    const username = `person${counter}`;
    const email = `${username}@example.com`;
    return newVisitor(service).post('/sign-up', { username, email, password });
  };

  beforeEach(() => {
    asked.length = 0;
    lines.length = 0;
    answer = (_request, response) => response.end(rangeOf(BREACHED, 23));
  });

  it('are refused; only five digits of a hash are sent, and padding is asked for', async () => {
    const refused = await signUp(BREACHED);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="password-fault">This password is in a list of passwords/);
    const digest = hash('sha1', BREACHED).toUpperCase();
    const [{ url, method, headers }] = asked as [IncomingMessage];
    assert.equal(asked.length, 1);
    assert.deepEqual([method, url], ['GET', `/range/${digest.slice(0, 5)}`]);
    assert.equal(headers['add-padding'], 'true');
    assert.ok(!JSON.stringify(headers).includes(digest.slice(5, 12)));
    assert.equal((await signUp('another odd walnut')).status, 303);
    answer = (_request, response) => response.end(rangeOf('sixteen red herons', 0));
    assert.equal((await signUp('sixteen red herons')).status, 303, 'padding');
  });

  it('aren’t asked about if they are refused anyway', async () => {
    assert.equal((await signUp('short')).status, 422);
    assert.equal((await signUp('password123')).status, 422);
    assert.equal(asked.length, 0);
  });

  for (const [how, misbehave] of [
    ['an error', (_request, response) => response.writeHead(503).end()],
    ['nonsense', (_request, response) => response.end('<html>\0:::')],
    ['a redirect', (_request, response) => response.writeHead(302, { location: '/' }).end()],
    ['nothing', () => {}],
    ['a text without end', (_request, response) => response.write('0'.repeat(1_000))],
    ['an end in the middle', (_request, response) => response.write('0', () => response.destroy())],
  ] as [string, typeof answer][]) {
    it(`if the server answers with ${how}, the password is accepted`, async () => {
      answer = misbehave;
      assert.equal((await signUp(BREACHED)).status, 303);
      const warned = lines.filter((line) => line.includes('could not be compared'));
      assert.equal(warned.length, how === 'nonsense' ? 0 : 1);
      const digest = hash('sha1', BREACHED);
      for (const secret of [BREACHED, digest, digest.slice(0, 5)]) {
        assert.ok(!lines.join('').toLowerCase().includes(secret), 'nothing of it in the log');
      }
    });
  }

  it('the list that comes along has 3,000 at least, all of them long enough', async () => {
    const common = await loadCommonPasswords();
    assert.ok(common.size >= 3_000, `${common.size}`);
    for (const password of common) {
      assert.ok(password.length >= 8 && password === password.toLowerCase(), password);
    }
  });
});
