import type { Range } from './port.ts';

/** Returns a passage without the white space at its ends; empty at its start if it's nothing else. */
export function withoutSpace(text: string, { start, end }: Range): Range {
  const passage = text.slice(start, end);
  const rest = passage.trim();
  const from = start + passage.indexOf(rest);
  return { start: from, end: from + rest.length };
}
