import { ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import type { ByteRange } from './blob.ts';

const CHUNK_BYTES = 64 * 1024;

/** The types of Node do not tell of its constructor. */
const OpenableReadStream = ReadStream as unknown as new (
  path: string,
  options: { fd: FileHandle; start?: number; end?: number },
) => ReadStream;

/**
 * The bytes of an open file, which is closed with the stream. What is piped into an HTTP answer goes
 * through one buffer: a new one for each chunk would be left to the garbage collector, which lets
 * tens of megabytes of them gather before it looks.
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
    // Any other stream may still pass a chunk on when it has taken it.
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
      // From the beginning it is read one after the other, as any stream reads.
      const at = start === 0 ? null : position;
      const { bytesRead } = await this.#file.read(buffer, 0, length, at);
      if (bytesRead === 0) return;
      position += bytesRead;
      await write(response, buffer.subarray(0, bytesRead));
    }
  }
}

/** Resolves when the system has taken the chunk. */
function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
