/** What the renderer puts before every id in a document, so that none can take one of the page's. */
const PREFIX = 'user-content-';

/** Lets `…#my-heading`, written by hand after an address, lead to the heading it means. */
export function followFragments(): void {
  follow();
  addEventListener('hashchange', follow);
}

function follow(): void {
  const id = decodeFragment(location.hash.slice(1));
  if (id === '' || document.getElementById(id)) return;
  const target = document.getElementById(PREFIX + id);
  if (target) location.replace(`#${target.id}`);
}

function decodeFragment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
