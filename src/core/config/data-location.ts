import { existsSync, realpathSync } from 'node:fs';
import type { Config } from './config.ts';

/**
 * Describes where the database is. The text contains no password, and differs between locations.
 */
export function databaseLocation({ database, dataDir }: Config): string {
  if (!database) return `SQLite in ${realPath(dataDir)}`;
  const url = new URL(database.connectionString);
  const host = url.hostname || url.searchParams.get('host');
  const port = url.port || url.searchParams.get('port') || '5432';
  return `PostgreSQL at ${host}:${port}${url.pathname}`;
}

/**
 * Describes where pages and files are. The text contains no password, and differs between
 * locations.
 */
export function blobLocation({ blobs, dataDir }: Config): string {
  if (!blobs) return `files in ${realPath(dataDir)}`;
  return `S3 bucket ${blobs.bucket}/${blobs.prefix} at ${blobs.endpoint ?? blobs.region}`;
}

function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : directory;
}

/** Describes where all data is: the data directory as configured, or the servers. */
export function dataLocation(config: Config): string {
  if (!config.database && !config.blobs) return config.dataDir;
  return `${databaseLocation(config)}, ${blobLocation(config)}`;
}
