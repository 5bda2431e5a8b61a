import { createReadStream, existsSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** A file's path, or a stream. */
export type BackupSource = string | Readable;

/** @throws Error if the source is a file that does not exist */
export function requireSource(source: BackupSource): void {
  if (typeof source === 'string' && !existsSync(source))
    throw new Error(`There is no file ${source}.`);
}

export function openSource(source: BackupSource): Readable {
  return typeof source === 'string' ? createReadStream(source) : source;
}

/** Returns the source's name in errors. */
export function sourceName(source: BackupSource): string {
  return typeof source === 'string' ? source : 'The backup on standard input';
}
