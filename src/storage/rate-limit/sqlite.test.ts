import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, mock } from 'node:test';
import { FIXED_LIMITS } from '../../base/limits/rate-limit.ts';
import { openSqliteRateLimiter } from './sqlite.ts';

describe('Counters in a file', () => {
  it('a failed cleanup of the file has no effect', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    mock.timers.enable({ apis: ['setInterval'] });
    const limiter = await openSqliteRateLimiter(dataDir, FIXED_LIMITS);
    try {
      const other = new DatabaseSync(join(dataDir, 'rate-limits.db'));
      other.exec('drop table rate_limit');
      other.close();
      mock.timers.tick(60 * 60_000);
      await assert.rejects(limiter.ping(), /no such table/);
    } finally {
      await limiter.close();
      mock.timers.reset();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('a request counted while the clock was days ahead blocks for one window at most', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    const limits = { api: { count: 1, windowMs: 300_000 } };
    let limiter = await openSqliteRateLimiter(dataDir, limits);
    try {
      mock.timers.enable({ apis: ['Date'], now: Date.now() + 10 * 24 * 3_600_000 });
      assert.equal((await limiter.consume('api', 'ada'))?.allowed, true);
      mock.timers.reset();
      await limiter.close();
      limiter = await openSqliteRateLimiter(dataDir, limits);
      const first = await limiter.consume('api', 'ada');
      assert.equal(first?.allowed, true);
      const second = await limiter.consume('api', 'ada');
      assert.equal(second?.allowed, false);
      assert.ok((second?.resetsAt ?? 0) <= Date.now() + limits.api.windowMs);
    } finally {
      mock.timers.reset();
      await limiter.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
