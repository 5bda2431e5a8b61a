import type { FastifyBaseLogger } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { logRepeated } from './repeated-fault.ts';

/** A ping for each back end, by name. It throws if the back end does not answer. */
export type BackEnds = Record<string, () => Promise<void>>;

const TIMEOUT_MS = 2_000;

/** Pings every back end. @returns the errors of those that do not answer, by name */
export async function findUnavailable(backEnds: BackEnds): Promise<Map<string, unknown>> {
  const unavailable = new Map<string, unknown>();
  const pings = Object.entries(backEnds).map(async ([name, ping]) => {
    await withTimeout(ping()).catch((error) => unavailable.set(name, error));
  });
  await Promise.all(pings);
  return unavailable;
}

/** @throws UNAVAILABLE that names the back ends that do not answer */
export async function requireReady(backEnds: BackEnds, log: FastifyBaseLogger): Promise<void> {
  const reasons = await findUnavailable(backEnds);
  for (const [name, error] of reasons)
    logRepeated(log, { err: error }, `no answer from the ${name}`);
  const names = [...reasons.keys()];
  if (names.length > 0) {
    throw new ServiceError('UNAVAILABLE', `No answer from the ${names.join(' and the ')}.`);
  }
}

async function withTimeout(answer: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
