import { merge3 } from '../../src/base/text/merge.ts';

/** Returns a text with LF as its line breaks. */
export function unified(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Tells whether texts are equal, apart from the kind of line breaks. */
export function isSame(one: string, other: string): boolean {
  return one === other || unified(one) === unified(other);
}

/** Returns a text with the line breaks of a model: where they differ, those of its lines. */
export function withBreaksOf(model: string, text: string): string {
  const all = model.split('\n').length - 1;
  const long = model.split('\r\n').length - 1;
  if (all === 0) return text;
  if (long > 0 && long < all) return merge3(model, model, text).text;
  return long === 0 ? unified(text) : unified(text).replaceAll('\n', '\r\n');
}
