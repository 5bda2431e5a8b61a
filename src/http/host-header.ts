/** Whether some `Host` header names both. */
export function shareHost(one: URL, other: URL): boolean {
  const spellings = spellingsOf(other);
  return spellingsOf(one).some((host) => spellings.includes(host));
}

/** The `Host` headers, in lower case, that name an address: a default port may be spelt out. */
export function spellingsOf({ host, port, protocol }: URL): string[] {
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}
