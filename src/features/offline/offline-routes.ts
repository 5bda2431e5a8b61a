import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { ROOT } from '../../base/package.ts';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { renderOfflinePage } from './offline-page.tsx';

/** Reading it throws if the web client isn't built. */
const WORKER = fileURLToPath(new URL('dist/client/service-worker.js', ROOT));

const FRESH = { 'cache-control': 'public, no-cache' };

/**
 * Adds the files that make the app installable, and say what is kept without a network. Every path
 * has a dot, so it can't be a namespace.
 */
export function addOfflineRoutes(app: FastifyInstance, site: Site): void {
  const manifest = writeManifest(site);
  const worker = readFileSync(WORKER);
  const offline = renderOfflinePage(site);

  app.get('/manifest.webmanifest', (_request, reply) =>
    reply.headers(FRESH).type('application/manifest+json').send(manifest),
  );
  // A worker's own policy decides what it can fetch.
  const policy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";
  app.get('/service-worker.js', (_request, reply) =>
    reply
      .headers({ ...FRESH, 'content-security-policy': policy })
      .type('text/javascript; charset=utf-8')
      .send(worker),
  );
  app.get('/offline.html', (_request, reply) =>
    reply.headers(FRESH).type('text/html; charset=utf-8').send(offline),
  );
}

/** Writes the description of the installed app (W3C Web Application Manifest). */
function writeManifest({ assets, face }: Site): string {
  const icon = (name: string, size: number, purpose = 'any') => ({
    src: assets.url(name),
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return JSON.stringify({
    id: '/',
    name: face.name,
    short_name: face.name,
    description: 'Documents that agents write and people review.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: '#fdfcfa',
    background_color: '#fdfcfa',
    icons: [
      icon('icon-192.png', 192),
      icon('icon-512.png', 512),
      icon('icon-maskable.png', 512, 'maskable'),
    ],
    shortcuts: [
      { name: 'New brief', short_name: 'New', url: '/new' },
      { name: 'Search', url: '/search' },
    ],
  });
}
