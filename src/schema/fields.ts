import { Type } from 'typebox';

/** An id of ours: UUIDv7 text. */
export function Id(description: string) {
  return Type.String({
    format: 'uuid',
    description,
    examples: ['019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f'],
  });
}

/** An id of ours, or `null` where what it named is gone. */
export function NullableId(description: string) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description,
    examples: ['019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f'],
  });
}

/** A moment: ISO 8601 in UTC with milliseconds. */
export function Timestamp(description: string) {
  return Type.String({
    format: 'date-time',
    description,
    examples: ['2026-01-31T12:00:00.000Z'],
  });
}

/**
 * Text from a caller. Half a surrogate pair has no UTF-8 and U+0000 has no place in PostgreSQL
 * text, so neither could be given back as it came; the `text` format refuses both.
 */
export function Text(options: {
  description: string;
  examples?: string[];
  minLength?: number;
  maxLength?: number;
}) {
  return Type.String({ format: 'text', ...options });
}

/** One of some words. @param title the schema's name in the OpenAPI document, if it has one */
export function OneOf<const Words extends readonly string[]>(
  words: Words,
  description: string,
  title?: string,
) {
  const named = title === undefined ? {} : { title };
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description, ...named });
}

/** Whether a text can be stored and given back as it is; what the `text` format checks. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
