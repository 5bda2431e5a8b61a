import type { Range } from './port.ts';

/** A passage is found by a hash over this many of its first characters. */
const KEY_LENGTH = 16;

/** How many matches of its hash are checked before the search for a passage ends. */
const MAX_HITS = 10_000;

const HASH_BASE = 0x01000193;
const FILTER = 0xffff;

/**
 * Searches ranges for many passages at once (Rabin–Karp), one pass for each length of key.
 *
 * @param found called for each occurrence; returns whether to look for more of this passage
 */
export function searchAll(
  text: string,
  ranges: readonly Range[],
  passages: readonly string[],
  found: (index: number, at: number) => boolean,
): void {
  const hits = new Uint32Array(passages.length);
  const byLength = Map.groupBy(passages.keys(), (index) =>
    Math.min(KEY_LENGTH, (passages[index] as string).length),
  );
  for (const [length, indexes] of byLength) {
    if (length === 0) continue;
    const byHash = Map.groupBy(indexes, (index) => hashOf(passages[index] as string, length));
    const filter = new Uint8Array(FILTER + 1);
    for (const hash of byHash.keys()) filter[hash & FILTER] = 1;
    let highest = 1;
    for (let power = 1; power < length; power++) highest = Math.imul(highest, HASH_BASE);
    for (const { start, end } of ranges) {
      let hash = 0;
      for (let index = start; index < end; index++) {
        const left = index - length;
        if (left >= start) hash -= Math.imul(text.charCodeAt(left), highest);
        hash = (Math.imul(hash, HASH_BASE) + text.charCodeAt(index)) | 0;
        if (left + 1 < start || filter[hash & FILTER] === 0) continue;
        if (byHash.has(hash)) check(byHash, hash, left + 1, end);
      }
    }
  }

  function check(byHash: Map<number, number[]>, hash: number, at: number, end: number): void {
    for (const index of byHash.get(hash) ?? []) {
      const passage = passages[index] as string;
      const count = hits[index] as number;
      if (count >= MAX_HITS) continue;
      hits[index] = count + 1;
      const isHere = at + passage.length <= end && text.startsWith(passage, at);
      if (isHere && !found(index, at)) hits[index] = MAX_HITS;
    }
  }
}

function hashOf(text: string, length: number): number {
  let hash = 0;
  for (let index = 0; index < length; index++) {
    hash = (Math.imul(hash, HASH_BASE) + text.charCodeAt(index)) | 0;
  }
  return hash;
}
