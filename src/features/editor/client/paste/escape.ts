// Rules on a line of plain text that becomes Markdown.

/** Stands for code, a formula or an image in the text around other text. */
export const ATOM = '\ufffc';
/** Stands for the beginning or end of a mark, or the end of a link. */
export const MARK = '\ue000';
/** Stands for the beginning of a link. */
export const LINK = '\ue001';

const DELIMITER_ROW = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<]*/gi;
const SPECIAL = /[\\`*_[\]~<&$!#>+\-=.):|]/g;

/** What kind of line a text is in. */
interface Place {
  isCell?: boolean;
  isHeading?: boolean;
  isInLink?: boolean;
  rest?: string;
}

/**
 * Escapes the characters of a text that would be Markdown.
 *
 * @param before the text of the line before it, with {@link ATOM}, {@link MARK} and {@link LINK}
 * @param after the text of the line after it
 * @param place.isCell whether the line is in a table's cell, where no block can begin
 * @param place.isHeading whether it is a heading, which only signs at its end could shorten
 * @param place.rest the paragraph's later lines, where a formula could end
 */
export function escapeText(
  text: string,
  before: string,
  after: string,
  { isCell = false, isHeading = false, isInLink = false, rest = '' }: Place = {},
): string {
  const line = before + text + after;
  const addresses = Array.from(text.matchAll(ADDRESS), ({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
  return text.replace(SPECIAL, (sign, at: number) => {
    const isInAddress = addresses.some(({ from, to }) => at >= from && at < to);
    if (isInAddress && !'[]<\\`'.includes(sign)) return sign;
    const place = before.length + at;
    // Elsewhere, an escaped opening bracket is enough, and `\[x\]` alone in a line is a formula.
    if (sign === ']') return isInLink ? '\\]' : sign;
    if (sign === '$') return opensFormula(line + rest, place) ? '\\$' : sign;
    const isSyntax =
      isInline(line, place) ||
      (isHeading ? isClosing(line, place) : !isCell && isBlockStart(line, place));
    return isSyntax ? `\\${sign}` : sign;
  });
}

function isInline(line: string, at: number): boolean {
  const sign = line[at] as string;
  const previous = line[at - 1] ?? '';
  const next = line[at + 1] ?? '';
  switch (sign) {
    case '\\':
      // White space at the end of a mark moves out of it.
      return PUNCTUATION.test(next) || /^\s*(?:$|[\ufffc\ue000\ue001])/.test(line.slice(at + 1));
    case '`':
    case '[':
      return true;
    case '*':
      return !isBetweenWords(line, at);
    case '_':
      return !isPlainUnderscore(line, at);
    case '~':
      return previous === '~' || next === '~';
    case '<':
      return /[a-z/!?]/i.test(next);
    case '&':
      return /^&#?\w+;/.test(line.slice(at, at + 40));
    case '!':
      return next === LINK;
    default:
      return false;
  }
}

function isBlockStart(line: string, at: number): boolean {
  const before = line.slice(0, at);
  const from = line.slice(at).trimEnd();
  const isFollowed = /^.[\ue000\ue001]*(?:\s|$)/.test(from);
  switch (line[at]) {
    case '.':
    case ')':
      return /^\s*\d{1,9}$/.test(before) && isFollowed;
    case '#':
      return before.trim() === '' && /^#{1,6}(?:\s|$)/.test(from);
    case '>':
      return before.trim() === '';
    case '+':
      return before.trim() === '' && isFollowed;
    case '-':
      if (before.trim() !== '') return false;
      return isFollowed || /^-[-\s]*$/.test(from) || isDelimiter(from);
    case '=':
      return before.trim() === '' && /^=+$/.test(from);
    case ':':
    case '|':
      return before.trim() === '' && isDelimiter(from);
    default:
      return false;
  }
}

/** Tells whether a sign at a heading's end would belong to its mark. */
function isClosing(line: string, at: number): boolean {
  return /^#+\s*$/.test(line.slice(at)) && /(?:^|\s)$/.test(line.slice(0, at));
}

function isDelimiter(text: string): boolean {
  return text.includes('|') && DELIMITER_ROW.test(text);
}

/** Underscores in a word are plain, and so is one between words. */
function isPlainUnderscore(line: string, at: number): boolean {
  let [from, to] = [at, at + 1];
  while (line[from - 1] === '_') from--;
  while (line[to] === '_') to++;
  const [previous, next] = [line.slice(0, from).at(-1) ?? '', line[to] ?? ''];
  if (/[\p{L}\p{N}]/u.test(previous) && /[\p{L}\p{N}]/u.test(next)) return true;
  return isBetweenWords(line, at);
}

/** Tells whether a sign has white space and then text on both sides, in the same mark. */
function isBetweenWords(line: string, at: number): boolean {
  return (
    /[^\s\ufffc\ue000\ue001]\s+$/.test(line.slice(0, at)) &&
    /^\s+[^\s\ufffc\ue000\ue001]/.test(line.slice(at + 1))
  );
}

/** Tells whether a dollar could begin a formula. Amounts can't: `$5 to $6`. */
function opensFormula(line: string, at: number): boolean {
  if (line[at - 1] === '$' || line[at + 1] === '$') return true;
  if (/\w/.test(line[at - 1] ?? '')) return false;
  // White space at the end of a line or mark doesn't stay behind the dollar.
  if (/^\s+[^\s\ufffc\ue000\ue001]/.test(line.slice(at + 1))) return false;
  for (let to = line.indexOf('$', at + 1); to !== -1; to = line.indexOf('$', to + 1)) {
    if (!isSpace(line[to - 1] ?? '') && !/[^\W_]/.test(line[to + 1] ?? '')) return true;
  }
  return false;
}

function isSpace(character: string): boolean {
  return character.trim() === '';
}
