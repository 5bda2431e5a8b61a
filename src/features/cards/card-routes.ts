import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress } from '../../base/errors.ts';
import { createFairQueue } from '../../base/limits/fair-queue.ts';
import { createTaskThreads } from '../../base/threads/task-threads.ts';
import type { Context } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { readPublicState } from '../../core/document/public-document-service.ts';
import { isNotModified } from '../../surfaces/http/conditional.ts';
import type { Card } from '../../surfaces/web/card.ts';
import { readOwner } from '../profiles/profile-service.ts';

/** Draws the images of links in a worker thread, and caches the most recently used ones. */
interface Cards {
  /**
   * Returns a card as PNG.
   *
   * @param key the owner; owners take turns
   * @throws RATE_LIMITED if too many cards of the key are queued; BackEndUnavailable if too many of
   *   all are, or one takes too long
   */
  draw(key: string, card: Card): Promise<Uint8Array>;
  close(): Promise<void>;
}

type Entry = typeof import('./card-thread.ts');

/** The most cards to cache, about 30 KB each. */
const REMEMBERED = 200;

const LIMITS = { running: 1, waiting: 64, waitingPerKey: 16 };

/** Starts a thread with the first card and ends it when idle. */
function createCards(): Cards {
  const queue = createFairQueue(LIMITS);
  const threads = createTaskThreads<Entry>(new URL('./card-thread.js', import.meta.url), {
    threads: LIMITS.running,
    withinMs: { draw: 10_000 },
  });
  /** Drawings by content, the last used one last. Concurrent requests share a drawing. */
  const drawn = new Map<string, Promise<Uint8Array>>();

  function draw(key: string, card: Card): Promise<Uint8Array> {
    const drawing = queue.run(key, () => threads.run('draw', card));
    drawing.catch(() => drawn.delete(contentOf(card)));
    return drawing;
  }

  return {
    draw(key, card) {
      const content = contentOf(card);
      const png = drawn.get(content) ?? draw(key, card);
      drawn.delete(content);
      drawn.set(content, png);
      const [oldest] = drawn.keys();
      if (drawn.size > REMEMBERED && oldest !== undefined) drawn.delete(oldest);
      return png;
    },
    close: threads.close,
  };
}

function contentOf({ title, byline }: Card): string {
  return JSON.stringify([title, byline]);
}

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
