import { Transform, type TransformCallback } from 'node:stream';
import { FieldError } from '../../base/errors.ts';
import { createTextCheck, USE_INSTEAD } from './content-type.ts';

/** Counts the bytes that pass and fails after `limitBytes`. */
export class SizeLimit extends Transform {
  sizeBytes = 0;
  readonly #limitBytes: number;

  constructor(limitBytes: number) {
    super();
    this.#limitBytes = limitBytes;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.sizeBytes += chunk.length;
    done(this.sizeBytes > this.#limitBytes ? tooLarge(this.#limitBytes) : null, chunk);
  }
}

/** Passes UTF-8 text and fails on anything else, including NUL and most control characters. */
export function requireText(): Transform {
  const isText = createTextCheck();
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(isText(chunk) ? null : notText(), chunk);
    },
    flush(done) {
      done(isText() ? null : notText());
    },
  });
}

export function tooLarge(limitBytes: number): FieldError {
  return new FieldError(
    'PAYLOAD_TOO_LARGE',
    'file',
    `must be at most ${limitBytes / 1024 ** 2} MB.`,
  );
}

function notText(): FieldError {
  return new FieldError(
    'UNPROCESSABLE',
    'file',
    `must be UTF-8 text or one of the supported types. ${USE_INSTEAD}.`,
  );
}
