import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, mock } from 'node:test';
import { FIXED_LIMITS } from '../../src/rate-limit.ts';
import { openSqliteRateLimiter } from '../../src/storage/rate-limit/sqlite.ts';

describe('Counters in a file', () => {
  it('a file that cannot be cleaned up ends nothing', async () => {
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
});
