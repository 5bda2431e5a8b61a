import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createFairQueue } from '../limits/fair-queue.ts';
import { normalisePassword } from './password-rules.ts';

/** What hashing costs: memory in KiB, passes over it, lanes. */
interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. May be raised at any time. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Argon2's version 1.3, as PHC strings write it. */
const VERSION = 19;

/**
 * Each hash takes its memory and a thread of the pool that also reads files, so two run at once, and
 * one that would wait longer than a few seconds is refused. All hashes share one key: with a key per
 * account, the time of an answer would tell whether there is such an account.
 */
const hashes = createFairQueue({ running: 2, waiting: 100 });

/** A hash with all that it takes to check a password against it. */
interface Parts {
  cost: Cost;
  salt: Buffer;
  hash: Buffer;
}

/** The hash of no password: checking against it costs as much as against one that somebody has. */
const NOBODYS = formatPhc({
  cost: COST,
  salt: Buffer.alloc(SALT_BYTES),
  hash: Buffer.alloc(HASH_BYTES),
});

/**
 * Hashes a password for keeping.
 *
 * @returns Argon2id in PHC string format (`$argon2id$v=19$m=19456,t=2,p=1$salt$hash`)
 * @throws BackEndUnavailable when too many hashes wait
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(normalisePassword(password), { cost: COST, salt, length: HASH_BYTES });
  return formatPhc({ cost: COST, salt, hash });
}

/**
 * Whether a password is the one of a hash. It takes one hashing whatever it comes to, also where
 * there is no hash, so that its time does not tell who has an account.
 *
 * @throws BackEndUnavailable when too many hashes wait
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const { cost, salt, hash } = parsePhc(phc ?? NOBODYS);
  const normalised = normalisePassword(password);
  const derived = await derive(normalised, { cost, salt, length: hash.length });
  const isIt = timingSafeEqual(derived, hash);
  return isIt && phc !== null && normalised !== undefined;
}

/** Whether a hash was made at another cost than today's, so that it should be made anew. */
export function isOutdated(phc: string): boolean {
  const { cost, hash } = parsePhc(phc);
  return (
    hash.length !== HASH_BYTES ||
    Object.entries(COST).some(([name, value]) => cost[name as keyof Cost] !== value)
  );
}

/** @param password normalised; without one, the hash of the empty text, at the same cost */
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

/** @throws Error when it is no hash that was written here */
function parsePhc(phc: string): Parts {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(phc) ?? [];
  if (!memory) throw new Error('A stored password hash is none.');
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
