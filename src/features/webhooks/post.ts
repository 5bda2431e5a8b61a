import * as http from 'node:http';
import * as https from 'node:https';
import { addressesOf, PrivateAddress, pinnedTo } from '../../base/net/guarded-address.ts';
import type { Resolve } from '../../base/net/name-lookups.ts';
import type { Attempt } from './retry.ts';

/** For the whole attempt, including the DNS lookup. */
const TIMEOUT_MS = 15_000;

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Posts JSON to an untrusted address, once, without following redirects or reading the response's
 * body. Connects only to addresses that were checked.
 *
 * @param options.resolve looks up the host
 * @param options.signal aborts the attempt
 * @throws the signal's reason when it aborts
 */
export async function postOnce(
  { url, headers, body }: Post,
  options: { privateAddresses: 'refuse' | 'allow'; resolve: Resolve; signal: AbortSignal },
): Promise<Attempt> {
  const { privateAddresses, resolve } = options;
  const target = new URL(url);
  if (privateAddresses === 'refuse' && (target.protocol !== 'https:' || target.port !== '')) {
    return { fault: 'address' };
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    const addresses = await addressesOf(target, { resolve, signal, privateAddresses });
    return await post(target, addresses, { headers, body, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted || isTimeout(error)) return { fault: 'timeout' };
    return { fault: error instanceof PrivateAddress ? 'address' : 'connection' };
  }
}

/** Tells whether an error is the timeout of a lookup. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function post(
  url: URL,
  addresses: readonly string[],
  { headers, body, signal }: Omit<Post, 'url'> & { signal: AbortSignal },
): Promise<Attempt> {
  const { Agent, request } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: false, ...pinnedTo(addresses) });
  return new Promise((settle, fail) => {
    const bytes = Buffer.from(body);
    const sent = request(url, {
      agent,
      signal,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': 'Briefs-Webhooks',
        ...headers,
      },
    });
    sent.on('error', fail);
    // The connection closed without a response, for example after 101.
    sent.on('close', () => fail(new Error('there was no response')));
    sent.on('response', ({ statusCode = 0, headers: received }) => {
      settle({ code: statusCode, retryAfter: received['retry-after'] });
      sent.destroy();
    });
    sent.end(bytes);
  });
}
