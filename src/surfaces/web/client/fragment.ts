/** The prefix of all ids in a document, so that they can't collide with the page's ids. */
const PREFIX = 'user-content-';

/** Makes handwritten fragments such as `#my-heading` work without the prefix. */
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
