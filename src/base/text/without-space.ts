import type { Range } from './port.ts';

/** Trims the white space at a passage's ends. A blank passage becomes empty, at its start. */
export function withoutSpace(text: string, { start, end }: Range): Range {
  const passage = text.slice(start, end);
  const rest = passage.trim();
  const from = start + passage.indexOf(rest);
  return { start: from, end: from + rest.length };
}
