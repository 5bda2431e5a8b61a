import { randomUUID } from 'node:crypto';
import { type S3Server, s3ServerMissing, startS3Server } from '../../../test/servers/s3.ts';
import { readConfig } from '../../core/config/read-config.ts';
import type { S3Location } from './blob.ts';

const { TEST_BLOB_URL, REQUIRE_BACKENDS } = process.env;

/** Why tests that need their own S3 server can't run; `false` if they can. */
export function withoutOwnServer(): string | false {
  const missing = s3ServerMissing();
  if (!missing) return false;
  const reason = `NOT TESTED: the S3 store, for lack of ${missing}`;
  if (REQUIRE_BACKENDS === '1') throw new Error(reason);
  console.warn(reason);
  return reason;
}

/** The same for tests that can use an existing S3 server. */
export function withoutServer(): string | false {
  return TEST_BLOB_URL ? false : withoutOwnServer();
}

/**
 * An empty prefix in the store of `TEST_BLOB_URL`, or in a server started for it.
 */
export async function openTestBucket(): Promise<{
  location: S3Location;
  close(): Promise<void>;
}> {
  if (TEST_BLOB_URL) {
    return { location: locationBelow(TEST_BLOB_URL, process.env), close: async () => {} };
  }
  const server = await startS3Server();
  return { location: placeIn(server), close: server.stop };
}

/** An empty prefix in a server. */
export function placeIn({ url, environment }: S3Server): S3Location {
  return locationBelow(url('test'), environment);
}

function locationBelow(url: string, environment: Partial<S3Server['environment']>): S3Location {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = environment;
  const settings = { BLOB_URL: url, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  const location = readConfig(settings).blobs as S3Location;
  const prefix = [location.prefix, randomUUID()].filter((part) => part !== '').join('/');
  return { ...location, prefix };
}
