import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Actor, Context } from '../context.ts';
import { listOwnDocuments } from '../document/document-listing.ts';
import { getDocument } from '../document/document-service.ts';
import { KINDS, type Kind } from '../document/kind.ts';
import { lastPageNumber } from '../page.ts';
import { KIND_NAMES, MEDIA_TYPES } from './document.ts';
import { orUndefined } from './owner.ts';
import { quote } from './quote.ts';
import { documentUri, parseDocumentUri } from './uri.ts';

const PAGE_SIZE = 50;

/** How documents are addressed as resources. */
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
 * The actor's own documents, kind by kind and newest first, a page at a time.
 *
 * @param cursor as the page before gave it
 * @throws ProtocolError (invalid params) for a cursor that was not given
 */
export async function listResources(
  context: Context,
  actor: Actor,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const { kind, number } = parseCursor(cursor);
  const page = { number, size: PAGE_SIZE };
  const { items, total } = await listOwnDocuments(context, actor, kind, page);
  const resources = items.map(({ document }): Resource => {
    const { ownerNamespace: owner, name, sizeBytes, updatedAt } = document;
    return {
      uri: documentUri({ kind, owner, name }),
      name: `${owner}/${name}`,
      mimeType: MEDIA_TYPES[kind],
      size: sizeBytes,
      annotations: { lastModified: updatedAt },
    };
  });
  const next = nextCursor(kind, number, lastPageNumber(total, PAGE_SIZE));
  return { resources, ...(next && { nextCursor: next }) };
}

/**
 * Returns a document as a resource, whole. Its text is quoted, because hosts hand resources to the
 * model as they are.
 *
 * @throws ResourceNotFoundError when it is missing or not for the actor
 */
export async function readResource(
  context: Context,
  actor: Actor,
  uri: string,
): Promise<ReadResourceResult> {
  const ref = parseDocumentUri(uri);
  const seen = ref && (await orUndefined(getDocument(context, actor, ref)));
  if (!seen) throw new ResourceNotFoundError(uri);
  const { document, text } = seen;
  const quoted = quote({ what: 'the text', text });
  return { contents: [{ uri, mimeType: MEDIA_TYPES[document.kind], text: quoted }] };
}

/** A cursor says which page of which kind: `brief.2`. */
function parseCursor(cursor: string | undefined): { kind: Kind; number: number } {
  if (cursor === undefined) return { kind: KIND_NAMES[0] as Kind, number: 1 };
  const [, kind, number] = /^([a-z]+)\.([1-9]\d{0,9})$/.exec(cursor) ?? [];
  if (!KIND_NAMES.includes(kind as Kind)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'cursor: is none that was given.');
  }
  return { kind: kind as Kind, number: Number(number) };
}

function nextCursor(kind: Kind, number: number, last: number): string | undefined {
  if (number < last) return `${kind}.${number + 1}`;
  const nextKind = KIND_NAMES[KIND_NAMES.indexOf(kind) + 1];
  return nextKind && `${nextKind}.1`;
}
