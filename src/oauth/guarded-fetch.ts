import { lookup } from 'node:dns/promises';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress } from '../authorization/public-address.ts';

/** For a whole document, including the DNS lookup. */
const TIMEOUT_MS = 3_000;

const MAX_BYTES = 5 * 1024;

/** Looks up a host's IP addresses. */
export type Resolve = (host: string) => Promise<string[]>;

const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Fetches a document from an untrusted address, over https on port 443. Refuses hosts with any
 * address that is not public, and connects to the checked address even if the DNS answer changes.
 * Does not follow redirects.
 *
 * @throws Error if the address is refused, the document is too long, or there is no response in
 *   time
 */
export async function fetchGuarded(
  address: string | URL | Request,
  resolve: Resolve = resolveHost,
): Promise<Response> {
  const url = new URL(address instanceof Request ? address.url : address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const pinned = await publicAddressOf(url, (host) => within(signal, resolve(host)));
  return get(url, pinned, signal);
}

/** Adds a signal to work that takes none. @throws the signal's reason when it aborts */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(signal.reason);
  signal.addEventListener('abort', giveUp);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** @throws Error unless all of a host's addresses are public */
async function publicAddressOf(url: URL, resolve: Resolve): Promise<string> {
  if (url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    throw new Error('only https on port 443 is allowed');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host);
  const [first] = addresses;
  if (first === undefined || !addresses.every(isPublicAddress)) {
    throw new Error('the host has no address, or one that is not public');
  }
  return first;
}

function get(url: URL, pinned: string, signal: AbortSignal): Promise<Response> {
  const family = isIP(pinned);
  // The URL keeps the host name, so the certificate is checked against it.
  const agent = new Agent({
    keepAlive: false,
    lookup: (_host, { all }, found) =>
      all ? found(null, [{ address: pinned, family }]) : found(null, pinned, family),
  });
  return new Promise((settle, fail) => {
    const sent = request(url, { agent, signal, headers: { accept: 'application/json' } });
    sent.on('error', fail);
    // For example after 101. Has no effect after a response.
    sent.on('close', () => fail(new Error('there is no answer')));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let received = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        received += chunk.length;
        if (received > MAX_BYTES) sent.destroy(new Error('the document is too long'));
      });
      response.on('end', () => {
        const headers = new Headers();
        for (const name of ['cache-control', 'expires', 'content-type']) {
          const value = response.headers[name];
          if (typeof value === 'string') headers.set(name, value);
        }
        const status = response.statusCode ?? 0;
        // Only successful responses have a body.
        const body = status === 200 ? Buffer.concat(chunks) : null;
        settle(new Response(body, { status: status === 200 ? 200 : 502, headers }));
      });
    });
    sent.end();
  });
}
