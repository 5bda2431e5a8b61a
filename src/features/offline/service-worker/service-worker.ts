/// <reference lib="webworker" />
import { keptList, withNotice } from './offline-pages.ts';

// Stores the briefs that were read last, and shows them without a network. With a network, every
// screen comes from the server. Decision 009 says what is stored, for how long, and why.

declare const self: ServiceWorkerGlobalScope;

/** The prefix of each account's cache; its username follows. */
const COPIES = 'copies-';
/** Scripts, styles and fonts of copies. Their addresses have a hash of their content. */
const PARTS = 'parts';
const OFFLINE_PAGE = '/offline.html';
const MAX_COPIES = 30;
const MAX_PARTS = 60;
/** The same as for an idle session. */
const MAX_AGE_MS = 14 * 24 * 60 * 60_000;

/** A response is the same for every `Accept` that a browser sends. */
const ANY = { ignoreVary: true };

/** The app's paths that the worker handles: not the API, HTML pages, files or public documents. */
const APP =
  /^\/($|(read|edit|history|share|review|new|search|shared|inbox|drafts|import|export|trash|invitations|organizations|settings|connect|sign-in|sign-up)(\/|$))/;
const SIGNS = /^\/sign-(in|up|out)$/;

self.addEventListener('install', (event) => {
  event.waitUntil(keepOfflinePage().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === 'POST' && SIGNS.test(pathname)) event.waitUntil(forget());
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate') {
    if (APP.test(pathname)) event.respondWith(open(event));
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(openPart(event));
  }
});

async function keepOfflinePage(): Promise<void> {
  const response = await fetch(OFFLINE_PAGE, { cache: 'no-store' });
  if (!response.ok) throw new Error(`${OFFLINE_PAGE}: ${response.status}`);
  const parts = (await response.clone().text()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g);
  const cache = await caches.open(PARTS);
  await cache.addAll(new Set(Array.from(parts, ([, path]) => path as string)));
  await cache.put(OFFLINE_PAGE, response);
}

async function open(event: FetchEvent): Promise<Response> {
  const path = new URL(event.request.url).pathname;
  try {
    const response = await fetch(event.request);
    event.waitUntil(obey(path, response.clone()));
    return response;
  } catch {
    return (await copyOf(path)) ?? listCopies();
  }
}

/** Obeys the `offline-copies` header: `clear`, `only {username}` or `keep {username}`. */
async function obey(path: string, response: Response): Promise<void> {
  const [order, username] = (response.headers.get('offline-copies') ?? '').split(' ');
  if (order === 'clear' || username) await forget(username);
  if (order === 'keep' && response.status === 200) {
    const cache = await caches.open(COPIES + username);
    await cache.put(path, response);
    await trim(cache, MAX_COPIES);
  } else if (response.status < 500) {
    for (const cacheName of await copyCaches()) {
      // Opening a cache that was just deleted would create it again.
      if (!(await caches.match(path, { ...ANY, cacheName }))) continue;
      await (await caches.open(cacheName)).delete(path, ANY);
    }
  }
}

/** Deletes all copies, or those of other accounts. */
async function forget(except?: string): Promise<void> {
  const others = (await copyCaches()).filter((name) => name !== COPIES + except);
  await Promise.all(others.map((name) => caches.delete(name)));
}

async function copyCaches(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(COPIES));
}

async function copyOf(path: string): Promise<Response | undefined> {
  const copy = await caches.match(path, ANY);
  const at = new Date(copy?.headers.get('date') ?? 0);
  if (!copy || Date.now() - at.getTime() > MAX_AGE_MS) return undefined;
  return new Response(withNotice(await copy.text(), at), { headers: copy.headers });
}

async function listCopies(): Promise<Response> {
  const page = await caches.match(OFFLINE_PAGE);
  if (!page) return Response.error();
  const copies = new Map<string, string>();
  for (const name of await copyCaches()) {
    for (const { url } of await (await caches.open(name)).keys()) {
      const path = new URL(url).pathname;
      const copy = await copyOf(path);
      if (copy) copies.set(path, await copy.text());
    }
  }
  return new Response(keptList(await page.text(), copies), { headers: page.headers });
}

/** Returns a stored script, style or font, or else fetches it. Stores those of briefs. */
async function openPart({ request, clientId }: FetchEvent): Promise<Response> {
  const kept = await caches.match(request, ANY);
  if (kept) return kept;
  const response = await fetch(request);
  const page = await self.clients.get(clientId);
  if (response.ok && page && new URL(page.url).pathname.startsWith('/read/')) {
    const cache = await caches.open(PARTS);
    await cache.put(request, response.clone());
    await trim(cache, MAX_PARTS);
  }
  return response;
}

/** Deletes the oldest copies, except the page that lists copies. */
async function trim(cache: Cache, size: number): Promise<void> {
  const keys = await cache.keys();
  const old = keys.filter(({ url }) => !url.endsWith(OFFLINE_PAGE)).slice(0, -size);
  await Promise.all(old.map((key) => cache.delete(key)));
}
