import type { FastifyInstance } from 'fastify';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { writeManifest } from './manifest.ts';
import { renderOfflinePage } from './offline-page.tsx';
import { REMOVE_WORKER, readWorker } from './worker.ts';

const FRESH = { 'cache-control': 'public, no-cache' };

/**
 * Adds the files that make the app installable and readable without a network. Every path has a
 * dot, so it can't be a namespace.
 */
export function addOfflineRoutes(app: FastifyInstance, site: Site): void {
  const manifest = writeManifest(site);
  const worker = site.keepsCopies ? readWorker() : REMOVE_WORKER;
  const offline = renderOfflinePage(site);

  app.get('/manifest.webmanifest', (_request, reply) =>
    reply.headers(FRESH).type('application/manifest+json').send(manifest),
  );
  // A worker's own policy decides what it can fetch.
  app.get('/service-worker.js', (_request, reply) =>
    reply
      .headers({ ...FRESH, 'content-security-policy': "default-src 'none'; connect-src 'self'" })
      .type('text/javascript; charset=utf-8')
      .send(worker),
  );
  app.get('/offline.html', (_request, reply) =>
    reply.headers(FRESH).type('text/html; charset=utf-8').send(offline),
  );
}
