const DEFAULT_PREFIX = 'briefs:';

/**
 * Takes our own parameter out of REDIS_URL.
 *
 * @returns `address`, which the driver understands, and `prefix`, with which all keys begin
 * @throws Error that says in one line what the address must be, and holds nothing of it: it may carry
 *   a password
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
