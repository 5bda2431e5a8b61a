import { constants } from 'node:os';
import { BackEndUnavailable } from '../errors.ts';

const { EIO, ENOSPC, EDQUOT, EFBIG, EROFS, ENODEV, ENXIO, ESTALE, EMFILE, ENFILE } =
  constants.errno;

/**
 * What the system says of a disk that is failing, full, not to be written or gone, and where too many
 * files are open (errno(3)). As numbers, since the runtime has no names for some.
 */
const ERRNOS = new Set([
  ...[EIO, ENOSPC, EDQUOT, EFBIG, EROFS, ENODEV, ENXIO, ESTALE],
  ...[EMFILE, ENFILE],
]);

/**
 * What SQLite says of the same (SQLite documentation, "Result and Error Codes"): READONLY, IOERR,
 * CORRUPT, FULL, CANTOPEN, PROTOCOL; and BUSY, where another process has been writing for too long. A
 * page that cannot be read it calls corrupt, too.
 */
const SQLITE_CODES = new Set([5, 8, 10, 11, 13, 14, 15]);

/** Extended codes have the primary one in their lowest byte. */
const PRIMARY_CODE = 0xff;

const SQLITE_FULL = 13;

/** Whether an error, or what caused it, says that there is no room on the disk. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { errno = 0, errcode = 0 } = at as Error & { errno?: number; errcode?: number };
    if (errno === -ENOSPC || errno === -EDQUOT || (errcode & PRIMARY_CODE) === SQLITE_FULL)
      return true;
  }
  return false;
}

/**
 * What to throw for an error of the file system or of SQLite: {@link BackEndUnavailable} where the
 * disk does not do what it is for; any other error as it came.
 *
 * @param Unavailable a narrower class
 */
export function fromDisk(error: unknown, Unavailable = BackEndUnavailable): unknown {
  if (!(error instanceof Error)) return error;
  const { errno = 0, errcode = 0 } = error as Error & { errno?: number; errcode?: number };
  const fails = ERRNOS.has(-errno) || SQLITE_CODES.has(errcode & PRIMARY_CODE);
  return fails ? new Unavailable(error.message, { cause: error }) : error;
}
