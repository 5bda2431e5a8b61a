import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { type ChangeSteps, createChangeSteps } from './change-steps.ts';
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
let steps: ChangeSteps | undefined;

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
  // Somebody has changed the text since this page was loaded or types, or nothing is left to mark.
  const isTyped = document.querySelector('#live[data-typed]') !== null;
  const isSame = here?.children.length === now?.children.length && !isTyped;
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
  steps = createChangeSteps(
    () => shown.flatMap(({ marked }) => (marked.isConnected ? [marked] : [])),
    { source, hide: hideChanges },
  );
  const { bar } = steps;
  const above = document.querySelector('#review-bar');
  if (above) above.append(bar);
  else document.querySelector('main')?.prepend(bar);
  const article = document.querySelector<HTMLElement>('.reading .prose');
  if (article) article.dataset.changesSince = /@(\d+)$/.exec(path)?.[1] ?? '';
  refreshComments();
  steps.go(0);
}

export function hideChanges(): void {
  for (const { marked, original } of shown) marked.replaceWith(original);
  if (shown.length > 0) refreshComments();
  delete document.querySelector<HTMLElement>('.reading .prose')?.dataset.changesSince;
  steps?.bar.remove();
  [shown, steps] = [[], undefined];
}

function refreshComments(): void {
  const comments = document.querySelector('#comments');
  comments?.dispatchEvent(new Event('contentadded', { bubbles: true }));
}
