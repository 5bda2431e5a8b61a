/**
 * Returns a script to append to a user's HTML in our frame. The frame can't navigate or open
 * windows. So when a link to another address is clicked, the script sends the address to the parent
 * page, which opens a new tab. The parent decides what to open (`surfaces/web/client/page.ts`), so
 * the HTML gains no rights.
 *
 * Clicks that the page itself handles (`preventDefault`) are ignored.
 *
 * @param webUrl the only parent that gets the message
 */
export function linkScript(webUrl: string): string {
  const web = JSON.stringify(new URL(webUrl).origin).replaceAll('<', '\\u003c');
  return `
<script>
(() => {
  if (parent === window) return;
  const withoutFragment = (url) => url.split('#')[0];
  addEventListener('click', (event) => {
    if (event.defaultPrevented) return;
    const link = event.composedPath().find((node) => node.matches?.('a, area') && node.href);
    if (!link || link.hasAttribute('download')) return;
    const url = URL.parse(link.href.baseVal ?? link.href, document.baseURI);
    if (!url || !/^https?:$/.test(url.protocol)) return;
    if (withoutFragment(url.href) === withoutFragment(location.href)) return;
    event.preventDefault();
    parent.postMessage({ openLink: url.href }, ${web});
  });
})();
</script>
`;
}
