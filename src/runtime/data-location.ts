import { existsSync, realpathSync } from 'node:fs';
import type { Config } from '../config.ts';

/** Where a database is, in words that hold no password and differ for different places. */
export function databasePlace({ database, dataDir }: Config): string {
  if (!database) return `SQLite in ${realPath(dataDir)}`;
  const url = new URL(database.connectionString);
  const host = url.hostname || url.searchParams.get('host');
  const port = url.port || url.searchParams.get('port') || '5432';
  return `PostgreSQL at ${host}:${port}${url.pathname}`;
}

/** Where pages and files are, likewise. */
export function blobPlace({ blobs, dataDir }: Config): string {
  if (!blobs) return `files in ${realPath(dataDir)}`;
  return `S3 bucket ${blobs.bucket}/${blobs.prefix} at ${blobs.endpoint ?? blobs.region}`;
}

function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : directory;
}

/** Where all of it is: the folder, as it was asked for, or what is elsewhere. */
export function dataPlace(config: Config): string {
  if (!config.database && !config.blobs) return config.dataDir;
  return `${databasePlace(config)}, ${blobPlace(config)}`;
}
