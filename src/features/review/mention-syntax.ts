import { MENTION } from '../../base/text/mention.ts';

/** The most people that one comment can mention. */
const MAX_MENTIONS = 20;

// FENCED and CODE must not begin or end within a run of backticks. Otherwise a hostile comment
// takes exponential time.
const FENCED =
  /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;

/**
 * Returns the usernames that a comment mentions with `@`, in lowercase, without duplicates. Ignores
 * code.
 */
export function mentionsIn(body: string): string[] {
  const words = body.replace(FENCED, ' ').replace(CODE, ' ');
  const names = Array.from(words.matchAll(MENTION), ([, name]) => (name as string).toLowerCase());
  return [...new Set(names)].slice(0, MAX_MENTIONS);
}
