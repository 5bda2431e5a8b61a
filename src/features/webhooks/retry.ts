const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The delays before each retry: the example schedule of the Standard Webhooks specification, three
 * days in all.
 */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The largest random addition to a delay, as a share of it. It spreads retries out. */
const JITTER = 0.1;

/** The longest `Retry-After` to respect. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** A webhook that has failed for this long is disabled. */
const MAX_FAILING_MS = 5 * 24 * HOUR;

/** How one attempt ended. */
export type Attempt =
  | { code: number; retryAfter: string | undefined }
  | { fault: 'address' | 'connection' | 'timeout' };

/** What an attempt changes. */
export interface Outcome {
  status: 'pending' | 'delivered' | 'failed';
  /** When to try again; `null` for never. */
  nextAt: string | null;
  code: number | null;
  fault: 'address' | 'connection' | 'timeout' | 'status' | null;
  /** The webhook's new value. */
  failingSince: string | null;
  /** Why the attempt disables the webhook; `null` if it doesn't. */
  disabledBecause: 'gone' | 'failing' | null;
}

/**
 * Decides what an attempt changes.
 *
 * @param delivery.attempt how many attempts ended before this one
 * @param now ISO 8601
 * @param random from 0 to 1
 */
export function outcomeOf(
  attempt: Attempt,
  delivery: { attempt: number; isTest: boolean; failingSince: string | null },
  now: string,
  random: number,
): Outcome {
  const code = 'code' in attempt ? attempt.code : null;
  if (code !== null && code >= 200 && code < 300) {
    const ok = { status: 'delivered', nextAt: null, code, fault: null } as const;
    return { ...ok, failingSince: null, disabledBecause: null };
  }
  const failingSince = delivery.failingSince ?? now;
  const fault = 'fault' in attempt ? attempt.fault : 'status';
  const failed = { code, fault, failingSince } as const;
  const disabledBecause = reasonToDisable(code, Date.parse(now) - Date.parse(failingSince));
  const delay = delivery.isTest ? undefined : DELAYS_MS[delivery.attempt];
  if (disabledBecause || delay === undefined) {
    return { ...failed, status: 'failed', nextAt: null, disabledBecause };
  }
  const wanted = 'code' in attempt ? parseRetryAfter(attempt.retryAfter, now) : 0;
  const waitMs = Math.max(delay * (1 + JITTER * random), Math.min(wanted, MAX_RETRY_AFTER_MS));
  const nextAt = new Date(Date.parse(now) + Math.ceil(waitMs)).toISOString();
  return { ...failed, status: 'pending', nextAt, disabledBecause: null };
}

function reasonToDisable(code: number | null, failingMs: number): Outcome['disabledBecause'] {
  if (code === 410) return 'gone';
  return failingMs >= MAX_FAILING_MS ? 'failing' : null;
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3). @returns milliseconds; 0 if there is none */
function parseRetryAfter(text: string | undefined, now: string): number {
  if (text === undefined) return 0;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - Date.parse(now);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
