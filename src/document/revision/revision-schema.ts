import { type TProperties, Type } from 'typebox';
import { MEANS } from '../../account/means.ts';
import { Nullable, NullableOneOf, OneOf, Text, Timestamp } from '../../schema/fields.ts';
import type { DocumentKind } from '../kind.ts';
import type { Revision } from './revision.ts';

/** In characters. */
export const MAX_MESSAGE = 200;

export const MessageField = Text({
  description: 'What this changes, for the history.',
  maxLength: MAX_MESSAGE,
  examples: ['Fix the figures of October'],
});

export const RevisionNumber = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description, examples: [1] });

const FIELDS = {
  number: RevisionNumber('Counts the writes, from 1.'),
  author: Nullable('string', 'The username of who wrote it; `null` if the account is gone.'),
  via: NullableOneOf(MEANS, 'With what it was written; `null` if that was not recorded then.'),
  viaName: Nullable('string', 'What the token or the application was called.'),
  changed: Type.Array(OneOf(['content', 'name', 'visibility', 'owner'], 'A field.'), {
    description: 'What it changed.',
  }),
  message: Nullable('string', 'What the writer said about it.'),
  basedOn: Nullable('integer', 'The revision that the writer started from, if they said so.'),
  merged: Type.Boolean({ description: 'Whether changes of others were merged in.' }),
  restoredFrom: Nullable('integer', 'The revision whose text it brought back.'),
  sizeBytes: Nullable('integer', 'The size of the text; `null` if it is no longer stored.'),
  hasText: Type.Boolean({ description: 'Whether the text can be read.' }),
  pinned: Type.Boolean({ description: 'Whether it is kept, and readable at its own address.' }),
  createdAt: Timestamp('When it was written.'),
} satisfies Record<keyof Revision, object>;

export const RevisionSchema = Type.Object(FIELDS, { title: 'Revision' });

/** Builds the schema of a revision with its text, in the content field of this kind. */
export function revisionWithText(kind: DocumentKind) {
  const content = Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: `${kind.contentDescription}; \`null\` if it is no longer stored.`,
  });
  const fields: TProperties = { ...FIELDS, [kind.contentField]: content };
  return Type.Object(fields, { title: `${kind.title}Revision` });
}

export const RevisionDiff = Type.Object(
  {
    from: RevisionNumber('The older revision.'),
    to: RevisionNumber('The newer revision.'),
    unified: Type.String({ description: 'The changes in unified format.' }),
    added: Type.Integer({ description: 'Lines that were added.' }),
    removed: Type.Integer({ description: 'Lines that were removed.' }),
    isCut: Type.Boolean({ description: 'Whether `unified` was cut because it is very long.' }),
  },
  { title: 'RevisionDiff' },
);
