import ipaddr from 'ipaddr.js';

/** Ranges in which there are machines that the whole Internet may talk to. */
const PUBLIC_RANGE = 'unicast';

/** Blocks of IPv6 that carry an IPv4 address or are otherwise not what they seem. */
const NOT_PUBLIC = [
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/23',
  '100::/64',
  '3fff::/20',
].map((block) => ipaddr.IPv6.parseCIDR(block));

/**
 * Whether an IP address is one that anybody on the Internet may talk to: not this machine, its
 * network, a cloud's metadata service, a multicast group or a block kept for other ends.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== PUBLIC_RANGE) return false;
  return !(parsed instanceof ipaddr.IPv6) || !NOT_PUBLIC.some((block) => parsed.match(block));
}
