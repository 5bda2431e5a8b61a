/** Marks links whose text is their address, so that they print only once. */
export function markBareLinks(): void {
  addEventListener('beforeprint', () => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.prose a[href]')) {
      link.toggleAttribute('data-bare', isAddress(link.textContent ?? '', link));
    }
  });
}

/** Tells whether a link's text is its address, with or without the scheme and a last slash. */
function isAddress(text: string, { href }: HTMLAnchorElement): boolean {
  const bare = (address: string) =>
    address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
  return bare(text.trim()) === bare(href);
}
