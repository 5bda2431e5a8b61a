const MAX_LENGTH = 2_000;

/**
 * Returns the path to open after sign-in, or `undefined` if it could lead to another host. Browsers
 * treat `//host`, `/\host` and `/<tab>/host` as other hosts. A path such as `/.//host` also becomes
 * one once its dots are resolved.
 *
 * @param text the value of `next`, of any type
 * @returns path and query, without a fragment
 */
export function nextPath(text: unknown, webUrl: string): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
  if (!/^\/(?!\/)[!-~]*$/.test(text) || text.includes('\\')) return undefined;
  const url = URL.parse(text, webUrl);
  if (!url || url.origin !== new URL(webUrl).origin || url.pathname.startsWith('//')) {
    return undefined;
  }
  return url.pathname + url.search;
}

/** Returns the address of the sign-in page that leads back to a path. */
export function signInPath(next: string): string {
  return leadingTo('/sign-in', next);
}

/** Returns the address of a page that leads to a path once its visitor is done there. */
export function leadingTo(page: string, next: string): string {
  return next === '/' ? page : `${page}?next=${encodeURIComponent(next)}`;
}
