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
import { BackEndUnavailable } from '../errors.ts';

const MB = 1024 * 1024;

/**
 * What a full disk still has for requests that delete. SQLite copies its log (16 MB and the last
 * transactions) into the database before it can use the log's room again, so this has to be more.
 */
export const RESERVE_BYTES = 32 * MB;
/** Writes also work while the database has this much inside it for use again. */
const REUSABLE_BYTES = 8 * MB;
/** What of that is left for a start: opening the databases takes some room. */
const START_BYTES = MB;
const PIECE_BYTES = MB;

/** How often a full disk is looked at again. */
const LOOK_EVERY_MS = 1_000;

/** Room on the disk, in bytes. */
export interface Space {
  free: number;
  total: number;
}

/** The room on the file system of a folder, for a process without privileges. */
export function spaceAt(folder: string): Space {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Below this share of the disk, or this many bytes where that is less, an operator should act. */
const LOW_SHARE = 0.1;
const LOW_BYTES = 1024 * MB;

export function isRunningLow({ free, total }: Space): boolean {
  return free < Math.min(total * LOW_SHARE, LOW_BYTES);
}

function reservePath(dataDir: string): string {
  return join(dataDir, 'reserve');
}

/** Lets the service start on a full disk: gives up what the reserve still holds. */
export function makeRoomToStart(dataDir: string): void {
  const path = reservePath(dataDir);
  try {
    if (sizeOf(path) > 0 && spaceAt(dataDir).free < START_BYTES) rmSync(path);
  } catch {
    // Opening the database says what is wrong with the folder.
  }
}

/**
 * Keeps room for deleting. A file in the data directory reserves it while there is room. When the disk
 * is full the file shrinks to what a start needs, and from then on only transactions that free space
 * may run, until there is room for the file again.
 */
export interface DiskReserve {
  /** Reserves the room, where there is enough; otherwise counts the disk as full. */
  hold(): void;
  /** Gives the room to whoever deletes: the disk is full. */
  release(): void;
  /** @throws BackEndUnavailable while the disk is full */
  requireRoom(): void;
}

/** @param dataDir a folder that exists @param reusable how many bytes the database has for use again */
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
        // The disk refuses even that. The caller hears of the failure that led here.
      }
    },
    requireRoom() {
      if (!isFull) return;
      if (Date.now() - lookedAt >= LOOK_EVERY_MS) {
        lookedAt = Date.now();
        isFull = !tryToHold();
      }
      if (isFull && reusable() < REUSABLE_BYTES) {
        throw new BackEndUnavailable('The disk is full. Only deleting works until there is room.');
      }
    },
  };
}

/** 0 where there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Random bytes, which no file system stores in less room. */
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
