import { Readable } from 'node:stream';

/** How many characters of the index are converted to bytes at once. */
const PIECE_LENGTH = 65_536;

/** Collects index entries in pieces: together they may exceed the longest string. */
export class IndexEntries {
  readonly #pieces: Buffer[] = [];
  #last = '';

  add(entry: object): void {
    const isFirst = this.#last === '' && this.#pieces.length === 0;
    this.#last += `${isFirst ? '' : ','}\n    ${JSON.stringify(entry)}`;
    if (this.#last.length < PIECE_LENGTH) return;
    this.#pieces.push(Buffer.from(this.#last));
    this.#last = '';
  }

  /** Returns what goes between the brackets. */
  text(): (Buffer | string)[] {
    const pieces = [...this.#pieces, this.#last];
    return pieces.some(({ length }) => length > 0) ? [...pieces, '\n  '] : [];
  }
}

export function bytesOf(pieces: readonly (Buffer | string)[]): Readable {
  return Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  );
}
