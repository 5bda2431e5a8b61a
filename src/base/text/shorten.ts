import { characterStart } from './character-start.ts';

/** Cuts a text to at most `length` UTF-16 code units. A text that is cut ends with “…”. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, characterStart(text, length - 1))}…`;
}
