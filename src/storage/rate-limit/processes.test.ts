import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createUser, startServe } from '../../../test/process.ts';

const LIMIT = 60;
const EACH = 50;

describe('Rate limits of two processes on one data directory', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));

  const settings = { DATA_DIR: dataDir, RATE_LIMIT_API: `${LIMIT}/1h` };
  const processes = [await startServe(settings), await startServe(settings)];
  after(async () => {
    await Promise.all(processes.map((process) => process.kill('SIGTERM')));
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Sends many requests at once to both. Returns each status and remaining allowance. */
  async function storm(headers: Record<string, string>): Promise<[status: number, left: number][]> {
    const requests = processes.flatMap(({ baseUrl }) =>
      Array.from({ length: EACH }, async (): Promise<[number, number]> => {
        const response = await fetch(`${baseUrl}/user`, { headers });
        await response.arrayBuffer();
        return [response.status, Number(response.headers.get('x-ratelimit-remaining'))];
      }),
    );
    return Promise.all(requests);
  }

  function assertExact(answers: [number, number][], status: number): void {
    const allowed = answers.filter(([answered]) => answered === status);
    const refused = answers.filter(([answered]) => answered === 429);
    assert.equal(allowed.length, LIMIT);
    assert.equal(refused.length, 2 * EACH - LIMIT);
    const left = allowed.map(([, remaining]) => remaining).sort((a, b) => a - b);
    assert.deepEqual(
      left,
      Array.from({ length: LIMIT }, (_, index) => index),
    );
  }

  it('one token has one budget, exactly', async () => {
    const token = await createUser(dataDir, 'ada');
    assertExact(await storm({ authorization: `Bearer ${token}` }), 200);
  });

  it('one address has one budget, exactly', async () => {
    assertExact(await storm({}), 401);
  });
});
