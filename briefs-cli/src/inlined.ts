import { readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { KINDS } from '../../src/base/schema/kind.ts';
import { withoutMetadata } from '../../src/features/files/image-metadata.ts';

/** How files of each type begin, as Latin-1. `.` is any byte. */
const SIGNATURES: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^.PNG\r\n.\n/s],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];

/** The longest signature, in bytes. */
const SIGNATURE_BYTES = 12;

/**
 * Pictures as `data:` addresses. An HTML page is one file, which loads nothing. Like uploaded ones,
 * they come without metadata, such as the place of a photo.
 */
export class Inlined {
  readonly #addresses = new Map<string, string | undefined>();

  /** Reads a picture, unless it is too large for a page. */
  async provide(path: string): Promise<void> {
    if (!this.#addresses.has(path)) this.#addresses.set(path, await dataAddress(path));
  }

  /** Returns a picture's address; `undefined` if it is none, or wasn't read. */
  addressOf(path: string): string | undefined {
    return this.#addresses.get(path);
  }
}

async function dataAddress(path: string): Promise<string | undefined> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? Infinity;
  if (size > KINDS.page.contentLimitBytes) return undefined;
  const bytes = readFileSync(path);
  const head = bytes.subarray(0, SIGNATURE_BYTES).toString('latin1');
  const [type] = SIGNATURES.find(([, signature]) => signature.test(head)) ?? [];
  if (type === undefined) return undefined;
  const chunks: Buffer[] = [];
  const source = Readable.from([bytes], { objectMode: false });
  for await (const chunk of withoutMetadata(type, source)) chunks.push(chunk);
  return `data:${type};base64,${Buffer.concat(chunks).toString('base64')}`;
}
