import { RAW_LIMITS } from './raw-length.ts';

/**
 * Characters that no displayed name may contain. Control characters, bidirectional controls and
 * line separators affect the text around a name (U+202E reverses it). Lone surrogates can't be
 * stored.
 */
const UNWANTED = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;

/** The longest displayed name (of a user, organization or token), in Unicode characters. */
export const MAX_SHOWN_NAME_CHARACTERS = 100;

/** Returns the first character that no name may contain, such as `U+202E`, or `undefined`. */
export function unwantedCharacter(text: string): string | undefined {
  const found = UNWANTED.exec(text)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Replaces each character that no name may contain with U+FFFD. */
export function withoutUnwanted(text: string): string {
  return text.replace(new RegExp(UNWANTED, 'gu'), '\ufffd');
}

/**
 * Parses a displayed name (of an organization or token), ignoring surrounding white space. Names in
 * URLs have stricter rules.
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
