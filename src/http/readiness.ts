import type { FastifyBaseLogger } from 'fastify';
import { ServiceError } from '../errors.ts';
import { logRepeated } from './repeated-fault.ts';

/** Each back end's name, and how to ask it for an answer; that throws when there is none. */
export type BackEnds = Record<string, () => Promise<void>>;

/** A back end that takes longer counts as away. */
const ANSWER_WITHIN_MS = 2_000;

/** Asks every back end for an answer. @returns the names of those that give none, and why */
export async function findAway(backEnds: BackEnds): Promise<Map<string, unknown>> {
  const away = new Map<string, unknown>();
  const asked = Object.entries(backEnds).map(async ([name, ping]) => {
    await inTime(ping()).catch((error) => away.set(name, error));
  });
  await Promise.all(asked);
  return away;
}

/** @throws UNAVAILABLE naming the back ends that do not answer */
export async function requireReady(backEnds: BackEnds, log: FastifyBaseLogger): Promise<void> {
  const reasons = await findAway(backEnds);
  for (const [name, error] of reasons)
    logRepeated(log, { err: error }, `no answer from the ${name}`);
  const away = [...reasons.keys()];
  if (away.length > 0) {
    throw new ServiceError('UNAVAILABLE', `There is no answer from the ${away.join(' and the ')}.`);
  }
}

async function inTime(answer: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('It took too long.')), ANSWER_WITHIN_MS);
  });
  try {
    await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
