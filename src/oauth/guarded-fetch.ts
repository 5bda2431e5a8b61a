import { lookup } from 'node:dns/promises';
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress } from '../authorization/public-address.ts';

/** How long a document may take, from the look-up of its host to its last byte. */
const TIMEOUT_MS = 3_000;

const MAX_BYTES = 5 * 1024;

/** The addresses of a host. */
export type Resolve = (host: string) => Promise<string[]>;

const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Fetches a document that somebody we do not know has named, over https on its usual port. No
 * request leaves for a host with any address that is not public; the connection goes to the address
 * that was looked at, whatever the name resolves to by then. Redirects are not followed.
 *
 * @throws Error when the address is refused, there is no answer in time, or it is too long
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

/** Waits for work that takes no signal. @throws the signal's reason, once it says so */
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
    throw new Error('only https on its usual port is fetched');
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
  // Named, the host is still what the certificate has to be for.
  const agent = new Agent({
    keepAlive: false,
    lookup: (_host, { all }, found) =>
      all ? found(null, [{ address: pinned, family }]) : found(null, pinned, family),
  });
  return new Promise((settle, fail) => {
    const sent = request(url, { agent, signal, headers: { accept: 'application/json' } });
    sent.on('error', fail);
    // Such as after 101, which is no response to it; too late to matter after any other.
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
        // What is no success is of no interest but for that.
        const body = status === 200 ? Buffer.concat(chunks) : null;
        settle(new Response(body, { status: status === 200 ? 200 : 502, headers }));
      });
    });
    sent.end();
  });
}
