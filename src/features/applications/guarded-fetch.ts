import { Agent, request } from 'node:https';
import { addressesOf, pinnedTo } from '../../base/net/guarded-address.ts';
import type { Resolve } from '../../base/net/name-lookups.ts';

/** For a whole document, including the DNS lookup. */
const TIMEOUT_MS = 3_000;

const MAX_BYTES = 5 * 1024;

/**
 * Fetches a document from an untrusted address, over https on port 443. Refuses hosts with any
 * address that is not public, and connects to a checked address even if the DNS answer changes.
 * Does not follow redirects.
 *
 * @throws Error if the address is refused, the document is too long, or there is no response in
 *   time
 */
export async function fetchGuarded(
  address: string | URL | Request,
  resolve: Resolve,
): Promise<Response> {
  const url = new URL(address instanceof Request ? address.url : address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    throw new Error('only https on port 443, without user or password, is allowed');
  }
  const addresses = await addressesOf(url, { resolve, signal, privateAddresses: 'refuse' });
  return get(url, addresses, signal);
}

function get(url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Response> {
  // The URL keeps the host name, so the certificate is checked against it.
  const agent = new Agent({ keepAlive: false, ...pinnedTo(addresses) });
  return new Promise((settle, fail) => {
    const sent = request(url, { agent, signal, headers: { accept: 'application/json' } });
    sent.on('error', fail);
    // The connection closed without a response, for example after 101.
    sent.on('close', () => fail(new Error('there was no response')));
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
        // Other statuses are reported as 502, without their body.
        const body = status === 200 ? Buffer.concat(chunks) : null;
        settle(new Response(body, { status: status === 200 ? 200 : 502, headers }));
      });
    });
    sent.end();
  });
}
