import type { RenderOutcome } from './render-threads.ts';

/** How many renderings to keep that came too late. A large one has 8 million characters. */
const KEPT = 8;

/** How long to keep one, in ms: who was told to come back does it earlier. */
const KEPT_MS = 60_000;

/**
 * Lets readers wait for a rendering up to a time. After that they are told `busy`, but the work goes on,
 * and who asks for the same again waits for it or finds it done.
 *
 * @param patienceMs how long one reader waits, in milliseconds
 * @returns a function that begins `work`, unless the same `id` is under way or kept
 */
export function createLateRenderings(patienceMs: number) {
  const underway = new Map<string, { outcome: Promise<RenderOutcome<unknown>>; isLate: boolean }>();
  const kept: (() => void)[] = [];

  function begin(id: string, work: () => Promise<RenderOutcome<unknown>>) {
    const rendering = { outcome: work(), isLate: false };
    underway.set(id, rendering);
    const forget = () => {
      if (underway.get(id) === rendering) underway.delete(id);
    };
    rendering.outcome.then(({ kind }) => {
      if (!rendering.isLate || kind !== 'rendered') return forget();
      setTimeout(forget, KEPT_MS).unref();
      kept.push(forget);
      if (kept.length > KEPT) kept.shift()?.();
    }, forget);
    return rendering;
  }

  return async <Result>(
    id: string,
    work: () => Promise<RenderOutcome<Result>>,
  ): Promise<RenderOutcome<Result>> => {
    const rendering = underway.get(id) ?? begin(id, work);
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, patienceMs, undefined);
    });
    const outcome = await Promise.race([rendering.outcome, tooLate]);
    clearTimeout(timer);
    if (!outcome) rendering.isLate = true;
    // An id stands for one kind of work, and so for one kind of result.
    return (outcome as RenderOutcome<Result> | undefined) ?? { kind: 'busy' };
  };
}
