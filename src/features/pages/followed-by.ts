import { pipeline, Readable, Transform } from 'node:stream';
import type { PageContent } from './page-service.ts';

/** Appends bytes to a page's content, with its own size, ETag and ranges. */
export function followedBy(content: PageContent, tail: Buffer): PageContent {
  const { etag, sizeBytes, isWhole = false } = content;
  const total = sizeBytes + tail.length;
  return {
    etag: etag.replace(/"$/, '-framed"'),
    sizeBytes: total,
    isWhole,
    async open({ start, end } = { start: 0, end: total - 1 }) {
      const rest = tail.subarray(Math.max(0, start - sizeBytes), Math.max(0, end + 1 - sizeBytes));
      if (start >= sizeBytes) return Readable.from([rest], { objectMode: false });
      const head = await content.open({ start, end: Math.min(end, sizeBytes - 1) });
      if (!head) return undefined;
      const both = new Transform({
        transform: (chunk, _encoding, done) => done(null, chunk),
        flush: (done) => done(null, rest),
      });
      // The reader of `both` gets the error of either stream.
      return pipeline(head, both, () => {});
    },
  };
}
