const MS = 1_000;

/** Runs `work` at most once per second. Calls in between share the result of the last run. */
export function oncePerSecond(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let ranAt = 0;
  return () => {
    const now = performance.now();
    if (!last || now - ranAt >= MS) {
      ranAt = now;
      last = work();
      // Callers still get the error. This avoids an unhandled rejection if there are none.
      last.catch(() => {});
    }
    return last;
  };
}
