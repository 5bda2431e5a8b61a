import { type TProperties, Type } from 'typebox';
import { Id, NullableId, OneOf, Text, Timestamp } from '../schema.ts';
import { type Level, presentPermissions, VISIBILITIES } from './access.ts';
import type { DocumentRow, DocumentWithContent } from './document-store.ts';
import type { DocumentKind } from './kind.ts';

const Name = Type.String({
  description: 'The name in the address: lowercased, spaces as hyphens, unique per owner.',
  examples: ['release-notes'],
});

const Visibility = OneOf(
  VISIBILITIES,
  'Who may read: everybody (`public`), the organization (`internal`, organizations only), or ' +
    'collaborators alone (`private`).',
);

const identity = (kind: DocumentKind) => ({
  id: Id(`The ${kind.kind}’s id.`),
  name: Name,
  fullName: Type.String({ description: 'Owner and name.', examples: ['ada/release-notes'] }),
  url: Type.String({
    format: 'uri',
    description: `The ${kind.kind}’s web address.`,
    examples: ['http://localhost:4000/ada/release-notes'],
  }),
});

const ownership = {
  ownerType: OneOf(['user', 'organization'], 'What kind of owner it has.'),
  ownerId: Id('The owner’s id.'),
  ownerNamespace: Type.String({ description: 'The owner’s namespace.', examples: ['ada'] }),
};

const permissions = Type.Object(
  { admin: Type.Boolean(), write: Type.Boolean(), read: Type.Boolean() },
  { description: 'The caller’s rights.', examples: [{ admin: false, write: true, read: true }] },
);

const content = (kind: DocumentKind) => ({
  [kind.contentField]: Type.String({
    description: 'Markdown.',
    examples: ['# Release notes\n\nWhat is new.\n'],
  }),
});

const writers = {
  createdBy: NullableId('Who made it: a user’s id.'),
  updatedBy: NullableId('Who wrote last: a user’s id.'),
};

const times = {
  createdAt: Timestamp('When it was made.'),
  updatedAt: Timestamp('When it was last written.'),
};

/** The fields of each answer (specification, part "Brief"). */
export function documentSchemas(kind: DocumentKind) {
  const contentInput = Text({
    description: `Markdown, at most ${kind.contentLimitBytes} bytes of UTF-8.`,
    examples: ['# Release notes\n\nWhat is new.\n'],
  });
  const nameInput = Text({
    description:
      'Normalised to lower case with hyphens for spaces; then 1 to 100 letters, marks, digits, ' +
      '`-`, `_` and `.`. Unique per owner.',
    examples: ['Release notes'],
  });
  return {
    listEntry: Type.Object({
      ...identity(kind),
      ...ownership,
      visibility: Visibility,
      permissions,
      ...times,
    }),
    created: Type.Object({ ...identity(kind), ...content(kind), visibility: Visibility }),
    full: Type.Object({
      ...identity(kind),
      ...content(kind),
      ...ownership,
      visibility: Visibility,
      permissions,
      ...writers,
      ...times,
    }),
    createBody: Type.Object(
      {
        [kind.contentField]: contentInput,
        name: Type.Optional(nameInput),
        visibility: Type.Optional(Visibility),
      } as TProperties,
      { additionalProperties: false },
    ),
    updateBody: Type.Object(
      {
        [kind.contentField]: Type.Optional(contentInput),
        name: Type.Optional(nameInput),
        visibility: Type.Optional(Visibility),
      } as TProperties,
      { additionalProperties: false, minProperties: 1 },
    ),
  };
}

/** A document in a list, for a caller with `level`. */
export function presentListEntry(webUrl: string, row: DocumentRow, level: Level) {
  return {
    ...presentIdentity(webUrl, row),
    ownerType: row.ownerType,
    ownerId: row.ownerId,
    ownerNamespace: row.ownerNamespace,
    visibility: row.visibility,
    permissions: presentPermissions(level),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** A document just made. */
export function presentCreated(webUrl: string, kind: DocumentKind, row: DocumentWithContent) {
  return {
    ...presentIdentity(webUrl, row),
    [kind.contentField]: row.content,
    visibility: row.visibility,
  };
}

/** A document whole, for a caller with `level`. */
export function presentDocument(
  webUrl: string,
  kind: DocumentKind,
  row: DocumentWithContent,
  level: Level,
) {
  return {
    ...presentListEntry(webUrl, row, level),
    [kind.contentField]: row.content,
    createdBy: row.createdBy,
    updatedBy: row.updatedBy,
  };
}

function presentIdentity(webUrl: string, row: DocumentRow) {
  return {
    id: row.id,
    name: row.name,
    fullName: `${row.ownerNamespace}/${row.name}`,
    url: documentUrl(webUrl, row.ownerNamespace, row.name),
  };
}

/** A brief's web address. */
export function documentUrl(webUrl: string, owner: string, name: string): string {
  return `${webUrl}/${owner}/${encodeURIComponent(name)}`;
}

/**
 * The strong entity tag of a document as a caller with `level` sees it: every write changes it, and
 * so does a change of the caller's rights, which the answer shows.
 */
export function documentEtag(row: DocumentRow, level: Level): string {
  return `"${row.id}.${row.version}.${level}"`;
}
