/// <reference lib="webworker" />

// Shows a page of its own where a screen of the app can't be loaded, so that whoever reloads the editor
// without a network learns that the unsent text is kept. Stores nothing else.

// A module, so that `self` is this file's.
export {};

declare const self: ServiceWorkerGlobalScope;

const CACHE = 'offline';
const OFFLINE_PAGE = '/offline.html';

/** The app's paths that the worker handles: not the API, HTML pages, files or public documents. */
const APP =
  /^\/($|(read|edit|history|share|review|new|search|shared|inbox|drafts|import|export|trash|invitations|organizations|settings|connect|sign-in|sign-up)(\/|$))/;

self.addEventListener('install', (event) => {
  event.waitUntil(keepOfflinePage().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(forgetOthers().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || request.method !== 'GET') return;
  if (request.mode === 'navigate') {
    if (APP.test(pathname)) event.respondWith(open(request));
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(openPart(request));
  }
});

/** Stores the offline page with its styles, whose addresses have a hash of their content. */
async function keepOfflinePage(): Promise<void> {
  const response = await fetch(OFFLINE_PAGE, { cache: 'no-store' });
  if (!response.ok) throw new Error(`${OFFLINE_PAGE}: ${response.status}`);
  const parts = (await response.clone().text()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g);
  const cache = await caches.open(CACHE);
  await cache.addAll(new Set(Array.from(parts, ([, path]) => path as string)));
  await cache.put(OFFLINE_PAGE, response);
}

/** Deletes the copies of briefs that earlier versions stored. */
async function forgetOthers(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name !== CACHE);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function open(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch {
    return (await caches.match(OFFLINE_PAGE)) ?? Response.error();
  }
}

/** Returns a style or script of the offline page from the cache, and fetches any other. */
async function openPart(request: Request): Promise<Response> {
  // The answer is the same for every `Accept` that a browser sends.
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}
