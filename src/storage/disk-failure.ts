import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { BackEndUnavailable, DiskFull } from '../base/errors.ts';

const { EIO, ENOSPC, EDQUOT, EFBIG, EROFS, ENODEV, ENXIO, ESTALE, EMFILE, ENFILE } =
  constants.errno;

/** A failing, full, read-only or missing disk, or too many open files (errno(3)). */
const ERRNOS = new Set([EIO, ENOSPC, EDQUOT, EFBIG, EROFS, ENODEV, ENXIO, ESTALE, EMFILE, ENFILE]);

/** CORRUPT (also an unreadable page), and NOTADB. */
const DAMAGE = [11, 26];

/**
 * READONLY, IOERR, FULL, CANTOPEN, PROTOCOL, damage; and BUSY, if another process writes for too long
 * (SQLite documentation, "Result and Error Codes").
 */
const SQLITE_CODES = new Set([5, 8, 10, 13, 14, 15, ...DAMAGE]);

/** Extended codes have the primary one in their lowest byte. */
const PRIMARY_CODE = 0xff;

const SQLITE_FULL = 13;

/** The file beside a database that processes share could not grow, which takes 32 KB of disk. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** Tells whether an error of the file system or SQLite means that the disk is full. */
function isFull({ errno, errcode }: { errno: number; errcode: number }): boolean {
  return (
    errno === -ENOSPC ||
    errno === -EDQUOT ||
    errcode === SQLITE_IOERR_SHMSIZE ||
    (errcode & PRIMARY_CODE) === SQLITE_FULL
  );
}

/** Tells whether as many random bytes still fit into the data directory, by writing them. */
export function hasRoom(dataDir: string, bytes = 512 * 1024): boolean {
  const path = join(dataDir, 'room.tmp');
  try {
    writeFileSync(path, randomBytes(bytes));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Tells whether an error, or its cause, means that a file of SQLite is damaged or something else. */
export function isDamage(error: unknown): boolean {
  const { errcode, cause } = (error ?? {}) as { errcode?: number; cause?: unknown };
  if (errcode !== undefined) return DAMAGE.includes(errcode & PRIMARY_CODE);
  return cause !== undefined && isDamage(cause);
}

/**
 * Returns {@link BackEndUnavailable} if an error of the file system or SQLite means that the disk
 * failed, and {@link DiskFull} if it is full. Returns any other error unchanged.
 *
 * @param Unavailable a subclass to return instead of BackEndUnavailable
 */
export function toDiskError(error: unknown, Unavailable = BackEndUnavailable): unknown {
  if (!(error instanceof Error)) return error;
  const { errno = 0, errcode = 0 } = error as Error & { errno?: number; errcode?: number };
  if (isFull({ errno, errcode })) return new DiskFull(error.message, { cause: error });
  const fails = ERRNOS.has(-errno) || SQLITE_CODES.has(errcode & PRIMARY_CODE);
  return fails ? new Unavailable(error.message, { cause: error }) : error;
}
