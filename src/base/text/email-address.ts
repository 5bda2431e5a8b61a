import { domainToASCII } from 'node:url';

/** The longest address that mail servers must accept (RFC 5321, section 4.5.3.1.3, without `<>`). */
const MAX_LENGTH = 254;
const MAX_LOCAL_LENGTH = 64;

/** Dot-atoms of `atext` (RFC 5322, section 3.2.3). */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** What a typed domain can contain, before `domainToASCII` reads it as part of a URL. */
const TYPED_DOMAIN = /^(?:[A-Za-z0-9.-]|[^\p{ASCII}])+$/u;

/** At least two labels of letters, digits and hyphens. The last isn't a number, as in IPv4. */
const DOMAIN =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Parses an email address: the only grammar for addresses that come in and that mail is sent to.
 * The part before the `@` is ASCII without quotes or comments, because mail to others needs a
 * server with SMTPUTF8. The domain has at least one dot, and isn't an IP address.
 *
 * @returns the address with its domain in lower case and ASCII (`xn--…`); `undefined` for anything
 *   else, including white space around it
 */
export function parseEmailAddress(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const at = text.indexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const typed = text.slice(at + 1);
  if (local.length > MAX_LOCAL_LENGTH || !LOCAL_PART.test(local)) return undefined;
  if (!TYPED_DOMAIN.test(typed)) return undefined;
  const domain = domainToASCII(typed);
  if (!DOMAIN.test(domain)) return undefined;
  const address = `${local}@${domain}`;
  return address.length > MAX_LENGTH ? undefined : address;
}

/**
 * Returns what identifies an address: the parsed address, ignoring case. All spellings of one
 * address have the same key. Addresses that were stored before the grammar existed, and that it
 * refuses, are compared as texts.
 */
export function emailKey(text: string): string {
  return (parseEmailAddress(text) ?? text).toLowerCase();
}
