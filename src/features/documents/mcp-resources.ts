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
import type { Call } from '../../core/context.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { MEDIA_TYPES } from '../../surfaces/mcp/document.ts';
import { firstPart } from '../../surfaces/mcp/excerpt.ts';
import { quote } from '../../surfaces/mcp/quote.ts';
import { documentUri, parseDocumentUri } from '../../surfaces/mcp/uri.ts';
import { listLibrary } from '../library/library-service.ts';
import { MAX_READ_BYTES } from './read-tool.ts';

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
  call: Call,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const list = { place: 'recent', before: cursor, size: PAGE_SIZE } as const;
  const { items, next } = await listLibrary(call, list).catch(refuseCursor);
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
async function getDocumentByAnyName(call: Call, ref: DocumentRef): Promise<WholeDocument> {
  return getDocument(call, ref).catch((error) => {
    if (!(error instanceof DocumentMoved)) throw error;
    return getDocument(call, error.to);
  });
}

/**
 * Returns a document as a resource: its text, or the first part of a long one, with how to read on.
 * It is quoted, because hosts give resources to the model unchanged.
 *
 * @throws ResourceNotFoundError if it doesn't exist or the actor can't see it
 */
export async function readResource(call: Call, uri: string): Promise<ReadResourceResult> {
  const ref = parseDocumentUri(uri);
  const seen = ref && (await undefinedIfNotFound(getDocumentByAnyName(call, ref)));
  if (!seen) throw new ResourceNotFoundError(uri);
  const { document, text } = seen;
  const { content, toLine, totalLines, next } = firstPart(text, MAX_READ_BYTES);
  const quoted = quote({ what: 'the text', text: content });
  const said = next
    ? `This is the text up to line ${toLine} of ${totalLines}. Read on with read_document, ` +
      `from_line ${next.line}, from_column ${next.column}.\n\n`
    : '';
  return { contents: [{ uri, mimeType: MEDIA_TYPES[document.kind], text: said + quoted }] };
}
