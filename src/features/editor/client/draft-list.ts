// Loaded on demand by `app.ts`.

import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { discardDraft, listDrafts, type StoredDraft } from './drafts.ts';
import { dayOf } from './restore.ts';

const list = document.querySelector('#drafts') as HTMLUListElement;

void show();
// Drafts change in other tabs.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void show();
});

async function show(): Promise<void> {
  try {
    const drafts = await listDrafts(list.dataset.account ?? '');
    list.replaceChildren(...drafts.map(rowOf));
    (document.querySelector('#no-drafts') as HTMLElement).hidden = drafts.length > 0;
  } catch {
    const fault = document.querySelector('#drafts-fault') as HTMLElement;
    fault.textContent = 'This browser blocks storage, so the editor can’t keep drafts.';
  }
}

function rowOf(stored: StoredDraft): Node {
  const { key, draft, kind, path, isOpen } = stored;
  const template = document.querySelector(`#draft-${kind}`) as HTMLTemplateElement;
  const row = template.content.cloneNode(true) as DocumentFragment;
  const part = <Found extends Element>(selector: string) => row.querySelector(selector) as Found;
  const title = titleOf(stored);
  part('.item-title').textContent = title;
  part('.item-address').textContent = isOpen
    ? `${placeOf(stored)}, open in a tab`
    : placeOf(stored);
  const time = part<HTMLTimeElement>('time');
  time.dateTime = new Date(draft.at).toISOString();
  time.textContent = dayOf(draft);
  const [go, discard] = [
    part<HTMLAnchorElement>('[data-act="continue"]'),
    part<HTMLButtonElement>('[data-act="discard"]'),
  ];
  go.ariaLabel = `Continue ${title}`;
  discard.ariaLabel = `Discard ${title}`;
  if (path === undefined || isOpen) {
    go.remove();
    part('.item-title').removeAttribute('href');
  } else {
    go.href = `${path}#${new URLSearchParams({ draft: key })}`;
    part<HTMLAnchorElement>('.item-title').href = go.href;
  }
  if (isOpen) discard.remove();
  discard.addEventListener('click', () => void ask(discard, key, title));
  return row;
}

/** Deletes a draft at the second click, because nothing else has its text. */
async function ask(button: HTMLButtonElement, key: string, title: string): Promise<void> {
  if (button.dataset.isAsked === undefined) {
    button.dataset.isAsked = '';
    button.textContent = 'Discard for good';
    button.ariaLabel = `Discard ${title} for good`;
    return;
  }
  const isDiscarded = await discardDraft(key).catch(() => false);
  showToast(isDiscarded ? 'Draft discarded.' : 'This draft is open in another tab.', {
    isFault: !isDiscarded,
  });
  await show();
}

/** Returns a brief's first heading or a page's title, or else the draft's name. */
function titleOf({ draft, kind }: StoredDraft): string {
  const heading =
    kind === 'brief'
      ? /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/m.exec(draft.content)?.[1]
      : new DOMParser().parseFromString(draft.content, 'text/html').title;
  return heading?.trim() || draft.name || `Untitled ${kind}`;
}

/** Returns `owner/name`, or what the draft will become; for an older draft, the name alone. */
function placeOf({ draft, kind, path }: StoredDraft): string {
  if (path?.startsWith('/edit/')) {
    const [owner, ...rest] = path.slice('/edit/'.length).split('/').map(decodeURIComponent);
    return `${owner}/${rest.at(-1)}`;
  }
  if (path === undefined) return draft.baseName;
  return draft.owner ? `New ${kind} of ${draft.owner}` : `New ${kind}`;
}
