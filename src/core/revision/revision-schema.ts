import { type TProperties, Type } from 'typebox';
import { Nullable, NullableOneOf, OneOf, Text, Timestamp } from '../../base/schema/fields.ts';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { MEANS } from '../../base/schema/means.ts';
import type { Revision } from './revision.ts';
import { type Caller, isOwnWrite } from './writer.ts';

/** In Unicode code points. */
export const MAX_MESSAGE = 200;

export const MessageField = Text({
  description: 'A description of this change, for the history.',
  maxLength: MAX_MESSAGE,
  examples: ['Fix the figures of October'],
});

export const RevisionNumber = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description, examples: [1] });

const FIELDS = {
  number: RevisionNumber('The revision’s number, counted from 1.'),
  author: Nullable('string', 'The username of its author; `null` if the account was deleted.'),
  coAuthors: Type.Array(Type.String(), {
    description: 'The usernames of others who wrote it, at the same time in the editor.',
  }),
  via: NullableOneOf(MEANS, 'How it was written; `null` if that was not recorded then.'),
  viaName: Nullable(
    'string',
    'The name of the token or application at that time; `null` also if you can’t see it, as for ' +
      '`message`.',
  ),
  changed: Type.Array(OneOf(['content', 'name', 'visibility', 'owner'], 'A field.'), {
    description: 'The fields that it changed.',
  }),
  message: Nullable(
    'string',
    'The author’s description of the change. Only the owner, collaborators and members see it for ' +
      'revisions from before the document became public.',
  ),
  basedOn: Nullable('integer', 'The revision that the author edited, if the request named it.'),
  merged: Type.Boolean({ description: 'Whether changes by others were merged in.' }),
  mergedByWords: Type.Array(Type.Integer(), {
    description: 'The lines of the text in which the writer and others changed words.',
  }),
  restoredFrom: Nullable('integer', 'The revision whose text it restored.'),
  sizeBytes: Nullable('integer', 'The size of the text; `null` if it is no longer stored.'),
  hasText: Type.Boolean({ description: 'Whether the text can be read.' }),
  pinned: Type.Boolean({
    description:
      'Whether it is pinned: never deleted to save space, and readable at its own address.',
  }),
  sitting: Type.Unsafe<Revision['sitting']>({
    type: ['object', 'null'],
    properties: {
      first: { type: 'integer', description: 'The first revision of the sitting.' },
      last: { type: 'integer', description: 'Its last revision.' },
    },
    required: ['first', 'last'],
    additionalProperties: false,
    description: 'The sitting in the editor that it is part of; `null` for other writes.',
  }),
  createdAt: Timestamp('When it was written.'),
} satisfies Record<keyof Revision, object>;

/** A revision, and whether the caller wrote it. */
const SHOWN = {
  ...FIELDS,
  own: Type.Boolean({
    description:
      'Whether it was written with the token of this request, or by the same application.',
  }),
};

export const RevisionSchema = Type.Object(SHOWN, { title: 'Revision' });

export function presentRevision(revision: Revision, caller: Caller) {
  return { ...revision, own: isOwnWrite(revision, caller) };
}

/** Builds the schema of a revision with its text, in the content field of this kind. */
export function revisionWithText(kind: DocumentKind) {
  const content = Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: `${kind.contentDescription}; \`null\` if it is no longer stored.`,
  });
  const fields: TProperties = { ...SHOWN, [kind.contentField]: content };
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
