import { linkScript } from './page-links.ts';

/**
 * The document that the editor shows somebody's HTML in before it is saved. It asks the page around
 * it for the HTML and becomes that: with the headers of any page of this host, which stay in force,
 * what one sees is what will be served.
 *
 * @param webUrl the one page that is asked, and listened to
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

/** A text as JavaScript in a script element, which it cannot end. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c');
}
