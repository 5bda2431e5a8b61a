const MS = 1_000;

/** Runs `work` at most once a second: in between, callers get the outcome of the last run. */
export function onceASecond(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let ranAt = 0;
  return () => {
    const now = performance.now();
    if (!last || now - ranAt >= MS) {
      ranAt = now;
      last = work();
      // Whoever asks gets the failure; nobody may be asking any more.
      last.catch(() => {});
    }
    return last;
  };
}
