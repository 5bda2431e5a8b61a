/** Marks links whose text is their address, so that printing does not write the address twice. */
export function markBareLinks(): void {
  addEventListener('beforeprint', () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.prose a[href]')) {
      link.toggleAttribute('data-bare', isAddress(link.textContent ?? '', link));
    }
  });
}

/** `example.com/a` for `https://example.com/a`, `me@example.com` for a mail address. */
function isAddress(text: string, { href }: HTMLAnchorElement): boolean {
  const bare = (address: string) =>
    address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  return bare(text.trim()) === bare(href);
}
