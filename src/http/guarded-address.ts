import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../authorization/public-address.ts';

/** Looks up a host's IP addresses. */
export type Resolve = (host: string) => Promise<string[]>;

export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** A host has no address, or one that isn't public. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

/**
 * Returns the IP address to connect to for an untrusted URL.
 *
 * @param options.signal ends the lookup
 * @throws PrivateAddress if the host has no address, or one that isn't public unless those are
 *   allowed; the signal's reason when it aborts; errors of `resolve`
 */
export async function addressOf(
  url: URL,
  {
    resolve,
    signal,
    privateAddresses,
  }: { resolve: Resolve; signal: AbortSignal; privateAddresses: 'refuse' | 'allow' },
): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await within(signal, resolve(host));
  const [first] = addresses;
  const isAllowed = privateAddresses === 'allow' || addresses.every(isPublicAddress);
  if (first === undefined || !isAllowed) {
    throw new PrivateAddress('the host has no address, or one that is not public');
  }
  return first;
}

/** Returns a lookup that always finds this address, so that a later DNS answer changes nothing. */
export function lookupOf(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, { all }, found) =>
    all ? found(null, [{ address, family }]) : found(null, address, family);
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
