import { splitRedisUrl } from '../../base/net/redis-url.ts';
import type { S3Location } from '../../storage/blob/blob.ts';
import type { PostgresLocation } from '../../storage/sql/sql.ts';
import { readUrl } from './addresses.ts';

const OWN_PARAMETERS = ['pool_size', 'pooler'];
const DEFAULT_POOL_SIZE = 10;
const DEFAULT_REGION = 'us-east-1';

/** Parses `postgres://user:password@host/database` with our own `pool_size` and `pooler`. */
export function readDatabaseUrl(text: string): PostgresLocation {
  const url = readBackEndUrl(text, ['postgres:', 'postgresql:']);
  const poolSize = url.searchParams.get('pool_size') ?? String(DEFAULT_POOL_SIZE);
  if (!/^[1-9]\d{0,2}$/.test(poolSize)) throw new Error('pool_size must be from 1 to 999');
  const pooler = url.searchParams.get('pooler');
  if (pooler !== null && pooler !== 'transaction') throw new Error('pooler can be transaction');
  for (const own of OWN_PARAMETERS) url.searchParams.delete(own);
  // The driver's parameters are not ours to list.
  const misspelled = [...url.searchParams.keys()].find((name) => /^pool/i.test(name));
  if (misspelled) {
    throw new Error(
      `has an unknown parameter ${misspelled}; known are ${OWN_PARAMETERS.join(' and ')}`,
    );
  }
  return {
    connectionString: url.href,
    poolSize: Number(poolSize),
    pooler: pooler === 'transaction',
  };
}

/** Checks `redis://user:password@host:port/database?prefix=…`. */
export function readRedisUrl(text: string): string {
  const url = readBackEndUrl(text, ['redis:', 'rediss:']);
  refuseParameters(url, ['prefix']);
  splitRedisUrl(url.href);
  return url.href;
}

/** Parses `s3://bucket/prefix?endpoint=…&region=…`. */
export function readBlobUrl(text: string): Omit<S3Location, 'credentials'> {
  const url = readBackEndUrl(text, ['s3:']);
  refuseParameters(url, ['endpoint', 'region']);
  if (url.host === '') throw new Error('needs a bucket: s3://bucket/prefix');
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined) readUrl(endpoint);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  if (!/^[\w.\-/]*$/.test(prefix))
    throw new Error('its prefix can contain letters, digits, - _ . /');
  const region = url.searchParams.get('region') ?? '';
  return { bucket: url.host, prefix, endpoint, region };
}

function readBackEndUrl(text: string, protocols: string[]): URL {
  const url = URL.parse(text);
  if (
    !url &&
    protocols.some((protocol) => text.startsWith(`${protocol}//`)) &&
    text.includes('@')
  ) {
    throw new Error(
      'is not an address: characters such as / ? # [ ] @ : and % in its user or password must be ' +
        'percent-encoded (/ as %2F, # as %23, % as %25)',
    );
  }
  if (!url || !protocols.includes(url.protocol)) {
    const beginnings = protocols.map((protocol) => `${protocol}//`).join(' or ');
    throw new Error(`must be an address that begins with ${beginnings}`);
  }
  if (url.host === '' && url.search === '') {
    throw new Error(
      `needs a ${url.protocol === 's3:' ? 'bucket' : 'host'} after ${url.protocol}//`,
    );
  }
  return url;
}

function refuseParameters(url: URL, known: string[]): void {
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown)
    throw new Error(`has an unknown parameter ${unknown}; known are ${known.join(' and ')}`);
}

/** Adds the region and the AWS_… credentials. Without credentials, the SDK uses its defaults. */
export function withCredentials(
  location: Omit<S3Location, 'credentials'>,
  environment: Record<string, string | undefined>,
): S3Location {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  const region =
    location.region || environment.AWS_REGION || environment.AWS_DEFAULT_REGION || DEFAULT_REGION;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    return { ...location, region, credentials: undefined };
  }
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
  return { ...location, region, credentials };
}
