import ipaddr from 'ipaddr.js';

/** Ranges in which there are machines that the whole Internet may talk to. */
const PUBLIC_RANGE = 'unicast';

/** All of IPv6 that is given out for such machines (RFC 4291, section 2.4; IANA's registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Blocks within it that carry an IPv4 address or are otherwise not what they seem. */
const NOT_PUBLIC = ['2002::/16', '2001::/23', '3fff::/20'].map((block) =>
  ipaddr.IPv6.parseCIDR(block),
);

/**
 * Whether an IP address is one that anybody on the Internet may talk to: not this machine, its
 * network, a cloud's metadata service, a multicast group or a block kept for other ends.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== PUBLIC_RANGE) return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  return parsed.match(GLOBAL_UNICAST) && !NOT_PUBLIC.some((block) => parsed.match(block));
}
