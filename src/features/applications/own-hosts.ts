/**
 * Returns a function that tells whether an http or https address is on one of these hosts, in any
 * spelling. Anyone can publish there, so these hosts must not vouch for an application or receive
 * its codes.
 */
export function ownHosts(addresses: string[]): (address: string) => boolean {
  const own = addresses.map(hostAndPort);
  return (address) => {
    const host = hostAndPort(address);
    return host !== undefined && own.includes(host);
  };
}

/** This machine's names and addresses, as the URL parser normalises them. */
const THIS_MACHINE =
  /^((.*\.)?localhost\.?|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[\da-f]{2}:[\da-f]+|0:0)\])$/;

/** Returns host and port; `undefined` for an address that is neither http nor https. */
function hostAndPort(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const host = THIS_MACHINE.test(url.hostname) ? 'localhost' : url.hostname.replace(/\.$/, '');
  return `${host}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}
