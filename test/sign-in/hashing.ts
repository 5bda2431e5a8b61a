import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

/** Counts the long hashings of passwords in this process, which is where most of the work is. */
export function countHashings(): { count(): number; stop(): void } {
  const spy = mock.method(crypto, 'argon2');
  syncBuiltinESMExports();
  return {
    count: () => spy.mock.callCount(),
    stop() {
      spy.mock.restore();
      syncBuiltinESMExports();
    },
  };
}
