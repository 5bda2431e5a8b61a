import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { Answer } from '../../surfaces/rest/operation.ts';

/**
 * Returns the answer to a request that waits. If it takes longer than a pause, the answer begins
 * with status 200, and a space, which JSON allows before a value, follows after each further pause.
 * So proxies, which close connections that are silent, see a sign of life.
 *
 * @param result what the request waits for. If it throws before the answer begins, so does this.
 * @param ended what to answer if it throws a ServiceError later, when no other status can be sent:
 *   nothing new. The caller's next request gets the error.
 * @param pauseMs returns how long to pause, in ms
 */
export async function answerInTime<Result extends object>(
  result: Promise<Result>,
  ended: Result,
  pauseMs: () => number,
): Promise<Answer> {
  const done = result.then((data) => ({ data }));
  const first = await Promise.race([done, pause(pauseMs())]);
  if (first) return { status: 200, data: first.data };
  const body = Readable.from(pieces(done, ended, pauseMs), { objectMode: false });
  return { status: 200, stream: { type: 'application/json; charset=utf-8', body } };
}

async function* pieces<Result>(
  done: Promise<{ data: Result }>,
  ended: Result,
  pauseMs: () => number,
): AsyncGenerator<string> {
  const settled = done.catch((error) => {
    if (error instanceof ServiceError) return { data: ended };
    throw error;
  });
  for (;;) {
    yield ' ';
    const answer = await Promise.race([settled, pause(pauseMs())]);
    if (answer) return yield JSON.stringify(answer);
  }
}

async function pause(ms: number): Promise<undefined> {
  await sleep(ms, undefined, { ref: false });
}
