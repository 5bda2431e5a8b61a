import { type TProperties, Type } from 'typebox';
import { Id, NullableId, OneOf, Text, Timestamp } from '../../base/schema/fields.ts';
import type { DocumentKind, Kind } from '../../base/schema/kind.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import { MAX_NAME_CHARACTERS } from '../../base/text/document-name.ts';
import { ThreadIds } from '../review/thread-input-schema.ts';
import { MessageField, RevisionNumber } from '../revision/revision-schema.ts';
import { type Level, presentPermissions } from './access-rules.ts';
import { documentUrl, renderUrl } from './addresses.ts';
import type { DocumentRow } from './document-store.ts';

const IDENTITY = ['id', 'name', 'fullName', 'url'] as const;
const OWNERSHIP = ['ownerType', 'ownerId', 'ownerNamespace'] as const;
const RIGHTS = ['visibility', 'permissions'] as const;
const TIMES = ['createdAt', 'updatedAt'] as const;
const LISTED = [...RIGHTS, 'revision'] as const;
const WRITERS = ['createdBy', 'updatedBy'] as const;

/**
 * The fields of each response (specification, parts "Brief" and "Page"; decisions, part "Updates").
 */
const SHAPES = {
  brief: {
    listed: [...IDENTITY, ...OWNERSHIP, ...LISTED, ...TIMES],
    created: [...IDENTITY, 'content', 'visibility'],
    full: [...IDENTITY, 'content', ...OWNERSHIP, ...RIGHTS, ...WRITERS, ...TIMES],
  },
  page: {
    listed: [...IDENTITY, 'renderUrl', ...OWNERSHIP, ...LISTED, 'sizeBytes', ...TIMES],
    created: [...IDENTITY, 'renderUrl', 'visibility', 'storagePath', 'sizeBytes', ...TIMES],
    full: [
      ...([...IDENTITY, 'renderUrl', 'html', ...OWNERSHIP, ...RIGHTS] as const),
      ...(['storagePath', 'sizeBytes', ...WRITERS, ...TIMES] as const),
    ],
  },
} as const satisfies Record<Kind, Record<string, readonly Field[]>>;

/** How much of a document a response shows: in a list, after creation, or in full. */
export type Shape = keyof (typeof SHAPES)['brief'];

/** Base URLs of the service's documents. */
export interface Addresses {
  webUrl: string;
  renderUrl: string;
}

/** A document and the caller's level; with its content if the shape shows it. */
export interface Presentable {
  document: DocumentRow;
  level: Level;
  text?: string;
}

type Field = keyof ReturnType<typeof fieldSchemas>;

const Visibility = OneOf(
  VISIBILITIES,
  'Who can read: anyone (`public`), the organization’s members (`internal`, organizations only), ' +
    'or collaborators only (`private`).',
  'Visibility',
);

function fieldSchemas({ kind, webSegments, contentDescription, contentExample }: DocumentKind) {
  const content = Type.String({
    description: `${contentDescription}.`,
    examples: [contentExample],
  });
  const path = ['ada', ...webSegments, 'release-notes'].join('/');
  return {
    id: Id(`The ${kind}’s id.`),
    name: Type.String({
      description: 'The name in the URL: lowercase, hyphens for spaces, unique per owner.',
      examples: ['release-notes'],
    }),
    fullName: Type.String({ description: 'Owner and name.', examples: ['ada/release-notes'] }),
    url: Type.String({
      format: 'uri',
      description: `The ${kind}’s URL.`,
      examples: [`http://localhost:4000/${path}`],
    }),
    renderUrl: Type.String({
      format: 'uri',
      description: 'The raw URL. Works only while the page is public.',
      examples: ['http://localhost:4001/ada/release-notes'],
    }),
    content,
    html: content,
    ownerType: OneOf(['user', 'organization'], 'The kind of owner: a user or an organization.'),
    ownerId: Id('The owner’s id.'),
    ownerNamespace: Type.String({ description: 'The owner’s namespace.', examples: ['ada'] }),
    visibility: Visibility,
    permissions: Type.Object(
      { admin: Type.Boolean(), write: Type.Boolean(), read: Type.Boolean() },
      {
        description: 'The caller’s permissions.',
        examples: [{ admin: false, write: true, read: true }],
      },
    ),
    revision: Type.Integer({
      description:
        'The current revision, as in `X-Revision`. Programs that keep copies compare it.',
      examples: [3],
    }),
    storagePath: Type.String({
      description: 'The key of the stored content; changes when the content does.',
      examples: ['pages/2f/019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f.html'],
    }),
    sizeBytes: Type.Integer({ description: 'The size of the content, in bytes.', examples: [64] }),
    createdBy: NullableId('The id of the user who created it; `null` if that account was deleted.'),
    updatedBy: NullableId(
      'The id of the user who last changed it; `null` if that account was deleted.',
    ),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it was last changed.'),
  };
}

const SCHEMA_TITLES: Record<Shape, (title: string) => string> = {
  listed: (title) => `${title}Summary`,
  created: (title) => `Created${title}`,
  full: (title) => title,
};

export function documentSchema(kind: DocumentKind, shape: Shape) {
  const fields: Record<string, object> = fieldSchemas(kind);
  const shown = SHAPES[kind.kind][shape].map((field) => [field, fields[field]]);
  return Type.Object(Object.fromEntries(shown) as TProperties, {
    title: SCHEMA_TITLES[shape](kind.title),
  });
}

/** The condition that a write names its document with. */
export const DocumentIdCondition = Text({
  description:
    'The `id` of the document that you read. 409 if its name belongs to another document now, as ' +
    'after a rename.',
  examples: ['019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f'],
});

export function documentBodies(kind: DocumentKind) {
  const content = Text({
    description: `${kind.contentDescription}; at most ${kind.contentLimitBytes} bytes of UTF-8.`,
    examples: [kind.contentExample],
  });
  const name = Text({
    description:
      `Normalised to lower case with hyphens for spaces; then 1 to ${MAX_NAME_CHARACTERS} ` +
      'letters, marks, digits, `-`, `_` and `.`. Unique per owner: if it is taken, the message ' +
      'of the 422 suggests a free name.',
    examples: ['Release notes'],
  });
  const optional = { name: Type.Optional(name), visibility: Type.Optional(Visibility) };
  const create: TProperties = { [kind.contentField]: content, ...optional };
  const update: TProperties = {
    [kind.contentField]: Type.Optional(content),
    ...optional,
    baseRevision: Type.Optional(
      RevisionNumber(
        'The revision that the text is based on. Later changes by others are merged; 409 if ' +
          'both changed the same lines, or if it would become public with changes that you ' +
          'haven’t read.',
      ),
    ),
    revision: Type.Optional(
      RevisionNumber(
        'The revision that you read: if the text has changed since, nothing happens (409).',
      ),
    ),
    documentId: Type.Optional(DocumentIdCondition),
    message: Type.Optional(MessageField),
    resolves: Type.Optional(ThreadIds('Threads to resolve together with this write.')),
  };
  return {
    optional,
    create: Type.Object(create, { title: `Create${kind.title}`, additionalProperties: false }),
    update: Type.Object(update, {
      title: `Update${kind.title}`,
      additionalProperties: false,
      minProperties: 1,
    }),
  };
}

export function moveBody(kind: DocumentKind) {
  return Type.Object(
    {
      owner: Text({
        minLength: 1,
        description:
          'The namespace of the new owner: yours, or an organization’s where you can create ' +
          'documents.',
        examples: ['engines'],
      }),
      name: Type.Optional(
        Text({
          description: 'Its new name. Default: its current name.',
          examples: ['Release notes'],
        }),
      ),
      visibility: Type.Optional(
        OneOf(
          ['private', 'internal'],
          `Default: as it is. An internal ${kind.kind} must become private to be a user’s; to publish it, change it afterwards.`,
        ),
      ),
    },
    { title: `Move${kind.title}`, additionalProperties: false },
  );
}

export function presentDocument(
  addresses: Addresses,
  shape: Shape,
  shown: Presentable,
): Record<string, unknown> {
  const { document } = shown;
  const presented: Record<string, unknown> = {};
  const fields: readonly Field[] = SHAPES[document.kind][shape];
  for (const field of fields) {
    presented[field] =
      field in DERIVED
        ? DERIVED[field as DerivedField](addresses, shown)
        : document[field as keyof DocumentRow];
  }
  return presented;
}

type DerivedField = Exclude<Field, keyof DocumentRow>;

/** Fields that are computed from others. */
const DERIVED: Record<DerivedField, (addresses: Addresses, shown: Presentable) => unknown> = {
  fullName: (_addresses, { document }) => `${document.ownerNamespace}/${document.name}`,
  url: ({ webUrl }, { document }) => documentUrl(webUrl, document),
  renderUrl: (addresses, { document }) => renderUrl(addresses.renderUrl, document),
  permissions: (_addresses, { level }) => presentPermissions(level),
  revision: (_addresses, { document }) => document.version,
  content: (_addresses, { text }) => text,
  html: (_addresses, { text }) => text,
};
