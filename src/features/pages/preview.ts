import { linkScript } from './page-links.ts';

/**
 * Returns the editor's preview document. It asks its parent page for the HTML and replaces itself
 * with that. The HTML keeps this document's headers, which are those of a page on this host, so the
 * preview looks like the saved page.
 *
 * @param webUrl the only parent to ask and accept HTML from
 */
export function previewDocument(webUrl: string): string {
  const editor = inScript(new URL(webUrl).origin);
  const links = inScript(linkScript(webUrl));
  return `<!doctype html>
<meta charset="utf-8">
<title>Preview</title>
<script>
(() => {
  const editor = ${editor};
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || origin !== editor || typeof data !== 'string') return;
    document.open();
    document.write(data + ${links});
    document.close();
  });
  parent.postMessage('preview-ready', editor);
})();
</script>
`;
}

/** Encodes a text as JavaScript that cannot close its script element. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}
