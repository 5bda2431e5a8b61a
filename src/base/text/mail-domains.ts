import { domainToASCII } from 'node:url';

const DOMAIN =
  /^(\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Parses a list of domains of email addresses: `example.com,*.example.org`. A star stands for one or
 * more labels, not for none.
 *
 * @throws Error
 */
export function readMailDomains(text: string): string[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const typed = part.trim().replace(/^@/, '');
    const star = typed.startsWith('*.') ? '*.' : '';
    const domain = star + domainToASCII(typed.slice(star.length));
    if (!DOMAIN.test(domain)) {
      throw new Error('must list domains of email addresses (example.com,*.example.org)');
    }
    return domain;
  });
}

/** Tells whether the domain of a parsed email address is in a list. */
export function isOfDomains(address: string, domains: readonly string[]): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  return domains.some((one) =>
    one.startsWith('*.') ? domain.endsWith(one.slice(1)) : domain === one,
  );
}
