import { randomUUID } from 'node:crypto';
import { readConfig } from '../../src/config/read-config.ts';
import type { S3Location } from '../../src/storage/blob/blob.ts';
import { type S3Server, s3ServerMissing, startS3Server } from '../servers/s3.ts';

const { TEST_BLOB_URL, REQUIRE_BACKENDS } = process.env;

/** Why tests that need an S3 server of their own cannot run here; `false` when they can. */
export function withoutOwnServer(): string | false {
  const missing = s3ServerMissing();
  if (!missing) return false;
  const reason = `NOT TESTED: the S3 store, for lack of ${missing}`;
  if (REQUIRE_BACKENDS === '1') throw new Error(reason);
  console.warn(reason);
  return reason;
}

/** The same for tests that an S3 server which is there already will do for. */
export function withoutServer(): string | false {
  return TEST_BLOB_URL ? false : withoutOwnServer();
}

/**
 * A place where nothing is yet, in the store of `TEST_BLOB_URL` or else in a server that is started
 * for it.
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

/** A place in a server where nothing is yet. */
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
