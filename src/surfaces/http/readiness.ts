import type { FastifyBaseLogger } from 'fastify';
import { DiskFull, ServiceError } from '../../base/errors.ts';
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

/** @throws UNAVAILABLE that names the back ends that do not answer, and says if their disk is full */
export async function requireReady(backEnds: BackEnds, log: FastifyBaseLogger): Promise<void> {
  const reasons = await findUnavailable(backEnds);
  for (const [name, error] of reasons)
    logRepeated(log, { err: error }, `no answer from the ${name}`);
  const full = [...reasons].filter(([, error]) => error instanceof DiskFull);
  const silent = [...reasons].filter(([, error]) => !(error instanceof DiskFull));
  const named = (some: typeof full) => some.map(([name]) => name).join(' and the ');
  const sentences = [
    full.length > 0 && `The disk is full, so nothing can be written to the ${named(full)}.`,
    silent.length > 0 && `No answer from the ${named(silent)}.`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length > 0) throw new ServiceError('UNAVAILABLE', sentences.join(' '));
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
