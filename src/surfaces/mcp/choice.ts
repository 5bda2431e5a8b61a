import { Type } from 'typebox';

/** Declares an argument with fixed values. Describe only what the values' names don't say. */
export function Choice<const Word extends string>(
  words: readonly Word[],
  more: { description?: string; default?: Word } = {},
) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...more });
}
