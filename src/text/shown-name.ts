import { RAW_LIMITS } from './raw-length.ts';

/**
 * Control characters, bidirectional controls and line separators change how the text around a name
 * looks (U+202E reverses it), and half a surrogate pair cannot be stored.
 */
const UNWANTED = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;

/** The most Unicode characters of a name that people are shown: an organization's, a token's. */
export const MAX_SHOWN_NAME_CHARACTERS = 100;

/** The first character that no name may contain, by code point (`U+202E`), if there is one. */
export function unwantedCharacter(text: string): string | undefined {
  const found = UNWANTED.exec(text)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A text to show, with U+FFFD for each character that no name may contain. */
export function withoutUnwanted(text: string): string {
  return text.replace(new RegExp(UNWANTED, 'gu'), '\ufffd');
}

/**
 * The name that a text gives something that people are shown (an organization, a token), white space
 * around it aside. For names in addresses there are stricter rules.
 *
 * @returns the name, or what is wrong with it as a phrase that follows "name"
 */
export function parseShownName(text: string): { name: string } | { problem: string } {
  const name = text.trim();
  if (
    name === '' ||
    text.length > RAW_LIMITS.name ||
    Array.from(name).length > MAX_SHOWN_NAME_CHARACTERS
  ) {
    return { problem: `must have 1 to ${MAX_SHOWN_NAME_CHARACTERS} characters` };
  }
  const unwanted = unwantedCharacter(name);
  if (unwanted) return { problem: `must not contain the character ${unwanted}` };
  return { name };
}
