/** Tells whether one `Host` header can name both. */
export function shareHost(one: URL, other: URL): boolean {
  const spellings = spellingsOf(other);
  return spellingsOf(one).some((host) => spellings.includes(host));
}

/** Returns the `Host` headers that name an address, in lower case: a default port is optional. */
export function spellingsOf({ host, port, protocol }: URL): string[] {
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}
