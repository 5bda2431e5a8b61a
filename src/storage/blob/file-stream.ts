import { ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import type { ByteRange } from './blob.ts';

const CHUNK_BYTES = 64 * 1024;

/** Node's types omit the constructor. */
const OpenableReadStream = ReadStream as unknown as new (
  path: string,
  options: { fd: FileHandle; start?: number; end?: number },
) => ReadStream;

/**
 * Streams an open file and closes it. Piped into an HTTP response, it reuses one buffer. A new
 * buffer per chunk would pile up tens of megabytes before the garbage collector runs.
 */
export class FileStream extends OpenableReadStream {
  readonly #file: FileHandle;
  readonly #range: ByteRange;

  constructor(file: FileHandle, range: Partial<ByteRange> = {}) {
    super('', { fd: file, ...range });
    this.#file = file;
    this.#range = { start: 0, end: Number.POSITIVE_INFINITY, ...range };
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    // Other streams may use a chunk after their write callback.
    if (!(destination instanceof ServerResponse)) return super.pipe(destination, options);
    this.#pump(destination).then(
      () => {
        if (options?.end !== false) destination.end();
        this.push(null);
        this.resume();
      },
      (error) => this.destroy(error),
    );
    return destination;
  }

  async #pump(response: ServerResponse): Promise<void> {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const { start, end } = this.#range;
    for (let position = start; ; ) {
      const length = Math.min(CHUNK_BYTES, end - position + 1);
      // `null` reads on from the current position.
      const at = start === 0 ? null : position;
      const { bytesRead } = await this.#file.read(buffer, 0, length, at);
      if (bytesRead === 0) return;
      position += bytesRead;
      await write(response, buffer.subarray(0, bytesRead));
    }
  }
}

/** Resolves when the chunk has been passed to the system, so its buffer can be reused. */
function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
