const DEFAULT_PREFIX = 'briefs:';

/**
 * Takes our own parameter out of REDIS_URL.
 *
 * @returns `address`, which the driver understands, and `prefix`, with which all keys begin
 * @throws Error with one line, which never holds the password
 */
export function readRedisUrl(text: string): { address: string; prefix: string } {
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol)) {
    throw new Error('REDIS_URL: must be an address such as redis://127.0.0.1:6379/0');
  }
  if (!/^\/?\d*$/.test(url.pathname)) {
    throw new Error(`REDIS_URL: ${url.pathname} must be the number of a database, such as /0`);
  }
  if (!isDecodable(url.username + url.password)) {
    throw new Error('REDIS_URL: a % in the user or password must be written as %25');
  }
  const prefix = url.searchParams.get('prefix') ?? DEFAULT_PREFIX;
  url.searchParams.delete('prefix');
  const [unknown] = url.searchParams.keys();
  if (unknown) throw new Error(`REDIS_URL: unknown parameter ${unknown} (known is prefix)`);
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
