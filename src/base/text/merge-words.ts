import { adjoin, type Part, threeWay } from './three-way.ts';

/** Longer lines are not prose, and comparing them takes long. */
const MAX_LINE = 20_000;

/**
 * What is never merged in part, because half of one change and half of another mean nothing: tags,
 * code, addresses and destinations of links.
 */
const WHOLE =
  /<[^<>]*>|`[^`]*`|\[\[[^[\]]*\]\]|\]\([^()]*\)|\]\[[^[\]]*\]|\b[a-z][a-z0-9+.-]*:\/\/\S+|\$[^$]+\$|\\\(.*?\\\)/giy;

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

/** Numbers with their signs are one word each: 1,250.50, 3–4 and 12 %. */
const NUMBER = /[-+−]?\d[\d.,:/–−-]*(?:\s?[%°€$£])?/y;

/** A word with the signs and spaces after it, or something that is never merged in part. */
interface Piece {
  text: string;
  isWhole: boolean;
}

/**
 * Merges lines of prose that both sides changed, by words: if both changed other words of a line,
 * with an unchanged one between them, and neither rewrote more than half of it.
 *
 * @param isProse tells whether a line of the base is prose
 * @returns the merged lines; `undefined` if one can't be merged
 */
export function mergeWords(
  base: readonly string[],
  current: readonly string[],
  yours: readonly string[],
  isProse: (index: number) => boolean,
): string[] | undefined {
  if (base.length === 0 || base.length !== current.length || base.length !== yours.length) {
    return undefined;
  }
  const merged: string[] = [];
  for (const [index, line] of base.entries()) {
    const [theirs, mine] = [current[index] as string, yours[index] as string];
    if (theirs === line || theirs === mine) merged.push(mine);
    else if (mine === line) merged.push(theirs);
    else {
      const both = isProse(index) ? mergeLine(line, theirs, mine) : undefined;
      if (both === undefined) return undefined;
      merged.push(both);
    }
  }
  return merged;
}

function mergeLine(base: string, current: string, yours: string): string | undefined {
  if (Math.max(base.length, current.length, yours.length) > MAX_LINE) return undefined;
  const before = piecesOf(base);
  const [a, b, c] = [before, piecesOf(current), piecesOf(yours)].map((pieces) =>
    pieces.map(({ text }) => text),
  ) as [string[], string[], string[]];
  const parts = threeWay(a, b, c, adjoin);
  const lost = { current: 0, yours: 0 };
  const merged: string[] = [];
  for (const { by, base: span, current, yours } of parts) {
    if (by === 'conflict') return undefined;
    const from = by === 'yours' ? c.slice(yours.from, yours.to) : b.slice(current.from, current.to);
    merged.push(...from);
    if (by === 'none') continue;
    if (before.slice(span.from, span.to).some(({ isWhole }) => isWhole)) return undefined;
    if (by !== 'yours') lost.current += span.to - span.from;
    if (by !== 'current') lost.yours += span.to - span.from;
  }
  if (Math.max(lost.current, lost.yours) > before.length / 2 || !isApart(parts)) return undefined;
  return merged.join('');
}

/** Requires a word that stayed between two changes of different sides. */
function isApart(parts: readonly Part[]): boolean {
  return parts.every(({ by }, index) => {
    const before = parts[index - 1]?.by ?? 'none';
    return by === 'none' || before === 'none' || by === before;
  });
}

/** Cuts a line into words, each with what follows up to the next one. */
function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  const add = (text: string, isWhole: boolean) => pieces.push({ text, isWhole });
  const follow = (text: string) => {
    const last = pieces.at(-1);
    if (last && !last.isWhole) last.text += text;
    else add(text, false);
  };
  for (let at = 0; at < line.length; ) {
    WHOLE.lastIndex = at;
    const [whole] = WHOLE.exec(line) ?? [];
    if (whole !== undefined) {
      add(whole, true);
      at += whole.length;
      continue;
    }
    NUMBER.lastIndex = at;
    const [number] = NUMBER.exec(line) ?? [];
    if (number !== undefined) {
      add(number, false);
      at += number.length;
      continue;
    }
    const { segment, isWordLike } = segmentAt(line, at);
    if (isWordLike) add(segment, false);
    else follow(segment);
    at += segment.length;
  }
  return pieces;
}

function segmentAt(line: string, at: number): { segment: string; isWordLike: boolean } {
  // Far enough for a word, so that a long line takes linear time.
  const rest = line.slice(at, at + 200);
  const [first] = SEGMENTER.segment(rest);
  return { segment: first?.segment ?? rest, isWordLike: first?.isWordLike ?? false };
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const RAW = /<(script|style|pre|textarea|svg|math)\b/i;
const TABLE_ROW = /^\s*\||\s\|\s/;
const INDENTED = /^(?: {4}|\t)/;
const DEFINITION = /^\s{0,3}\[[^\]]+\]:/;

/** Tells for each line of a text whether it is prose: no code, front matter, table, script. */
export function proseLines(lines: readonly string[]): boolean[] {
  let fence: string | undefined;
  let raw: string | undefined;
  let isMatter = lines[0]?.trimEnd() === '---';
  return lines.map((line, index) => {
    if (isMatter) {
      if (index > 0 && /^(?:---|\.\.\.)\s*$/.test(line)) isMatter = false;
      return false;
    }
    if (raw !== undefined) {
      if (line.toLowerCase().includes(`</${raw}`)) raw = undefined;
      return false;
    }
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return false;
    }
    if (mark !== undefined) {
      fence = mark;
      return false;
    }
    const [, element] = RAW.exec(line) ?? [];
    if (element !== undefined) {
      const end = `</${element.toLowerCase()}`;
      if (!line.toLowerCase().includes(end)) raw = element.toLowerCase();
      return false;
    }
    return !TABLE_ROW.test(line) && !INDENTED.test(line) && !DEFINITION.test(line);
  });
}
