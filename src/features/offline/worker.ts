import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../base/package.ts';

const BUILT = fileURLToPath(new URL('dist/client/service-worker.js', ROOT));

/** Replaces the worker when offline copies are turned off: deletes its copies and itself. */
export const REMOVE_WORKER = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.registration.unregister();
})()));
`;

/** Reads the built service worker. @throws Error with instructions if the client isn't built */
export function readWorker(): string {
  try {
    return readFileSync(BUILT, 'utf8');
  } catch (cause) {
    throw new Error(`The web client is not built (no ${BUILT}): run "npm run build:client".`, {
      cause,
    });
  }
}
