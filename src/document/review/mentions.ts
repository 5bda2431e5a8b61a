/** The most people that one comment mentions. */
export const MAX_MENTIONS = 20;

// Neither can begin or end within a run of backticks. Otherwise they take exponential time for hostile comments.
const FENCED =
  /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm;
const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g;
const MENTION = /(?<![\w@/.-])@([a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?)(?![\w-])/gi;

/**
 * Returns the usernames that a comment mentions with `@`, in lowercase, each once. Code mentions
 * nobody.
 */
export function mentionsIn(body: string): string[] {
  const words = body.replace(FENCED, ' ').replace(CODE, ' ');
  const names = Array.from(words.matchAll(MENTION), ([, name]) => (name as string).toLowerCase());
  return [...new Set(names)].slice(0, MAX_MENTIONS);
}
