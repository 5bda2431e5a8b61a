import ipaddr from 'ipaddr.js';

/** The library's name for the range of public addresses. */
const PUBLIC_RANGE = 'unicast';

/** The IPv6 block that is assigned for public use (RFC 4291, section 2.4; IANA's registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Blocks within it that embed IPv4 addresses or have special uses. */
const NOT_PUBLIC = ['2002::/16', '2001::/23', '3fff::/20'].map((block) =>
  ipaddr.IPv6.parseCIDR(block),
);

/**
 * Tells whether an IP address is public: not this machine, its network, a cloud's metadata service,
 * a multicast group or a reserved block.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== PUBLIC_RANGE) return false;
  if (!(parsed instanceof ipaddr.IPv6)) return true;
  return parsed.match(GLOBAL_UNICAST) && !NOT_PUBLIC.some((block) => parsed.match(block));
}
