import { parseEmailAddress } from '../../base/text/email-address.ts';
import { isLoopback } from './addresses.ts';
import type { MailServer } from './config.ts';

const DEFAULT_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 };

/** Parses `smtp://user:password@host:587` or `smtps://…:465`. */
export function readSmtpUrl(text: string): Omit<MailServer, 'from'> {
  const url = URL.parse(text);
  const defaultPort = DEFAULT_PORTS[url?.protocol ?? ''];
  if (!url || defaultPort === undefined || !url.hostname) {
    throw new Error('must be smtp://user:password@host:port or smtps://…');
  }
  if (!/^\/?$/.test(url.pathname) || url.search || url.hash) {
    throw new Error('must end after the port');
  }
  const [user, password] = [url.username, url.password].map(decodeURIComponent) as [string, string];
  const login = user === '' ? undefined : { user, password };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port) || defaultPort,
    secure: url.protocol === 'smtps:',
    requireTls: login !== undefined && !isLoopback(host),
    login,
  };
}

/** Parses `briefs@example.com` or `Briefs <briefs@example.com>`. */
export function readMailFrom(text: string): { name: string; address: string } {
  const [, quoted, plain = '', typed = ''] = /^(?:(?:"([^"\\]*)"|([^<>"]*?))\s*<([^<>]*)>)$/.exec(
    text,
  ) ?? [text, undefined, '', text];
  const name = quoted ?? plain;
  const address = parseEmailAddress(typed);
  if (address === undefined || /\p{Cc}/u.test(name)) {
    throw new Error('must be an address, such as Briefs <briefs@example.com>');
  }
  return { name: name || 'Briefs', address };
}
