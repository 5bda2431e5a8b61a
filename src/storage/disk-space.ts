import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { BackEndUnavailable } from '../base/errors.ts';

const MB = 1024 * 1024;

/**
 * The space that a full disk still has for deletes. SQLite copies its log (16 MB and the last
 * transactions) into the database before it reuses the log's space, so this must be larger.
 */
const RESERVE_BYTES = 32 * MB;
/** Writes work on a full disk while the database file has this much free space inside. */
const REUSABLE_BYTES = 8 * MB;
/** The part of the reserve that is left for the next start, which opens the databases. */
const START_BYTES = 4 * MB;
const PIECE_BYTES = MB;

const CHECK_EVERY_MS = 1_000;

/** Disk space in bytes. */
export interface Space {
  free: number;
  total: number;
}

/** Returns the space of a folder's file system, as far as an unprivileged process can use it. */
export function spaceAt(folder: string): Space {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/**
 * Space is low below this share of the disk or this many bytes, whichever is less. Then an operator
 * should act.
 */
const LOW_SHARE = 0.1;
const LOW_BYTES = 1024 * MB;

export function isRunningLow({ free, total }: Space): boolean {
  return free < Math.min(total * LOW_SHARE, LOW_BYTES);
}

function reservePath(dataDir: string): string {
  return join(dataDir, 'reserve');
}

/** Deletes the rest of the reserve if the disk is too full to start. */
export function freeSpaceToStart(dataDir: string): void {
  const path = reservePath(dataDir);
  try {
    if (sizeOf(path) > 0 && spaceAt(dataDir).free < START_BYTES) rmSync(path);
  } catch {
    // Opening the database reports what is wrong with the folder.
  }
}

/**
 * Keeps disk space for deletes. A file in the data directory reserves it. When the disk is full,
 * the file shrinks to what a start needs. Until there is space for the whole file again,
 * transactions that free no space run only while the database file has enough free space inside.
 */
export interface DiskReserve {
  /** Reserves the space. If there is not enough, treats the disk as full. */
  hold(): void;
  /** Frees the reserved space for deletes, and treats the disk as full. */
  release(): void;
  /** Whether the disk is treated as full. */
  isFull(): boolean;
  /** @throws BackEndUnavailable if the disk is full and the database has too little free space */
  requireRoom(): void;
}

/**
 * @param dataDir an existing folder
 * @param reusable returns the free bytes inside the database file
 */
export function diskReserve(dataDir: string, reusable: () => number): DiskReserve {
  const path = reservePath(dataDir);
  let isFull = false;
  let lookedAt = 0;

  function tryToHold(): boolean {
    try {
      if (sizeOf(path) >= RESERVE_BYTES) return true;
      if (spaceAt(dataDir).free < 2 * RESERVE_BYTES) return false;
      fill(`${path}.partial`);
      renameSync(`${path}.partial`, path);
      return true;
    } catch {
      rmSync(`${path}.partial`, { force: true });
      return false;
    }
  }

  return {
    hold() {
      isFull = !tryToHold();
    },
    release() {
      isFull = true;
      try {
        if (sizeOf(path) > START_BYTES) truncateSync(path, START_BYTES);
      } catch {
        // The caller throws the error that led here.
      }
    },
    isFull: () => isFull,
    requireRoom() {
      if (!isFull) return;
      if (Date.now() - lookedAt >= CHECK_EVERY_MS) {
        lookedAt = Date.now();
        isFull = !tryToHold();
      }
      if (isFull && reusable() < REUSABLE_BYTES) {
        throw new BackEndUnavailable('The disk is full. Only deleting works until there is space.');
      }
    },
  };
}

/** Returns 0 if there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Fills the file with random bytes, which no file system can compress. */
function fill(path: string): void {
  const piece = randomFillSync(Buffer.alloc(PIECE_BYTES));
  const file = openSync(path, 'w', 0o600);
  try {
    for (let bytes = 0; bytes < RESERVE_BYTES; bytes += PIECE_BYTES) writeSync(file, piece);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
