/** How long keys can keep other work waiting, in ms. */
const PATIENCE_MS = 500;

/** Waits until the browser has nothing more urgent to do, as a key, for half a second at most. */
export function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: PATIENCE_MS });
    else setTimeout(resolve);
  });
}
