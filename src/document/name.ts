import { RAW_LIMITS, startOfText } from '../text/raw-length.ts';

/** The most characters of a document's name. */
export const MAX_NAME_CHARACTERS = 100;

const WRONG_LENGTH = `must have 1 to ${MAX_NAME_CHARACTERS} characters`;

/** Names that are their own normal form for certain: nearly all. */
const PLAIN = new RegExp(`^[a-z0-9_-]{1,${MAX_NAME_CHARACTERS}}$`);

/** What a name may hold besides letters, marks and digits (decisions, part "Names"). */
const ALLOWED = /^[\p{L}\p{M}\p{Nd}\-_.]+$/u;
/** What stands between two words of a heading, as in `@scope/package` and `before — after`. */
const SEPARATOR = /[/\\|–—]/g;
const NOT_ALLOWED = /[^\p{L}\p{M}\p{Nd}\-_.]/gu;

/**
 * The normal form of a document name: trimmed, lowercased, NFC, runs of white space become one
 * hyphen. Normalising twice changes nothing.
 *
 * @param text within {@link RAW_LIMITS}, or from {@link startOfText}: NFC takes quadratic time
 */
export function normaliseName(text: string): string {
  return text.trim().toLowerCase().normalize('NFC').replace(/\s+/gu, '-');
}

/**
 * The name that a text gives a document.
 *
 * @returns the normalised name, or what is wrong with it as a phrase that follows "name"
 */
export function parseName(text: string): { name: string } | { problem: string } {
  if (PLAIN.test(text)) return { name: text };
  if (text.length > RAW_LIMITS.name) return { problem: WRONG_LENGTH };
  const name = normaliseName(text);
  const length = characters(name);
  if (length < 1 || length > MAX_NAME_CHARACTERS) return { problem: WRONG_LENGTH };
  if (!ALLOWED.test(name)) {
    return { problem: 'may only have letters, marks, digits, hyphens, underscores and full stops' };
  }
  if (name === '.' || name === '..') return { problem: 'must not be "." or ".."' };
  if (/\.(md|html)$/.test(name)) return { problem: 'must not end in .md or .html' };
  return { name };
}

/**
 * The name that a document's heading gives it: slashes, bars and dashes become hyphens, every other
 * character that a name can't have is dropped, and hyphens stand alone and inside. Cut at the
 * limit (decisions, part "Names").
 *
 * @returns `undefined` when nothing usable is left
 */
export function nameFromHeading(heading: string): string | undefined {
  const kept = normaliseName(startOfText(heading)).replace(SEPARATOR, '-').replace(NOT_ALLOWED, '');
  const cut = Array.from(tidyHyphens(kept)).slice(0, MAX_NAME_CHARACTERS).join('');
  const parsed = parseName(tidyHyphens(cut.replace(/(\.(md|html))+$/, '')));
  return 'name' in parsed ? parsed.name : undefined;
}

/**
 * The name that a file's name gives a document: itself where it can be one; else with a hyphen for
 * every run of characters that a name may not have, cut at 100.
 *
 * @param stem the file's name without its ending
 * @returns `undefined` when nothing usable is left
 */
export function nameFromFile(stem: string): string | undefined {
  const own = parseName(stem);
  if ('name' in own) return own.name;
  return nameFromHeading(normaliseName(startOfText(stem)).replace(NOT_ALLOWED, '-'));
}

/** Makes runs of hyphens one, and removes those at either end. */
function tidyHyphens(text: string): string {
  return text.replace(/-{2,}/g, '-').replace(/^-|-$/g, '');
}

/** A name with a number behind it, cut to fit. */
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
