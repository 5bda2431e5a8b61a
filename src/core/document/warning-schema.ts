import { type TProperties, Type } from 'typebox';
import { OneOf } from '../../base/schema/fields.ts';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { WARNING_CODES, type Warning } from '../../base/warnings/warnings.ts';
import { documentSchema } from './document-schema.ts';

/** The field of answers to writes that says what their writer should know. */
export const WarningsField = Type.Optional(
  Type.Array(
    Type.Object(
      {
        code: OneOf(WARNING_CODES, 'What it is about.'),
        message: Type.String({ description: 'What to know, and what to do.' }),
        addresses: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'With `blocked-addresses` and `pictures-left-out`: at most 20 of them, as written.',
          }),
        ),
      },
      { title: 'Warning' },
    ),
    { description: 'What the writer should know about the text. Absent if there is nothing.' },
  ),
);

/** Returns the schema of an answer to a write: the document, and warnings about its text. */
export function writtenSchema(kind: DocumentKind, shape: 'created' | 'full') {
  const fields: TProperties = { ...documentSchema(kind, shape).properties };
  fields.warnings = WarningsField;
  const title = shape === 'created' ? `Created${kind.title}` : `Updated${kind.title}`;
  return Type.Object(fields, { title });
}

/** Adds warnings to an answer, if there are any. */
export function withWarnings<Data extends object>(
  data: Data,
  warnings: readonly Warning[],
): Data & { warnings?: readonly Warning[] } {
  return warnings.length === 0 ? data : { ...data, warnings };
}
