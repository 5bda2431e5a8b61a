import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  validateFileName,
  type ZipFile,
} from 'yauzl';
import { ARCHIVE_LIMITS, EXPORT_COMMENT, MARK, overLimit } from './import-rules.ts';

/** General purpose bit 11: the name is UTF-8 (APPNOTE.TXT, section 4.4.4). */
const UTF8_NAME = 0x800;

/** How much of an archive is read at once. */
const PIECE_BYTES = 65_536;

/** An archive can't be read, or no further. The message is a phrase that follows its name. */
export class ArchiveProblem extends Error {}

export interface ArchivedFile {
  path: string;
  /** Whether this service wrote the archive. */
  isExport: boolean;
  /** How large it says that it is, unpacked. One that isn't as large can't be read. */
  sizeBytes: number;
  /**
   * Reads the whole file.
   *
   * @param limitBytes the largest size, without a byte order mark
   * @returns the bytes, or what is wrong with the file as a phrase
   * @throws ArchiveProblem if the archive has reached its limit
   */
  read(limitBytes: number): Promise<{ bytes: Buffer } | { problem: string }>;
}

/**
 * Opens a zip archive, and yields what is made of its files, without folders, in the order of its
 * directory. Spools the archive to a temporary file, which is gone afterwards.
 *
 * @param bytes always read to the end
 * @throws ArchiveProblem if it is too large, damaged, or not an archive; for damage within the
 *   directory, after the files before it
 */
export async function* readArchive<Made>(
  bytes: Readable,
  make: (files: readonly ArchivedFile[], packedBytes: number) => AsyncGenerator<Made>,
): AsyncGenerator<Made> {
  const directory = await mkdtemp(join(tmpdir(), 'briefs-import-'));
  try {
    const path = join(directory, 'archive.zip');
    const sizeBytes = await spool(bytes, path);
    const file = await open(path);
    try {
      const { files, problem } = await filesOf(file, sizeBytes);
      yield* make(files, sizeBytes);
      if (problem) throw problem;
    } finally {
      await file.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Writes a stream to a file. @returns its size */
async function spool(bytes: Readable, path: string): Promise<number> {
  let sizeBytes = 0;
  async function* withinLimit() {
    // Doesn't destroy the stream, so that the caller can read it to the end.
    for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length;
      if (sizeBytes > ARCHIVE_LIMITS.packedBytes) return;
      yield chunk;
    }
  }
  await pipeline(withinLimit(), createWriteStream(path));
  if (sizeBytes <= ARCHIVE_LIMITS.packedBytes) return sizeBytes;
  bytes.resume();
  throw new ArchiveProblem(overLimit(ARCHIVE_LIMITS.packedBytes));
}

/** @returns the files, and why there may be more */
async function filesOf(
  file: FileHandle,
  sizeBytes: number,
): Promise<{ files: ArchivedFile[]; problem?: ArchiveProblem }> {
  const zip = await fromRandomAccessReaderPromise(new FileReader(file, sizeBytes), sizeBytes, {
    autoClose: false,
    decodeStrings: false,
  }).catch(refuse);
  if (zip.entryCount > ARCHIVE_LIMITS.entries) {
    throw new ArchiveProblem(
      `has ${zip.entryCount} entries; at most ${ARCHIVE_LIMITS.entries} are allowed`,
    );
  }
  // The library types the comment as a string, but with `decodeStrings: false` it is a buffer.
  const isExport = String(zip.comment) === EXPORT_COMMENT;
  const archive = new OpenArchive(zip);
  const files: ArchivedFile[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      const path = pathOf(entry);
      if (path.endsWith('/')) continue;
      files.push({
        path,
        isExport,
        sizeBytes: entry.uncompressedSize,
        read: (limitBytes) => archive.read(entry, path, limitBytes),
      });
    }
    return { files };
  } catch (error) {
    return { files, problem: problemOf(error as Error) };
  }
}

/** Tracks what has been read from an archive. A file can be read several times. */
class OpenArchive {
  readonly #zip: ZipFile;
  readonly #paths = new Map<string, Entry>();
  readonly #parts: { start: number; end: number; entry: Entry }[] = [];
  #unpackedBytes = 0;

  constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  async read(
    entry: Entry,
    path: string,
    limitBytes: number,
  ): Promise<{ bytes: Buffer } | { problem: string }> {
    if (validateFileName(path) !== null) return { problem: 'has a path outside the archive' };
    const isFirst = !this.#paths.has(path);
    if (isFirst) this.#paths.set(path, entry);
    if (this.#paths.get(path) !== entry) return { problem: 'is in the archive twice' };
    if (entry.isEncrypted()) return { problem: 'is encrypted' };
    if (!entry.canDecodeFileData()) return { problem: 'uses an unsupported compression method' };
    if (entry.uncompressedSize > limitBytes + MARK.length)
      return { problem: overLimit(limitBytes) };
    try {
      if (!(await this.#isApart(entry))) return { problem: 'shares its bytes with another file' };
      const bytes = await this.#unpack(entry, isFirst);
      return crc32(bytes) === entry.crc32 ? { bytes } : { problem: 'is damaged' };
    } catch (error) {
      if (error instanceof ArchiveProblem) throw error;
      return { problem: 'is damaged' };
    }
  }

  /**
   * Tells whether the entry overlaps no other. With overlapping files, a small archive can unpack
   * to a huge size.
   */
  async #isApart(entry: Entry): Promise<boolean> {
    const { fileDataStart } = await this.#zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const part = {
      start: entry.relativeOffsetOfLocalHeader,
      end: fileDataStart + entry.compressedSize,
      entry,
    };
    if (this.#parts.some((each) => each.entry === entry)) return true;
    if (this.#parts.some(({ start, end }) => start < part.end && part.start < end)) return false;
    this.#parts.push(part);
    return true;
  }

  /** Unpacks an entry. The library fails the stream once it exceeds the entry's declared size. */
  async #unpack(entry: Entry, isFirst: boolean): Promise<Buffer> {
    const stream = await this.#zip.openReadStreamPromise(entry);
    // Errors after the end need no handling.
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (isFirst) this.#unpackedBytes += chunk.length;
      if (this.#unpackedBytes > ARCHIVE_LIMITS.unpackedBytes) {
        throw new ArchiveProblem(`unpacked, ${overLimit(ARCHIVE_LIMITS.unpackedBytes)}`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/**
 * Reads a file for the library. Checks positions, because an archive can claim any, and those
 * outside the file make system calls throw.
 */
class FileReader extends RandomAccessReader {
  readonly #file: FileHandle;
  readonly #sizeBytes: number;

  constructor(file: FileHandle, sizeBytes: number) {
    super();
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (!(position >= 0 && position + length <= this.#sizeBytes)) {
      setImmediate(callback, new Error('outside of the file'));
      return;
    }
    this.#file.read(buffer, offset, length, position).then(
      ({ bytesRead }) => callback(null, bytesRead),
      (error) => callback(error),
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readRange(this.#file, start, end), { objectMode: false });
  }

  /** Does nothing: the opener closes the file. */
  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }
}

/** @param end exclusive */
async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(PIECE_BYTES, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) throw new Error('outside of the file');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Returns an entry's path. Some programs write UTF-8 without saying so. */
function pathOf(entry: Entry): string {
  const { generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields } = entry;
  const says = (flags & UTF8_NAME) !== 0 || extraFields.some(({ id }) => id === 0x7075);
  const isUtf8 = says || Buffer.compare(Buffer.from(raw.toString()), raw) === 0;
  return getFileNameLowLevel(says ? flags : isUtf8 ? UTF8_NAME : 0, raw, extraFields, false);
}

/** Converts the library's errors to ours. */
function problemOf(error: Error): ArchiveProblem {
  if (/encryption/.test(error.message)) return new ArchiveProblem('is encrypted');
  if (/multi-disk/.test(error.message)) return new ArchiveProblem('is one part of a split archive');
  return new ArchiveProblem('is damaged, or not a zip archive');
}

function refuse(error: Error): never {
  throw problemOf(error);
}
