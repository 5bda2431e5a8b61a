import { startOfText } from './raw-length.ts';

/** Returns the Latin letters and digits of a text as up to 39 characters of a namespace; `''` if it has none. */
export function slugOf(text: string): string {
  return startOfText(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 39)
    .replace(/^-|-$/g, '');
}
