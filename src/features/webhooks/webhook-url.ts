import { isPublicAddress } from '../../base/net/public-address.ts';

/** The longest address, in UTF-16 code units. */
export const MAX_URL_LENGTH = 1_000;

/**
 * Checks a webhook's address without looking up its host. Unless private addresses are allowed, it
 * must be https on port 443.
 *
 * @returns the normalised address, or what is wrong with it
 */
export function parseWebhookUrl(
  text: string,
  privateAddresses: 'refuse' | 'allow',
): { url: string } | { problem: string } {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return { problem: 'must be an https address' };
  if (url.href.length > MAX_URL_LENGTH) {
    return { problem: `must be at most ${MAX_URL_LENGTH} characters long` };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not contain a user or password' };
  }
  if (url.hash !== '') return { problem: 'must not contain a fragment' };
  if (privateAddresses === 'refuse') {
    if (url.protocol !== 'https:' || url.port !== '') {
      return { problem: 'must be an https address without a port' };
    }
    if (isPrivateHost(url.hostname)) {
      return { problem: 'must not lead to a private network' };
    }
  }
  return { url: url.href };
}

/** Tells whether a host is an IP address that isn't public, or a name of this machine. */
function isPrivateHost(hostname: string): boolean {
  if (/(^|\.)localhost\.?$/.test(hostname)) return true;
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isLiteral = literal !== hostname || /^[\d.]+$/.test(literal);
  return isLiteral && !isPublicAddress(literal);
}
