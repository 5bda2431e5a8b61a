const DEFAULT_PREFIX = 'briefs:';

/**
 * Splits REDIS_URL.
 *
 * @returns `address` without parameters, and `prefix`, the start of all keys
 * @throws Error with one line that says what the address must be. It quotes nothing, because the
 *   address may contain a password
 */
export function splitRedisUrl(text: string): { address: string; prefix: string } {
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol)) {
    throw new Error('must be an address such as redis://127.0.0.1:6379/0');
  }
  if (!/^\/?\d*$/.test(url.pathname)) {
    throw new Error('its path must be the number of a database, such as /0');
  }
  if (!isDecodable(url.username + url.password)) {
    throw new Error('a % in the user or password must be written as %25');
  }
  const prefix = url.searchParams.get('prefix') ?? DEFAULT_PREFIX;
  url.searchParams.delete('prefix');
  url.search = '';
  return { address: url.href, prefix };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
