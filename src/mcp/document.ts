import type { ResourceLink } from '@modelcontextprotocol/server';
import { type Static, Type } from 'typebox';
import { LEVELS, VISIBILITIES } from '../document/access.ts';
import { documentUrl, renderUrl } from '../document/addresses.ts';
import type { Seen } from '../document/authorize.ts';
import type { DocumentRef } from '../document/document-ref.ts';
import type { DocumentRow } from '../document/document-store.ts';
import { KINDS, type Kind } from '../document/kind.ts';
import { Id, OneOf, Timestamp } from '../schema.ts';
import { documentUri } from './uri.ts';

/** The kinds of document, as arguments name them. */
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

export const KindArgument = Type.Optional(
  Type.Unsafe<Kind>({
    type: 'string',
    enum: KIND_NAMES,
    default: 'brief',
    description: '`brief`: Markdown; `page`: one HTML document.',
  }),
);

/** The arguments that name a document; `kind` is `brief` when omitted. */
export const DocumentArguments = {
  kind: KindArgument,
  owner: Type.String({
    description: 'Whose it is: a username or an organization’s namespace.',
    examples: ['ada'],
  }),
  name: Type.String({ description: 'The document’s name.', examples: ['release-notes'] }),
};

export const VisibilityArgument = Type.Optional(
  OneOf(
    VISIBILITIES,
    'Who may read: everybody on the web (`public`), the organization’s members (`internal`, only ' +
      'in organizations), or collaborators alone (`private`).',
  ),
);

export const IfMatchArgument = Type.Optional(
  Type.String({
    description:
      'The etag of the state that you read: the call fails if the document has changed since. ' +
      'With or without its quotes.',
  }),
);

/** A document as every tool shows it. */
export const DocumentSummary = Type.Object({
  kind: OneOf(KIND_NAMES, 'Brief (Markdown) or page (HTML).'),
  owner: Type.String({ description: 'The owner’s namespace.' }),
  ownerType: OneOf(['user', 'organization'], 'What kind of owner it is.'),
  name: Type.String({ description: 'The name; with kind and owner it names the document.' }),
  id: Id('The document’s id.'),
  url: Type.String({ description: 'The web address, to be shared with people.' }),
  renderUrl: Type.Optional(
    Type.String({ description: 'A page’s raw address; it answers while the page is public.' }),
  ),
  visibility: OneOf(VISIBILITIES, 'Who may read it, besides collaborators.'),
  permission: OneOf(LEVELS, 'What you may do with it.'),
  sizeBytes: Type.Integer({ description: 'The size of the content, in bytes of UTF-8.' }),
  createdAt: Timestamp('When it was made.'),
  updatedAt: Timestamp('When it was last written.'),
  etag: Type.String({ description: 'Names this state of it; see if_match.' }),
});

export function presentSummary(
  addresses: { webUrl: string; renderUrl: string },
  { document, level, etag }: Seen<DocumentRow>,
): Static<typeof DocumentSummary> {
  const { kind, id, name, ownerType, ownerNamespace } = document;
  return {
    ...{ kind, owner: ownerNamespace, ownerType, name, id },
    url: documentUrl(addresses.webUrl, document),
    ...(kind === 'page' && { renderUrl: renderUrl(addresses.renderUrl, document) }),
    visibility: document.visibility,
    permission: level,
    sizeBytes: document.sizeBytes,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    etag,
  };
}

/** The document that arguments name. */
export function refOf(input: { kind?: Kind; owner: string; name: string }): DocumentRef {
  return { kind: input.kind ?? 'brief', owner: input.owner, name: input.name };
}

/** A document as a summary names it. */
export function inWords({ kind, ownerNamespace, name }: DocumentRow): string {
  return `${kind} ${ownerNamespace}/${name}`;
}

/** A link to a document for hosts that read resources. */
export function documentLink({
  kind,
  ownerNamespace: owner,
  name,
  sizeBytes,
}: DocumentRow): ResourceLink {
  return {
    type: 'resource_link',
    uri: documentUri({ kind, owner, name }),
    name: `${owner}/${name}`,
    mimeType: MEDIA_TYPES[kind],
    size: sizeBytes,
  };
}

/** What documents’ contents are. */
export const MEDIA_TYPES = {
  brief: 'text/markdown',
  page: 'text/html',
} as const satisfies Record<Kind, string>;
