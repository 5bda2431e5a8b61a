import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SILENT, startNameServer } from '../../../test/name-server.ts';
import { until } from '../../../test/until.ts';
import { fetchGuarded } from '../../features/applications/guarded-fetch.ts';
import { createNameLookups, type NameLookups, readHostsFile } from './name-lookups.ts';

const NEVER = new AbortController().signal;

describe('Looking up names that users chose', async () => {
  let lookups: NameLookups;

  const server = await startNameServer({
    'both.example': ['2001:db8::1', '192.0.2.1', '192.0.2.2'],
    'v4.example': ['192.0.2.4'],
    'v6.example': ['2001:db8::6'],
    'none.example': [],
  });
  after(() => server.close());

  /** Look-ups that have failed for no one yet. */
  const fresh = () => createNameLookups({ servers: [server.address], searches: false });

  it('finds all addresses, IPv4 first', async () => {
    const resolve = fresh().ofAccount('ada');
    assert.deepEqual(await resolve('both.example', NEVER), [
      '192.0.2.1',
      '192.0.2.2',
      '2001:db8::1',
    ]);
    assert.deepEqual(await resolve('V4.example.', NEVER), ['192.0.2.4']);
    assert.deepEqual(await resolve('v6.example', NEVER), ['2001:db8::6']);
  });

  it('finds names of this machine without asking', async () => {
    const resolve = fresh().ofClient('192.0.2.9');
    const before = server.questions.length;
    assert.deepEqual(await resolve('localhost', NEVER), ['127.0.0.1', '::1']);
    assert.deepEqual(await resolve('app.localhost', NEVER), ['127.0.0.1', '::1']);
    const own = await readHostsFile().find(hostname().toLowerCase());
    if (own.length > 0) assert.deepEqual(await resolve(hostname(), NEVER), own);
    assert.equal(server.questions.length, before);
  });

  it('doesn’t ask again for a name that just failed', async () => {
    const resolve = fresh().ofAccount('ada');
    for (const name of ['missing.example', 'none.example']) {
      await assert.rejects(resolve(name, NEVER), {
        code: name.startsWith('m') ? 'ENOTFOUND' : 'ENODATA',
      });
      const asked = server.questions.length;
      await assert.rejects(resolve(name, NEVER));
      assert.equal(server.questions.length, asked);
    }
  });

  it('gives up on a silent name server, also in fetching documents', async () => {
    const resolve = fresh().ofClient('192.0.2.9');
    const late = { name: 'TimeoutError' };
    await Promise.all([
      assert.rejects(resolve(`late.${SILENT}`, NEVER), late),
      assert.rejects(fetchGuarded(`https://later.${SILENT}/client.json`, resolve), late),
    ]);
  });

  it('a slow domain of one person delays nobody else', async () => {
    lookups = fresh();
    const left = new AbortController();
    const asked = server.silentNames().length;
    const newNames = () => server.silentNames().length - asked;
    const send = (resolve: ReturnType<NameLookups['ofAccount']>, whose: string) =>
      Array.from({ length: 20 }, (_, index) =>
        assert.rejects(resolve(`${whose}${index}.${SILENT}`, left.signal)),
      );
    const slow = [
      ...send(lookups.ofAccount('mal'), 'account'),
      ...send(lookups.ofClient('198.51.100.7'), 'client'),
      // Another address of the same network.
      ...send(lookups.ofClient('2001:db8:7:1::1'), 'network'),
      ...send(lookups.ofClient('2001:db8:7:2::1'), 'neighbour'),
    ];
    await until('their shares are used', () => newNames() === 8 + 8 + 8);
    for (const resolve of [lookups.ofAccount('ada'), lookups.ofClient('203.0.113.1')]) {
      assert.deepEqual(await resolve('v4.example', NEVER), ['192.0.2.4']);
    }
    assert.equal(newNames(), 8 + 8 + 8);
    // Others may wait for the same document, so it doesn't wait behind slow names.
    await assert.rejects(lookups.ofAccount('mal')('v4.example', NEVER), /too many/);
    left.abort();
    await Promise.all(slow);
    // What was aborted has given its place back, and says nothing about the name.
    const again = lookups.ofAccount('mal');
    const waiting = Array.from({ length: 8 }, () => again('v6.example', NEVER));
    assert.equal((await Promise.all(waiting)).length, 8);
  });
});

describe('The hosts file', () => {
  it('is read again when it changes; comments and other lines are ignored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'briefs-hosts-'));
    try {
      const path = join(folder, 'hosts');
      const hosts = readHostsFile(path);
      assert.deepEqual(await hosts.find('nas'), []);
      writeFileSync(
        path,
        '192.0.2.1 nas NAS.lan # my nas\n#192.0.2.2 nas\nx nas\n2001:db8::1\tnas',
      );
      assert.deepEqual(await hosts.find('nas'), ['192.0.2.1', '2001:db8::1']);
      assert.deepEqual(await hosts.find('nas.lan'), ['192.0.2.1']);
      writeFileSync(path, '192.0.2.3 nas\n');
      await until('the new address', async () => (await hosts.find('nas'))[0] === '192.0.2.3');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
