import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackedUp, type Backends, backUp, verifyBackup } from './backup.ts';

/** `briefs-20260131T041500Z.tar`. The order of the names is that of their times. */
const NAME = /^briefs-\d{8}T\d{6}Z\.tar$/;

/** The result of a scheduled backup. */
export interface Scheduled extends BackedUp {
  file: string;
  bytes: number;
  /** The files of earlier backups that were removed. */
  removed: string[];
}

/**
 * Writes a backup to a folder under the name of its time, verifies it, and then removes the oldest ones
 * that this function wrote there. If anything fails, no earlier backup is removed.
 *
 * @param keep how many remain, at least 1; all if `undefined`
 * @param at the time, ISO 8601 in UTC
 * @throws Error if the folder does not exist, or the archive is damaged
 */
export async function backUpInto(
  from: Backends,
  folder: string,
  { keep, at }: { keep: number | undefined; at: string },
): Promise<Scheduled> {
  const name = `briefs-${at.slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar`;
  const file = join(folder, name);
  const { lost } = await backUp(from, file);
  const { bytes } = await verifyBackup(file);
  if (keep === undefined || lost.size > 0) return { file, bytes, lost, removed: [] };
  const all = (await readdir(folder)).filter((found) => NAME.test(found)).sort();
  const removed = all.slice(0, -keep).filter((old) => old !== name);
  for (const old of removed) await rm(join(folder, old));
  return { file, bytes, lost, removed };
}
