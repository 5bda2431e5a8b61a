/** Marks links whose text is their address, so that they print only once. */
export function markBareLinks(): void {
  addEventListener('beforeprint', () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.prose a[href]')) {
      link.toggleAttribute('data-bare', isAddress(link.textContent ?? '', link));
    }
  });
}

/** Returns `example.com/a` for `https://example.com/a`, and `me@example.com` for a mailto address. */
function isAddress(text: string, { href }: HTMLAnchorElement): boolean {
  const bare = (address: string) =>
    address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  return bare(text.trim()) === bare(href);
}
