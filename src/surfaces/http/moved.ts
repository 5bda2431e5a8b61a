import type { FastifyRequest } from 'fastify';
import type { DocumentMoved } from '../../core/document/document-moved.ts';

/**
 * Returns a request's path and query with the document's current owner and name: `/ada/old@2.md?x`
 * becomes `/ada/new@2.md?x`. The route says which segments are the owner and the name.
 */
export function targetOfMoved(
  request: Pick<FastifyRequest, 'url' | 'routeOptions'>,
  { from, to }: DocumentMoved,
): string {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  const route = request.routeOptions.url?.split('/') ?? [];
  const segments = pathname.split('/').map((segment, index) => {
    if (route[index] === ':owner') return encodeURIComponent(to.owner);
    if (route[index] !== ':name') return segment;
    const suffix = decodeURIComponent(segment).slice(from.name.length);
    return encodeURIComponent(to.name) + suffix;
  });
  return segments.join('/') + search;
}
