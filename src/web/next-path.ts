const MAX_LENGTH = 2_000;

/**
 * Where to go after signing in: a path on this host, as it was asked for, or `undefined` when it
 * could lead anywhere else. Browsers take `//host`, `/\host` and `/<tab>/host` for other hosts, and
 * a path such as `/.//host` becomes one of these once its dots are resolved.
 *
 * @param text the value of `next`, of whatever type the request had it
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

/** The address of the sign-in page that leads back to a path. */
export function signInPath(next: string): string {
  return next === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
}
