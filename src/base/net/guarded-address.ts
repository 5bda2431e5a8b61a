import { isIP, type LookupFunction } from 'node:net';
import type { Resolve } from './name-lookups.ts';
import { isPublicAddress } from './public-address.ts';

/** A host has no address, or one that isn't public. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
}

/**
 * Returns the IP addresses to connect to for an untrusted URL.
 *
 * @param options.signal ends the lookup
 * @throws PrivateAddress if the host has no address, or one that isn't public unless those are
 *   allowed; the signal's reason when it aborts; errors of `resolve`
 */
export async function addressesOf(
  url: URL,
  {
    resolve,
    signal,
    privateAddresses,
  }: { resolve: Resolve; signal: AbortSignal; privateAddresses: 'refuse' | 'allow' },
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host, signal);
  const isAllowed = privateAddresses === 'allow' || addresses.every(isPublicAddress);
  if (addresses.length === 0 || !isAllowed) {
    throw new PrivateAddress('the host has no address, or one that is not public');
  }
  return addresses;
}

/** How to connect to addresses that were checked. */
export interface PinnedConnection {
  /** Always finds these addresses, so that a later DNS answer changes nothing. */
  lookup: LookupFunction;
  /** How long to try an address before the next one, in ms. Node's default is too short for some. */
  autoSelectFamilyAttemptTimeout: number;
}

/** Returns options of a connection that tries only these addresses, one after another. */
export function pinnedTo(addresses: readonly string[]): PinnedConnection {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first = { address: '', family: 0 }] = found;
  return {
    lookup: (_host, { all }, done) =>
      all ? done(null, found) : done(null, first.address, first.family),
    autoSelectFamilyAttemptTimeout: 1_000,
  };
}
