import { RAW_LIMITS, startOfText } from './raw-length.ts';

/** The most characters in a document's name. A constraint of the database has the same number. */
export const MAX_NAME_CHARACTERS = 100;

const WRONG_LENGTH = `must have 1 to ${MAX_NAME_CHARACTERS} characters`;

/** Matches most names that are already normalised. */
const PLAIN = new RegExp(`^[a-z0-9_-]{1,${MAX_NAME_CHARACTERS}}$`);

/** Characters allowed in a name (decisions, part "Names"). */
const ALLOWED = /^[\p{L}\p{M}\p{Nd}\-_.]+$/u;
const NOT_ALLOWED = /[^\p{L}\p{M}\p{Nd}\-_.]/gu;

/**
 * Normalises a document's name: trimmed, lower case, NFC, a hyphen for each run of white space.
 * Normalising twice changes nothing.
 *
 * @param text within {@link RAW_LIMITS}, or from {@link startOfText}, because NFC takes quadratic
 *   time
 */
export function normaliseName(text: string): string {
  return text.trim().toLowerCase().normalize('NFC').replace(/\s+/gu, '-');
}

/**
 * Parses a document's name.
 *
 * @returns the normalised name, or what is wrong with it as a phrase that follows "name:"
 */
export function parseName(text: string): { name: string } | { problem: string } {
  if (PLAIN.test(text)) return { name: text };
  if (text.length > RAW_LIMITS.name) return { problem: WRONG_LENGTH };
  const name = normaliseName(text);
  const length = characters(name);
  if (length < 1 || length > MAX_NAME_CHARACTERS) return { problem: WRONG_LENGTH };
  if (!ALLOWED.test(name)) {
    return { problem: 'names can contain letters, digits, hyphens, underscores and periods' };
  }
  if (name === '.' || name === '..') return { problem: 'must not be "." or ".."' };
  if (/\.(md|html)$/.test(name)) return { problem: 'must not end in .md or .html' };
  return { name };
}

/**
 * Derives a document's name from its heading. Characters that a name can't have are dropped, and
 * the name is cut to the limit (decisions, part "Names").
 *
 * @returns `undefined` if nothing usable is left
 */
export function nameFromHeading(heading: string): string | undefined {
  const kept = normaliseName(startOfText(heading)).replace(NOT_ALLOWED, '');
  const cut = Array.from(tidyHyphens(kept)).slice(0, MAX_NAME_CHARACTERS).join('');
  const parsed = parseName(tidyHyphens(cut.replace(/(\.(md|html))+$/, '')));
  return 'name' in parsed ? parsed.name : undefined;
}

/**
 * Derives a document's name from a file's. If it isn't valid, each run of other characters becomes
 * a hyphen, and the name is cut to the limit.
 *
 * @param stem the file's name without its extension
 * @returns `undefined` if nothing usable is left
 */
export function nameFromFile(stem: string): string | undefined {
  const own = parseName(stem);
  if ('name' in own) return own.name;
  return nameFromHeading(normaliseName(startOfText(stem)).replace(NOT_ALLOWED, '-'));
}

/** Collapses runs of hyphens and removes those at either end. */
function tidyHyphens(text: string): string {
  return text.replace(/-{2,}/g, '-').replace(/^-|-$/g, '');
}

/** Appends a number to a name, cut to fit. */
export function numberedName(name: string, number: number): string {
  const ending = `-${number}`;
  return Array.from(name)
    .slice(0, MAX_NAME_CHARACTERS - ending.length)
    .join('')
    .concat(ending);
}

function characters(text: string): number {
  return Array.from(text).length;
}
