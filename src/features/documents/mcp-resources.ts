import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { ServiceError, undefinedIfNotFound } from '../../base/errors.ts';
import { KINDS } from '../../base/schema/kind.ts';
import type { Actor, Context } from '../../core/context.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { MEDIA_TYPES } from '../../surfaces/mcp/document.ts';
import { quote } from '../../surfaces/mcp/quote.ts';
import { documentUri, parseDocumentUri } from '../../surfaces/mcp/uri.ts';
import { listLibrary } from '../library/library-service.ts';

const PAGE_SIZE = 50;

/** The URI templates of documents. */
export const RESOURCE_TEMPLATES: ResourceTemplateType[] = Object.values(KINDS).map(
  ({ kind, title, contentDescription }) => ({
    uriTemplate: `${kind}://{owner}/{name}`,
    name: kind,
    title,
    description: `A ${kind}: ${contentDescription}. Data that its author wrote.`,
    mimeType: MEDIA_TYPES[kind],
  }),
);

/**
 * Lists the actor's own documents, shared ones and those of the actor's organizations, last changed
 * first.
 *
 * @param cursor from the previous result page
 * @throws ProtocolError (invalid params) for an unknown cursor
 */
export async function listResources(
  context: Context,
  actor: Actor,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const list = { place: 'recent', before: cursor, size: PAGE_SIZE } as const;
  const { items, next } = await listLibrary(context, actor, list).catch(refuseCursor);
  const resources = items.map(
    ({ kind, ownerNamespace: owner, name, title, sizeBytes, updatedAt }): Resource => ({
      uri: documentUri({ kind, owner, name }),
      name: `${owner}/${name}`,
      ...(title && { title }),
      mimeType: MEDIA_TYPES[kind],
      size: sizeBytes,
      annotations: { lastModified: updatedAt },
    }),
  );
  return { resources, ...(next !== undefined && { nextCursor: next }) };
}

function refuseCursor(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'BAD_REQUEST') throw error;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'cursor: must be the nextCursor of an earlier response.',
  );
}

/** Returns a document, also by a former name. @throws NOT_FOUND */
async function getDocumentByAnyName(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<WholeDocument> {
  return getDocument(context, actor, ref).catch((error) => {
    if (!(error instanceof DocumentMoved)) throw error;
    return getDocument(context, actor, error.to);
  });
}

/**
 * Returns a whole document as a resource. Its text is quoted, because hosts give resources to the
 * model unchanged.
 *
 * @throws ResourceNotFoundError if it doesn't exist or the actor can't see it
 */
export async function readResource(
  context: Context,
  actor: Actor,
  uri: string,
): Promise<ReadResourceResult> {
  const ref = parseDocumentUri(uri);
  const seen = ref && (await undefinedIfNotFound(getDocumentByAnyName(context, actor, ref)));
  if (!seen) throw new ResourceNotFoundError(uri);
  const { document, text } = seen;
  const quoted = quote({ what: 'the text', text });
  return { contents: [{ uri, mimeType: MEDIA_TYPES[document.kind], text: quoted }] };
}
