/**
 * A script for the end of somebody's HTML in our frame. The frame may go nowhere and open nothing, so
 * the script hands each clicked link to another site to the page around it, which opens a new tab.
 * It lends the HTML nothing: what to open is decided out there (`web/client/frame-links.ts`).
 *
 * The page's own handlers come first: a click that they prevented is theirs.
 *
 * @param webUrl the only page that is told
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
