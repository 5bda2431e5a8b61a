/**
 * Characters that readers don't see and that can hide or reorder words: formatting and control
 * characters, bidirectional controls, tags, fillers. Not those that belong to what is seen: joiners
 * in scripts that need them, and joiners and variation selectors in emoji.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`(?!(?<=[[\p{L}\p{M}]--[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}]])[\u200c\u200d](?=[\p{L}\p{M}]))`,
    String.raw`(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic}))`,
    String.raw`(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3))`,
    String.raw`[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\t\n\r]]`,
  ].join(''),
  'gv',
);

/**
 * Signs that don't count where a passage, a quote or a word is looked for: soft hyphens, joiners, zero-width
 * spaces, and what chooses the look of an emoji. A class for regular expressions.
 */
export const UNCOUNTED = '[\\u00ad\\u200b-\\u200d\\u2060\\u20e3\\ufe0e\\ufe0f\\ufeff]';

/** Names of those that are common; others are known by their number alone. */
const NAMES: Readonly<Record<number, string>> = {
  173: 'soft hyphen',
  8203: 'zero width space',
  8204: 'zero width non-joiner',
  8205: 'zero width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'end of direction',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'end of isolate',
  65279: 'zero width no-break space',
};

const FIRST_TAG = 917_536;
const LAST_TAG = 917_630;

/** An invisible character: its number such as `U+200B`, and its name or ''. */
export interface InvisibleCharacter {
  code: string;
  name: string;
}

function describe(character: string): InvisibleCharacter {
  const point = character.codePointAt(0) as number;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  const isTag = point >= FIRST_TAG && point <= LAST_TAG;
  const tagged = isTag ? `tag “${String.fromCodePoint(point - 0xe0000)}”` : '';
  return { code, name: NAMES[point] ?? tagged };
}

/** Splits a text into visible parts and the invisible characters between them. */
export function splitInvisible(text: string): (string | InvisibleCharacter)[] {
  const parts: (string | InvisibleCharacter)[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push(describe(character));
    end = index + character.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** Where an invisible character occurs in a text. */
export type InvisiblePlaces = InvisibleCharacter & {
  count: number;
  /** The first lines that have it, from 1. */
  lines: number[];
};

/** How many lines are listed for each character. */
const MAX_LINES = 20;

/** Finds the invisible characters of a text, in the order in which they first occur. */
export function findInvisible(text: string): InvisiblePlaces[] {
  const found = new Map<string, InvisiblePlaces>();
  let line = 1;
  let counted = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    for (let at = text.indexOf('\n', counted); at !== -1 && at < index; ) {
      line++;
      counted = at + 1;
      at = text.indexOf('\n', counted);
    }
    const places = found.get(character) ?? { ...describe(character), count: 0, lines: [] };
    places.count++;
    if (places.lines.at(-1) !== line && places.lines.length < MAX_LINES) places.lines.push(line);
    found.set(character, places);
  }
  return [...found.values()];
}
