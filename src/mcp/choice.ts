import { Type } from 'typebox';

/** An argument that is one of these words. A description is for what the words don't say. */
export function Choice<const Word extends string>(
  words: readonly Word[],
  more: { description?: string; default?: Word } = {},
) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...more });
}
