import type { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** Owner can read and write, others can read. */
const MODE = 0o644;

interface ArchiveFile {
  path: string;
  bytes: Readable;
  modifiedAt: string;
}

/** Writes a zip archive, one file after another, as fast as it is read. */
export class ArchiveWriter {
  /** The archive. Destroy it to stop. */
  readonly output: Readable;
  readonly #zip = new ZipFile();
  readonly #abandoned = new AbortController();

  constructor() {
    // The library's type doesn't say that it is a `PassThrough`.
    this.output = this.#zip.outputStream as PassThrough;
    this.output.once('close', () => this.#abandoned.abort());
    this.#zip.on('error', (error) => this.output.destroy(error as Error));
  }

  /**
   * Adds a file. Resolves once all of it has been read, so that the next doesn't wait in memory.
   *
   * @throws errors of `bytes`; an AbortError if the archive is no longer read
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
