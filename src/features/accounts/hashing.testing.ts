import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

const LEAST_KB = 8;

type Argon2 = (name: string, parameters: { memory: number }, done: unknown) => void;

/**
 * Counts the password hashes computed in this process.
 *
 * @param options.areShort makes each a thousand times faster; both the hash of a password and its
 *   check must be computed meanwhile
 */
export function countHashings({ areShort = false } = {}): { count(): number; stop(): void } {
  const real = crypto.argon2 as Argon2;
  const short: Argon2 = (name, parameters, done) =>
    real(name, { ...parameters, memory: LEAST_KB, passes: 1 } as typeof parameters, done);
  const spy = mock.method(crypto, 'argon2', (areShort ? short : real) as typeof crypto.argon2);
  syncBuiltinESMExports();
  return {
    count: () => spy.mock.callCount(),
    stop() {
      spy.mock.restore();
      syncBuiltinESMExports();
    },
  };
}
