/** A beginning of addresses that the service had, and the one it has now, without a last slash. */
export interface FormerAddress {
  from: string;
  to: string;
}

/** Returns where an address leads now, if it is one that the service had. */
export function presentAddress(address: string, formers: readonly FormerAddress[] = []): string {
  const trimmed = address.trim();
  const former = formers.find(({ from }) => trimmed === from || trimmed.startsWith(`${from}/`));
  return former ? former.to + trimmed.slice(former.from.length) : address;
}
