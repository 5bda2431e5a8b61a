import { Type } from 'typebox';
import { OneOf, Text } from '../../base/schema/fields.ts';
import { ALL_KINDS, type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import type { Excerpt } from '../../base/search/excerpt.ts';
import {
  type Addresses,
  documentSchema,
  type Presentable,
  presentDocument,
} from '../../core/document/document-schema.ts';
import { LabelFilter } from '../labels/label-schema.ts';
import { SORTS } from '../library/library-sort.ts';

export const SearchQuerySchema = Type.Object({
  q: Text({
    minLength: 1,
    description:
      'Words; a document must have all. `OR` between two: one is enough. `-` before one: without it. In quotation ' +
      'marks: exactly these words, in this order. Other forms of a word match, too (`orbit`: orbits), and the last ' +
      'word can be partial. Case, accents and strokes are ignored. The first 256 characters and 16 words count.',
    examples: ['orbit determination'],
  }),
  kind: Type.Optional(OneOf(ALL_KINDS, 'Only documents of this kind.')),
  visibility: Type.Optional(OneOf(VISIBILITIES, 'Only documents of this visibility.')),
  owner: Type.Optional(
    Text({ description: 'Only documents of this user or organization.', examples: ['ada'] }),
  ),
  label: LabelFilter,
  shared: Type.Optional(
    OneOf(
      ['true', 'false'],
      'Whether to find only documents that others shared with you: you collaborate on them but neither own nor ' +
        'created them.',
    ),
  ),
  changed_since: Type.Optional(
    Text({
      description: 'Only documents that changed after this time or date (ISO 8601).',
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  ),
  sort: Type.Optional(
    OneOf(
      SORTS,
      'The order: last changed first, last created first, or by title. Without it, the best match comes first.',
      'SearchOrder',
    ),
  ),
});

const ExcerptSchema = Type.Object(
  {
    text: Type.String({
      description: 'Plain text around a match, or the beginning; at most 160 UTF-16 code units.',
      examples: ['… an orbit is determined from three observations …'],
    }),
    matches: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'The first UTF-16 code unit.' }),
        end: Type.Integer({ description: 'The one after the last.' }),
      }),
      { description: 'Where the words are in it.' },
    ),
  },
  { title: 'Excerpt' },
);

function foundSchema(kind: DocumentKind) {
  const { properties } = documentSchema(kind, 'listed');
  return Type.Object(
    { kind: OneOf([kind.kind], 'What it is.'), ...properties, excerpt: ExcerptSchema },
    { title: `Found${kind.title}` },
  );
}

export const FoundDocument = Type.Union(Object.values(KINDS).map(foundSchema));

/** Presents a result as lists show a document, with its kind and an excerpt. */
export function presentFound(
  addresses: Addresses,
  shown: Presentable,
  { text, matches }: Excerpt,
): Record<string, unknown> {
  return {
    kind: shown.document.kind,
    ...presentDocument(addresses, 'listed', shown),
    excerpt: { text, matches: matches.map(([start, end]) => ({ start, end })) },
  };
}
