import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { markChanges } from './rendered-changes.ts';

const proseOf = (page: ParentNode) => page.querySelector('.reading .prose');

async function load(path: string): Promise<Document> {
  const response = await fetch(path, { headers: { accept: 'text/html' } });
  if (!response.ok) throw new Error(`${response.status}`);
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

// Changes of a text that is no longer the latest would mislead (`live/client/update-page.ts`).
document.addEventListener('newerpage', hideChanges);

/** The blocks that stand in place of others, while changes are shown. */
let shown: { marked: Element; original: Element }[] = [];
let at = -1;

/**
 * Shows in the document what has changed since another revision.
 *
 * @param path of the other revision's page
 * @param source the page that compares the sources
 */
export async function showChanges(path: string, source: string): Promise<void> {
  hideChanges();
  const [here, before, now] = [proseOf(document), await load(path), await load(location.href)].map(
    (page) => (page instanceof Document ? proseOf(page) : page),
  );
  // Somebody has changed the text since this page was loaded, or nothing is left of it to mark.
  const isSame = here?.children.length === now?.children.length;
  if (!here || !before || !now || !isSame || here.children.length === 0) {
    location.assign(source);
    return;
  }
  const blocks = [...now.children];
  const touched = markChanges(before, now);
  for (const [index, marked] of blocks.entries()) {
    const original = here.children[index];
    if (!touched.has(marked) || !original) continue;
    original.replaceWith(document.adoptNode(marked));
    shown.push({ marked, original });
    marked.classList.add('shown-change');
    marked.dispatchEvent(new Event('contentadded', { bubbles: true }));
  }
  if (shown.length === 0) {
    showToast('Nothing that is shown has changed.');
    return;
  }
  const bar = createBar(source);
  const above = document.querySelector('#review-bar');
  if (above) above.append(bar);
  else document.querySelector('main')?.prepend(bar);
  refreshComments();
  go(0);
}

export function hideChanges(): void {
  for (const { marked, original } of shown) marked.replaceWith(original);
  if (shown.length > 0) refreshComments();
  [shown, at] = [[], -1];
  document.querySelector('.changes-bar')?.remove();
}

function refreshComments(): void {
  const comments = document.querySelector('#comments');
  comments?.dispatchEvent(new Event('contentadded', { bubbles: true }));
}

function go(to: number): void {
  const connected = shown.filter(({ marked }) => marked.isConnected);
  if (connected.length === 0) {
    hideChanges();
    return;
  }
  at = (to + connected.length) % connected.length;
  const { marked } = connected[at] as (typeof connected)[number];
  for (const each of shown) each.marked.classList.toggle('active-change', each.marked === marked);
  marked.scrollIntoView({ block: 'center', behavior: 'instant' });
  const count = document.querySelector('.changes-bar output');
  if (count) count.textContent = `${at + 1} of ${connected.length}`;
}

function createBar(source: string): HTMLElement {
  const bar = document.createElement('div');
  bar.className = 'changes-bar';
  bar.setAttribute('role', 'toolbar');
  bar.setAttribute('aria-label', 'Changes');
  const link = document.createElement('a');
  link.href = source;
  link.textContent = 'Source';
  link.className = 'quiet small';
  const count = document.createElement('output');
  bar.append(
    count,
    button('‹', { name: 'Previous change', shortcut: '[' }, () => go(at - 1)),
    button('›', { name: 'Next change', shortcut: ']' }, () => go(at + 1)),
    link,
    button('Hide changes', undefined, hideChanges),
  );
  return bar;
}

function button(
  label: string,
  named: { name: string; shortcut: string } | undefined,
  press: () => void,
): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'quiet small';
  made.textContent = label;
  if (named) {
    made.setAttribute('aria-label', named.name);
    made.title = `${named.name} (${named.shortcut})`;
    made.dataset.shortcut = named.shortcut;
  }
  made.addEventListener('click', press);
  return made;
}
