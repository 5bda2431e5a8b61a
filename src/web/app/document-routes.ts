import type { FastifyReply } from 'fastify';
import type { DocumentRef } from '../../document/document-ref.ts';
import { KINDS } from '../../document/kind.ts';
import type { DocumentAct } from './addresses.ts';
import type { AppParts, AppRequest } from './app-parts.ts';

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
  handlers: { get: Handle; post?: Handle },
): void {
  for (const { kind, webSegments } of Object.values(KINDS)) {
    const path = `/${[act, ':owner', ...webSegments, ':name'].join('/')}`;
    const { get, post } = handlers;
    const refOf = ({ request }: AppRequest<DocumentRoute>) => ({ kind, ...request.params });
    parts.get<DocumentRoute>(path, (asked) => get(asked, refOf(asked)));
    if (post) parts.post<DocumentRoute>(path, (asked) => post(asked, refOf(asked)));
  }
}
