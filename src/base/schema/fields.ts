import { type TUnsafe, Type } from 'typebox';

export function Id(description: string) {
  return Type.String({
    format: 'uuid',
    description,
    examples: ['019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f'],
  });
}

/** Describes an id, or `null` if its object was deleted. */
export function NullableId(description: string) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description,
    examples: ['019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f'],
  });
}

/** Describes a username beside an id, or `null` if the account was deleted. */
export function NullableUsername(description: string) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: `${description} \`null\` if that account was deleted.`,
    examples: ['ada'],
  });
}

/** Describes a string or an integer, or `null`. */
export function Nullable(type: 'string', description: string): TUnsafe<string | null>;
export function Nullable(type: 'integer', description: string): TUnsafe<number | null>;
export function Nullable(type: 'string' | 'integer', description: string) {
  return Type.Unsafe<string | number | null>({ type: [type, 'null'], description });
}

/** Describes a time, or `null`. */
export function NullableTimestamp(description: string) {
  return Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description,
  });
}

/** Describes one of these values, or `null`. */
export function NullableOneOf<const Value extends string>(
  values: readonly Value[],
  description: string,
) {
  return Type.Unsafe<Value | null>({
    type: ['string', 'null'],
    enum: [...values, null],
    description,
  });
}

export function Timestamp(description: string) {
  return Type.String({
    format: 'date-time',
    description,
    examples: ['2026-01-31T12:00:00.000Z'],
  });
}

/**
 * Describes text from a caller. The `text` format refuses what cannot be stored: lone surrogates,
 * which have no UTF-8, and U+0000, which PostgreSQL refuses.
 */
export function Text(options: {
  description: string;
  examples?: string[];
  minLength?: number;
  maxLength?: number;
}) {
  return Type.String({ format: 'text', ...options });
}

/**
 * Describes an enumeration.
 *
 * @param title the schema's name in the OpenAPI document, if it has one
 */
export function OneOf<const Values extends readonly string[]>(
  values: Values,
  description: string,
  title?: string,
) {
  const named = title === undefined ? {} : { title };
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], description, ...named });
}

/** Implements the `text` format: tells whether a text can be stored unchanged. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
