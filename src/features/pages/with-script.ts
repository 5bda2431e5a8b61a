import { Readable } from 'node:stream';
import type { PageContent } from './page-service.ts';
import { scriptPlace } from './script-place.ts';

/**
 * How many bytes at the start of a page to search for the script's place. A tag that ends later
 * isn't found, so the script goes before it.
 */
const START_BYTES = 16_384;

/** Returns a page's content with a script that runs before its own. It can only be sent whole. */
export function withScript(content: PageContent, script: Buffer): PageContent {
  const { etag, sizeBytes } = content;
  return {
    etag: etag.replace(/"$/, '-review"'),
    sizeBytes: sizeBytes + script.length,
    isWhole: true,
    async open() {
      const start = await firstBytes(content);
      if (!start) return undefined;
      const place = scriptPlace(start.toString('latin1'));
      const isShort = start.length === sizeBytes;
      const rest = isShort ? undefined : await content.open(from(start.length, sizeBytes));
      if (!isShort && !rest) return undefined;
      return Readable.from(
        (async function* () {
          yield start.subarray(0, place);
          yield script;
          yield start.subarray(place);
          if (rest) yield* rest;
        })(),
        { objectMode: false },
      );
    },
  };
}

const from = (start: number, sizeBytes: number) => ({ start, end: sizeBytes - 1 });

async function firstBytes({ sizeBytes, open }: PageContent): Promise<Buffer | undefined> {
  if (sizeBytes === 0) return Buffer.alloc(0);
  const stream = await open({ start: 0, end: Math.min(sizeBytes, START_BYTES) - 1 });
  return stream && Buffer.concat(await stream.toArray());
}
