import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { newChance } from '../chance.ts';
import {
  ask,
  assertUnavailable,
  createInstallation,
  type Installation,
  type Replica,
} from '../installation.ts';
import { createUser, runBriefs } from '../process.ts';
import { expectStatus } from '../rest/scenario.ts';
import { makeDirectory } from '../servers/server-process.ts';
import { STACK } from '../stack.ts';
import { until } from '../until.ts';
import { assertConsistent } from './consistency.ts';
import {
  type FailingCalls,
  type Fault,
  failingCalls,
  faultsMissing,
  fileSizeLimit,
} from './disk-faults.ts';
import { newLedger } from './ledger.ts';
import { rounds } from './rounds.ts';

const ROUNDS = rounds(8);
const WRITERS = 4;

const SKIP =
  STACK !== 'embedded' ? 'the disk is that of the embedded back ends' : (faultsMissing() ?? false);

/** Faults of the disk during writes. */
function faultsOf({ fault }: FailingCalls): Record<string, Fault> {
  const pwrite = 'posix/io/rw/pwrite';
  const ftruncate = 'posix/io/rw/ftruncate';
  const rename = 'posix/io/dir/rename';
  const unlink = 'posix/io/dir/unlink';
  return {
    'writes to the database fail': fault([pwrite], 'EIO', 0.1),
    'the disk is full': fault([pwrite, ftruncate, rename], 'ENOSPC', 0.3),
    'the disk has become read-only': fault([pwrite, rename, unlink], 'EROFS', 0.5),
    'the quota is used up': fault([pwrite, 'posix/io/sync/fsync'], 'EDQUOT', 0.3),
    'syncing fails': fault(SYNCS, 'EIO', 0.3),
    'files cannot be put in their place': fault([rename, unlink], 'EIO', 0.5),
    'reads of the database fail': fault(['posix/io/rw/pread'], 'EIO', 0.2),
    'no file can grow': fileSizeLimit(10_000),
  };
}

const SYNCS = ['posix/io/sync/fsync', 'posix/io/sync/fdatasync'];

describe('The disk fails during writes', { skip: SKIP }, async () => {
  const calls = SKIP ? undefined : failingCalls();
  const faults = Object.entries(calls ? faultsOf(calls) : {});
  const chance = newChance('disk');
  let replica: Replica;
  /** Also writes, so that the other process has to read its pages again. */
  let neighbour: Replica;

  // Counting requests also uses the disk.
  const installation = await createInstallation({
    ...calls?.environment,
    RATE_LIMIT_API: '1000000/1h',
  });
  const ledger = await newLedger(installation, chance);
  [replica, neighbour] = [await installation.start(), await installation.start()];
  const reader = await newReader(installation, replica);
  after(() => installation?.stop());

  /** Another process finds everything acknowledged, whatever this one believes. */
  async function killAndVerify(): Promise<void> {
    await installation.end(replica, 'SIGKILL');
    replica = await installation.start();
    await ledger.verify(replica);
    await installation.look(assertConsistent);
  }

  for (let round = 0; round < ROUNDS; round++) {
    const [what = '', fault] = faults[round % faults.length] ?? [];
    it(`${what}: 503 or success, and normal after recovery`, async () => {
      await ledger.during([neighbour, ...Array(WRITERS).fill(replica)], async () => {
        await ledger.more(10);
        // By then it has loaded everything that rendering needs.
        await reader.read(replica);
        const refusals = () => ledger.unavailable + reader.unavailable();
        const enough = refusals() + 10;
        await fault?.begin(replica.pid);
        await until('the disk was seen to fail', async () => {
          await reader.read(replica);
          return refusals() >= enough;
        });
        await fault?.end(replica.pid);
        await ledger.more(10);
      });
      await killAndVerify();
    });
  }

  it('a write that can’t be synced is never acknowledged', async (t) => {
    const noSync = calls?.fault(SYNCS, 'EIO');
    const writers = Array(WRITERS).fill(replica);
    await ledger.during(writers, () => ledger.more(20));
    const { unavailable } = ledger;
    const counts = new Map(ledger.counts);
    await noSync?.begin(replica.pid);
    await ledger.during(writers, () =>
      until('many writes were refused', () => ledger.unavailable >= unavailable + 40),
    );
    assert.deepEqual(ledger.counts, counts);
    await noSync?.end(replica.pid);
    await ledger.verify(replica);
    await ledger.during(writers, () => ledger.more(20));
    await killAndVerify();
    t.diagnostic(ledger.summary());
  });
});

describe('A start on a failing disk', { skip: SKIP }, () => {
  it('fails with one line, and succeeds when the disk works', async () => {
    const calls = failingCalls();
    const DATA_DIR = makeDirectory('failing-disk');
    const failures = [
      [calls.fromTheStart(['posix/io/rw/pwrite'], 'ENOSPC'), 2],
      [calls.fromTheStart(SYNCS, 'EIO'), 1],
      [calls.fromTheStart(['posix/io/rw/pread'], 'EIO'), 1],
    ] as const;
    for (const [environment, expected] of failures) {
      const { code, stderr } = await runBriefs(
        ['users', 'create', 'ada', '--email', 'ada@example.com'],
        { DATA_DIR, ...environment },
      );
      assert.equal(code, expected);
      assert.match(stderr, /^briefs: DATA_DIR: .* cannot be (used|created) .*\.\n$/);
    }
    await createUser(DATA_DIR, 'ada');
  });
});

/** A reader while the disk fails. */
interface Reader {
  /** The number of 503 responses. */
  unavailable(): number;
  /** Reads a brief and a page in every way; every response is right or 503. */
  read(at: Replica): Promise<void>;
}

async function newReader(installation: Installation, replica: Replica): Promise<Reader> {
  const user = await installation.user('reader');
  const client = user.at(replica);
  await expectStatus(client.post('/user/briefs', { name: 'brief', content: '# A' }), 201);
  const html = '<p>'.repeat(50_000);
  await expectStatus(client.post('/user/pages', { name: 'page', html }), 201);
  const paths = ['/briefs/reader/brief', '/pages/reader/page', '/user/briefs', '/user/files'];
  let unavailable = 0;
  return {
    unavailable: () => unavailable,
    async read(at) {
      for (const path of paths) {
        const answer = await user.at(at).get(path);
        if (answer.status === 200) continue;
        assertUnavailable(answer);
        unavailable += 1;
      }
      for (const url of [`${at.webUrl}/reader/brief`, `${at.renderUrl}/reader/page`]) {
        const { status } = await ask(url);
        assert.ok(status === 200 || status === 503, `${url}: ${status}`);
      }
    },
  };
}
