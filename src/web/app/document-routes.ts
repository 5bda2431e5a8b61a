import type { FastifyReply } from 'fastify';
import type { DocumentRef } from '../../document/document-ref.ts';
import { KINDS, type Kind } from '../../document/kind.ts';
import type { DocumentAct } from './addresses.ts';
import type { AppParts, AppRequest, HandleSignedOut } from './app-parts.ts';

/** What the address of a document carries. */
export interface DocumentRoute {
  Params: { owner: string; name: string };
  Querystring: Record<string, unknown>;
}

type Handle = (asked: AppRequest<DocumentRoute>, ref: DocumentRef) => Promise<FastifyReply>;

/** Adds what is done with documents of every kind, as page and as form. */
export function addDocumentRoutes(
  parts: AppParts,
  act: DocumentAct,
  handlers: {
    get: Handle;
    getSignedOut?: (kind: Kind) => HandleSignedOut;
    post?: Handle;
    postSignedOut?: (kind: Kind) => HandleSignedOut;
  },
): void {
  for (const { kind, webSegments } of Object.values(KINDS)) {
    const path = `/${[act, ':owner', ...webSegments, ':name'].join('/')}`;
    const { get, getSignedOut, post, postSignedOut } = handlers;
    const refOf = ({ request }: AppRequest<DocumentRoute>) => ({ kind, ...request.params });
    parts.get<DocumentRoute>(path, (asked) => get(asked, refOf(asked)), getSignedOut?.(kind));
    if (!post) continue;
    parts.post<DocumentRoute>(path, (asked) => post(asked, refOf(asked)), postSignedOut?.(kind));
  }
}
