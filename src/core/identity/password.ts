import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createFairQueue } from '../../base/limits/fair-queue.ts';
import { normalisePassword } from './password-rules.ts';

/** Cost of a hash: memory in KiB, passes over it, lanes. */
interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/**
 * OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. Can be raised at any time.
 */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Argon2 version 1.3 in PHC strings. */
const VERSION = 19;

/**
 * Limits hashing, because each hash uses memory (see {@link COST}) and a thread of the pool that
 * also reads files. Two run at once, and 100 can wait. All share one key: with a key per account,
 * response times would reveal whether an account exists.
 */
const hashes = createFairQueue({ running: 2, waiting: 100 });

/** A stored hash and its parameters. */
interface Parts {
  cost: Cost;
  salt: Buffer;
  hash: Buffer;
}

/** A hash that no password matches. Checking it takes as long as checking a real one. */
const UNMATCHED_HASH = formatPhc({
  cost: COST,
  salt: Buffer.alloc(SALT_BYTES),
  hash: Buffer.alloc(HASH_BYTES),
});

/**
 * Hashes a password.
 *
 * @returns Argon2id in PHC string format (`$argon2id$v=19$m=19456,t=2,p=1$salt$hash`)
 * @throws BackEndUnavailable if too many hashes are queued
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(normalisePassword(password), { cost: COST, salt, length: HASH_BYTES });
  return formatPhc({ cost: COST, salt, hash });
}

/**
 * Checks a password against a hash. Always computes one hash, even without `phc`, so that response
 * times don't reveal who has an account.
 *
 * @throws BackEndUnavailable if too many hashes are queued
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const { cost, salt, hash } = parsePhc(phc ?? UNMATCHED_HASH);
  const normalised = normalisePassword(password);
  const derived = await derive(normalised, { cost, salt, length: hash.length });
  const isIt = timingSafeEqual(derived, hash);
  return isIt && phc !== null && normalised !== undefined;
}

/** Tells whether a hash has another cost than {@link COST} and should be replaced. */
export function isOutdated(phc: string): boolean {
  const { cost, hash } = parsePhc(phc);
  return (
    hash.length !== HASH_BYTES ||
    Object.entries(COST).some(([name, value]) => cost[name as keyof Cost] !== value)
  );
}

/** @param password normalised; without it, hashes the empty text at the same cost */
function derive(
  password: string | undefined,
  { cost, salt, length }: { cost: Cost; salt: Buffer; length: number },
): Promise<Buffer> {
  const parameters = { ...cost, message: password ?? '', nonce: salt, tagLength: length };
  return hashes.run('password', () => promisify(argon2)('argon2id', parameters));
}

function formatPhc({ cost, salt, hash }: Parts): string {
  const { memory, passes, parallelism } = cost;
  return [
    '',
    'argon2id',
    `v=${VERSION}`,
    `m=${memory},t=${passes},p=${parallelism}`,
    toBase64(salt),
    toBase64(hash),
  ].join('$');
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** @throws Error if it isn't a hash written by {@link hashPassword} */
function parsePhc(phc: string): Parts {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(phc) ?? [];
  if (!memory) throw new Error('A stored password hash is malformed.');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** PHC strings have no padding. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
