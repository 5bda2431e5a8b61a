import type { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** Read and write for the owner, read for the others. */
const MODE = 0o644;

interface ArchiveFile {
  path: string;
  bytes: Readable;
  /** ISO 8601. */
  modifiedAt: string;
}

/** Writes a zip archive as fast as somebody reads it, one file after the other. */
export class ArchiveWriter {
  /** The archive; whoever no longer wants it destroys it. */
  readonly output: Readable;
  readonly #zip = new ZipFile();
  readonly #abandoned = new AbortController();

  constructor() {
    // The library's type does not say it.
    this.output = this.#zip.outputStream as PassThrough;
    this.output.once('close', () => this.#abandoned.abort());
    this.#zip.on('error', (error) => this.output.destroy(error as Error));
  }

  /**
   * Adds a file. Resolves when all of it has been read, so that the next need not wait in memory.
   *
   * @throws what `bytes` throws; an AbortError when nobody reads the archive any more
   */
  async add({ path, bytes, modifiedAt }: ArchiveFile): Promise<void> {
    const { signal } = this.#abandoned;
    try {
      signal.throwIfAborted();
      const done = finished(bytes, { signal });
      this.#zip.addReadStream(bytes, path, { mtime: new Date(modifiedAt), mode: MODE });
      await done;
    } finally {
      bytes.destroy();
    }
  }

  /** Ends the archive. @param comment plain ASCII */
  end(comment: string): void {
    this.#zip.end({ comment, forceZip64Format: false });
  }
}
