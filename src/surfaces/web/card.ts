import { startOfText } from '../../base/text/raw-length.ts';
import { escapeXml } from '../../base/text/xml.ts';

/** The size that Open Graph images usually have. */
export const CARD_WIDTH = 1200;
export const CARD_HEIGHT = 630;

export const CARD_FONT = 'Inter Variable';

/** The light colours of `surfaces/web/client/tokens.css`, which an image cannot refer to. */
const COLOUR = { paper: '#fdfcfa', ink: '#21201c', soft: '#56534b', accent: '#2b5797' };

export interface Card {
  /** The title of a document, or the name of an owner. */
  title: string;
  /** The owner and kind, below the title. */
  byline: string;
}

const MARGIN = 80;
const LINE_WIDTH = CARD_WIDTH - 2 * MARGIN;
const MAX_LINES = 4;
/** Font sizes for titles. The first that fits is used. */
const SIZES = [84, 72, 60];

/** Draws a card as SVG. Shows only the byline if the font lacks the title's script. */
export function drawCard({ title, byline }: Card): string {
  const shown = drawable(title);
  const below = shown === '' ? '' : drawable(byline);
  const { size, lines } = layOut(shown || drawable(byline));
  const leading = size * 1.2;
  const top = 345 - ((lines.length - 1) * leading) / 2;
  const texts = lines.map(
    (line, index) =>
      `<text x="${MARGIN}" y="${Math.round(top + index * leading)}" font-size="${size}" ` +
      `stroke="${COLOUR.ink}" stroke-width="${size / 36}">${escapeXml(line)}</text>`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}" ` +
    `font-family="${CARD_FONT}" fill="${COLOUR.ink}" stroke-linejoin="round">` +
    `<rect width="${CARD_WIDTH}" height="${CARD_HEIGHT}" fill="${COLOUR.paper}"/>` +
    `<rect width="${CARD_WIDTH}" height="14" fill="${COLOUR.accent}"/>` +
    `<path transform="translate(${MARGIN - 12} 62) scale(2.4)" fill="none" stroke="${COLOUR.accent}" ` +
    'stroke-width="2" stroke-linecap="round" d="M5 3h14v18l-7-4-7 4zM9 8h6M9 12h4"/>' +
    `<text x="${MARGIN + 54}" y="105" font-size="36" fill="${COLOUR.soft}">Briefs</text>` +
    texts.join('') +
    `<text x="${MARGIN}" y="560" font-size="34" fill="${COLOUR.soft}">${escapeXml(cut(below, 34, LINE_WIDTH))}</text>` +
    '</svg>'
  );
}

/** Scripts of the font; its symbols stop below the emoji. */
const LETTERS = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
const OTHERS = /[\p{N}\p{P}\p{S}\p{M} ]/u;

/** Drops characters that the font can't draw. Returns `''` if over 20% of the letters are. */
function drawable(text: string): string {
  const characters = [...startOfText(text).normalize('NFC').toWellFormed().replace(/\s+/g, ' ')];
  const kept = characters.filter(
    (character) => LETTERS.test(character) || (OTHERS.test(character) && character < '\u2600'),
  );
  const letters = characters.filter((character) => /\p{L}/u.test(character)).length;
  const keptLetters = kept.filter((character) => LETTERS.test(character)).length;
  return keptLetters < letters * 0.8 ? '' : kept.join('').replace(/ +/g, ' ').trim();
}

/** Chooses the largest font size at which a title fits. Cuts a title that never fits. */
function layOut(title: string): { size: number; lines: string[] } {
  for (const size of SIZES) {
    const lines = wrap(title, size);
    const isLast = size === SIZES.at(-1);
    if (lines.length < MAX_LINES || (isLast && lines.length === MAX_LINES)) return { size, lines };
    if (isLast) {
      const rest = lines.slice(MAX_LINES - 1).join(' ');
      return { size, lines: [...lines.slice(0, MAX_LINES - 1), cut(rest, size, LINE_WIDTH)] };
    }
  }
  return { size: 0, lines: [] };
}

function wrap(title: string, size: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of title.split(' ').filter(Boolean)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer, size) > LINE_WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  if (line !== '') lines.push(line);
  // One word can be too long for a line.
  return lines.map((each) => cut(each, size, LINE_WIDTH));
}

function cut(text: string, size: number, width: number): string {
  if (widthOf(text, size) <= width) return text;
  let end = text;
  while (end !== '' && widthOf(`${end}…`, size) > width) end = end.slice(0, -1);
  return `${end.trimEnd()}…`;
}

/** Estimates a width by classes of letters, slightly above the font's own. */
function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const character of text) {
    if (/[ijltfrI.,:;'’|!()[\]\- ]/.test(character)) ems += 0.33;
    else if (/[mwMW@%—…]/.test(character)) ems += 0.95;
    else ems += /\p{Lu}|\p{Script=Cyrillic}/u.test(character) ? 0.71 : 0.58;
  }
  return ems * size;
}
