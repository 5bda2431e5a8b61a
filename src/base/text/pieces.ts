/** A text cut into consecutive pieces. */
export interface Pieces {
  /** Where each piece begins and, as the last entry, where the last one ends. */
  starts: Int32Array;
  /** A number for each piece. Pieces that differ only in white space share one. */
  keys: Int32Array;
}

/** Shared by several texts, so that equal pieces have equal numbers. */
export type Numbering = Map<string, number>;

/** Part of a text, in UTF-16 code units. */
export interface Span {
  from: number;
  to: number;
}

/** Longer lines are also cut after {@link CUT_AFTER}, because minified pages are one line. */
const LONG_LINE = 400;
const CUT_AFTER = new Set(Array.from('>.;}', (sign) => sign.charCodeAt(0)));

/**
 * Characters of words: letters, digits, marks. In scripts without spaces between words each
 * character is a piece. Uses ranges of code points, because Unicode properties vary between
 * engines.
 */
const WORD = '\\w\\u00c0-\\u0dff\\u0f00-\\u0fff\\u10a0-\\u177f\\u1800-\\u1fff';

/** The longest run in one piece: matching a run of megabytes would overflow the stack. */
const RUN = 1_000;
const WORDS = new RegExp(
  `(?:[${WORD}]{1,${RUN}}|[\\ud800-\\udbff][\\udc00-\\udfff]|\\S)\\s{0,${RUN}}|\\s{1,${RUN}}`,
  'g',
);
const WORD_UNIT = new RegExp(`[${WORD}\\ud800-\\udfff]`);
const LETTER = /[0-9A-Za-z\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufdff\uff10-\uffdc]/g;

/** A match with fewer letters or digits counts as chance. */
const LEAST_LETTERS = 3;

/** Cuts part of a text into lines with their line breaks. */
export function lines(text: string, { from, to }: Span, numbering: Numbering): Pieces {
  const ends: number[] = [];
  for (let start = from; start < to; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak < 0 || lineBreak >= to ? to : lineBreak + 1;
    if (end - start > LONG_LINE) {
      for (let at = start; at < end - 1; at++) {
        if (CUT_AFTER.has(text.charCodeAt(at))) ends.push(at + 1);
      }
    }
    ends.push(end);
    start = end;
  }
  return piecesOf(text, from, ends, numbering);
}

/** Cuts part of a text into words and symbols, each with the white space after it. */
export function words(text: string, { from, to }: Span, numbering: Numbering): Pieces {
  const ends: number[] = [];
  let end = from;
  for (const [word] of text.slice(from, to).matchAll(WORDS)) {
    end += word.length;
    ends.push(end);
  }
  return piecesOf(text, from, ends, numbering);
}

/** How many numbers groups of letters can have. Few different groups share one. */
const GROUPS = 65_536;

/**
 * Cuts a text into overlapping groups of three letters, one for each letter; the last two are
 * shorter.
 */
export function letterGroups(text: string): Pieces & { distinct: number } {
  const starts = new Int32Array(text.length + 1);
  const keys = new Int32Array(text.length);
  for (let at = 0; at < text.length; at++) {
    starts[at + 1] = at + 1;
    let key = 0;
    // Beyond the end, `charCodeAt` returns NaN, which `|` turns into 0.
    for (let next = at; next < at + 3; next++)
      key = (key * 31 + (text.charCodeAt(next) | 0)) % GROUPS;
    keys[at] = key;
  }
  return { starts, keys, distinct: GROUPS };
}

/** Tells whether an index is between words or symbols, not inside one. */
export function isBetweenWords(text: string, index: number): boolean {
  return !(WORD_UNIT.test(text.charAt(index - 1)) && WORD_UNIT.test(text.charAt(index)));
}

/** Tells whether a text that two texts share has too few letters and digits to mean anything. */
export function isChance(shared: string): boolean {
  LETTER.lastIndex = 0;
  for (let count = 0; count < LEAST_LETTERS; count++) if (!LETTER.test(shared)) return true;
  return false;
}

function piecesOf(text: string, from: number, ends: number[], numbering: Numbering): Pieces {
  const starts = new Int32Array(ends.length + 1);
  const keys = new Int32Array(ends.length);
  starts[0] = from;
  let start = from;
  for (const [index, end] of ends.entries()) {
    const piece = text.slice(start, end).trim();
    const key = /\s/.test(piece) ? piece.replace(/\s+/g, '') : piece;
    let number = numbering.get(key);
    if (number === undefined) {
      number = numbering.size;
      numbering.set(key, number);
    }
    keys[index] = number;
    starts[index + 1] = end;
    start = end;
  }
  return { starts, keys };
}
