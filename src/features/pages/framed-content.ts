import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PageContent } from './page-service.ts';

const SPACE = /[\t\n\f\r ]+/y;
/** Matches a comment as browsers read it, even if it ends early or oddly. */
const COMMENT = /<!--(?:>|->|[\s\S]*?--!?>)/y;
const DOCTYPE = /<!doctype[^>]*>/iy;

/** Returns a pattern for a start tag whose attributes can be read in only one way. */
function startTag(name: string): RegExp {
  const value = '(?:"[^"]*"|\'[^\']*\'|[\\w./:#-]+)';
  const attribute = `[\\t\\n\\f\\r ]+[a-z][a-z0-9:._-]*(?:=${value})?`;
  return new RegExp(`<${name}(?:${attribute})*[\\t\\n\\f\\r ]*>`, 'iy');
}

/** What may come before a page's first script, in this order. */
const HEAD = [DOCTYPE, startTag('html'), startTag('head')];

/**
 * Returns where to insert a script so that it runs first, in bytes: after the doctype (which
 * decides the layout mode), `<html>` and `<head>`. The script goes before anything else, because
 * that could run a script itself.
 *
 * @param start the start of the page, one character per byte
 */
export function scriptPlace(start: string): number {
  let at = start.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(start);
    if (found) at = pattern.lastIndex;
    return found;
  };
  let place = at;
  for (const part of HEAD) {
    while (skip(SPACE) || skip(COMMENT));
    if (skip(part)) place = at;
    else at = place;
  }
  return place;
}

/**
 * How many bytes at the start of a page to search for the script's place. A tag that ends later
 * isn't found, so the script goes before it.
 */
const START_BYTES = 16_384;

/** HTML to add to what is stored: before the page's own scripts, and at its end. */
export interface Additions {
  first: string;
  last?: string;
}

/**
 * Returns a function that adds to a page's content. The result can only be sent whole, and has an
 * entity tag of its own, which changes with what is added.
 */
export function adding({ first, last = '' }: Additions): (content: PageContent) => PageContent {
  const [before, after] = [Buffer.from(first), Buffer.from(last)];
  const tag = createHash('sha256').update(`${first}\0${last}`).digest('base64url').slice(0, 8);
  return (content) => {
    const { etag, sizeBytes } = content;
    return {
      etag: etag.replace(/"$/, `-${tag}"`),
      sizeBytes: before.length + sizeBytes + after.length,
      isWhole: true,
      async open() {
        const start = await firstBytes(content);
        if (!start) return undefined;
        const place = scriptPlace(start.toString('latin1'));
        const isShort = start.length === sizeBytes;
        const rest = isShort
          ? undefined
          : await content.open({ start: start.length, end: sizeBytes - 1 });
        if (!isShort && !rest) return undefined;
        return Readable.from(
          (async function* () {
            yield start.subarray(0, place);
            yield before;
            yield start.subarray(place);
            if (rest) yield* rest;
            yield after;
          })(),
          { objectMode: false },
        );
      },
    };
  };
}

async function firstBytes({ sizeBytes, open }: PageContent): Promise<Buffer | undefined> {
  if (sizeBytes === 0) return Buffer.alloc(0);
  const stream = await open({ start: 0, end: Math.min(sizeBytes, START_BYTES) - 1 });
  return stream && Buffer.concat(await stream.toArray());
}
