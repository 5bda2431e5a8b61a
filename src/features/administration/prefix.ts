/** Returns the range of texts that begin with a prefix: from the first, to before the second. */
export function holdingPrefix(prefix: string): [from: string, to: string] {
  return [prefix, `${prefix}\u{10FFFF}`];
}

/** Normalises what to search for; `undefined` if there is nothing. */
export function readPrefix(text: string | undefined): string | undefined {
  const prefix = (text ?? '').replaceAll('\0', ' ').trim().toLowerCase().slice(0, 254);
  return prefix === '' ? undefined : prefix;
}

/** Returns the smallest id, a UUID of version 7, of something created at a time. */
export function firstIdAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
