import { MAX_SHOWN_NAME_CHARACTERS, unwantedCharacter } from '../text/shown-name.ts';

/** The longest summary, in Unicode characters. */
const MAX_SUMMARY_CHARACTERS = 300;

/** The largest picture. It is shown at up to 96 pixels, so this is plenty. */
export const PICTURE_LIMIT_BYTES = 512 * 1024;

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

export type PictureType = (typeof PICTURE_TYPES)[number];

/** The longest texts of a profile, in Unicode characters. */
export const PROFILE_LIMITS = {
  displayName: MAX_SHOWN_NAME_CHARACTERS,
  summary: MAX_SUMMARY_CHARACTERS,
} as const;

/**
 * Parses a text of a profile: white space becomes single spaces.
 *
 * @returns the text, `null` if it is empty, or what is wrong with it as a phrase
 */
export function parseProfileText(
  text: string,
  limit: number,
): { text: string | null } | { problem: string } {
  if (text.length > 4 * limit) return { problem: `can have up to ${limit} characters` };
  const trimmed = text.replace(/\s+/g, ' ').trim();
  if (Array.from(trimmed).length > limit) return { problem: `can have up to ${limit} characters` };
  const unwanted = unwantedCharacter(trimmed);
  if (unwanted) return { problem: `can’t contain the character ${unwanted}` };
  return { text: trimmed || null };
}

/** Returns the path of a user's or an organization's picture on the web host. */
export function picturePath(owner: string): string {
  return `/images/${encodeURIComponent(owner)}/picture`;
}
