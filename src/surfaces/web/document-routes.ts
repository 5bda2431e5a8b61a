import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentAct } from './addresses.ts';
import type { AppParts, AppRequest, HandleSignedOut } from './app-parts.ts';

/** The path parameters of a document. */
export interface DocumentRoute {
  Params: { owner: string; name: string };
  Querystring: Record<string, unknown>;
}

type Handle = (asked: AppRequest<DocumentRoute>, ref: DocumentRef) => Promise<FastifyReply>;

/** Adds a page and a form for one action on documents, for both kinds. */
export function addDocumentRoutes(
  parts: AppParts,
  name: DocumentAct,
  handlers: {
    get: Handle;
    getSignedOut?: (kind: Kind) => HandleSignedOut;
    post?: Handle;
    postSignedOut?: (kind: Kind) => HandleSignedOut;
    /** The form's limit, in bytes; by default that of short forms. */
    bodyLimit?: number;
  },
): void {
  for (const { kind, webSegments } of Object.values(KINDS)) {
    const path = `/${[name, ':owner', ...webSegments, ':name'].join('/')}`;
    const { get, getSignedOut, post, postSignedOut, bodyLimit } = handlers;
    const refOf = ({ request }: AppRequest<DocumentRoute>) => ({ kind, ...request.params });
    const getOrInvite = (asked: AppRequest<DocumentRoute>) => {
      const ref = refOf(asked);
      return get(asked, ref).catch((error) => showInvitation(parts, asked, ref, error));
    };
    parts.get<DocumentRoute>(path, getOrInvite, getSignedOut?.(kind));
    if (!post) continue;
    const act = (asked: AppRequest<DocumentRoute>) => post(asked, refOf(asked));
    parts.post<DocumentRoute>(path, act, postSignedOut?.(kind), { bodyLimit });
  }
}

/** Shows the invitation at every address of a document that the user is invited to. */
async function showInvitation(
  parts: AppParts,
  asked: AppRequest<DocumentRoute>,
  ref: DocumentRef,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof ServiceError) || error.code !== 'NOT_FOUND') throw error;
  const page = await parts.findInvitedPage(asked.call, ref);
  if (!page) throw error;
  return parts.show(asked, page, error.status);
}
