import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { readPublicState } from '../../core/document/public-document-service.ts';
import { isNotModified } from '../../surfaces/http/conditional.ts';
import type { Card } from '../../surfaces/web/card.ts';
import { readOwner } from '../profiles/profile-service.ts';
import { createCards } from './cards.ts';

type Named = FastifyRequest<{ Params: { owner: string; name: string } }>;

/** Part of the entity tag. Increase it when the drawing changes, so caches get the new image. */
const CARD_REVISION = 1;

/** Adds `/images/…`, the preview images of links to public documents and profiles. */
export function addCardRoutes(app: FastifyInstance, context: Context): void {
  const cards = createCards();
  app.addHook('onClose', () => cards.close());

  async function send(request: FastifyRequest, reply: FastifyReply, owner: string, card: Card) {
    const content = JSON.stringify([CARD_REVISION, card.title, card.byline]);
    const etag = `"${hash('sha256', content).slice(0, 32)}"`;
    // Revalidated at every use, so that making a document private takes effect immediately.
    reply.headers({ 'cache-control': 'public, no-cache', etag });
    // Other sites embed the image.
    reply.header('cross-origin-resource-policy', 'cross-origin');
    if (isNotModified(request.headers, { etag })) return reply.code(304).send();
    const png = await cards.draw(`owner:${owner}`, card);
    return reply.header('content-type', 'image/png').send(Buffer.from(png));
  }

  async function sendDocument(request: Named, reply: FastifyReply, kind: DocumentRef['kind']) {
    const { owner, name } = request.params;
    const ref = { kind, owner, name: withoutSuffix(name) };
    const { title, name: current, ownerNamespace } = await readPublicState(context, ref);
    const what = kind === 'brief' ? 'A brief' : 'A page';
    const card = { title: title ?? current, byline: `${what} by ${ownerNamespace}` };
    return send(request, reply, ownerNamespace, card);
  }

  app.get('/images/:owner/:name', (request: Named, reply) => sendDocument(request, reply, 'brief'));
  app.get('/images/:owner/pages/:name', (request: Named, reply) =>
    sendDocument(request, reply, 'page'),
  );
  app.get(
    '/images/:owner',
    async (request: FastifyRequest<{ Params: { owner: string } }>, reply) => {
      const owner = await readOwner(context, withoutSuffix(request.params.owner));
      const { namespace, displayName } = owner;
      const byline = displayName === null ? 'Public documents' : `Public documents of ${namespace}`;
      return send(request, reply, namespace, { title: displayName ?? namespace, byline });
    },
  );
}

/** @throws NOT_FOUND if a name does not end in `.png` */
function withoutSuffix(name: string): string {
  const [, stem] = /^(.*)\.png$/i.exec(name) ?? [];
  if (stem === undefined) throw nothingAtAddress();
  return stem;
}
