import { fetchUpdate } from '../../../surfaces/web/client/app/dialog.ts';
import type { Parts } from './settings.ts';

/**
 * On phones, the name and who can read the document are folded into one line, which says both and opens
 * them. The menu closes after what was chosen in it.
 */
export function connectFold({ form, name, visibility, owner }: Parts): void {
  const button = form.querySelector<HTMLButtonElement>('#editor-fold');
  const bar = button?.closest<HTMLElement>('.editor-bar');
  if (!button || !bar) return;
  const [title, seen] = button.querySelectorAll('span');
  const tell = () => {
    if (title) title.textContent = name.value.trim() || 'No name yet';
    const chosen = visibility?.selectedOptions[0]?.textContent;
    const words = chosen ?? bar.querySelector('.visibility-note')?.textContent ?? '';
    if (seen) seen.textContent = words.replace(/:.*/s, '');
  };
  for (const field of [name, visibility, owner]) field?.addEventListener('input', tell);
  owner?.addEventListener('change', tell);
  visibility?.addEventListener('change', tell);
  form.addEventListener('detailschanged', tell);
  button.addEventListener('click', () => {
    const isOpen = bar.toggleAttribute('data-open');
    button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) name.focus();
  });
  tell();
  form.addEventListener('click', ({ target }) => {
    const item = (target as Element).closest('#name-version, .menu-item[data-mode]');
    item?.closest('details')?.removeAttribute('open');
  });
}

/** Fetches what else one can do with the document: a new one has just been saved, or a dialog has changed it. */
export async function refreshActs(form: HTMLFormElement): Promise<void> {
  const here = form.querySelector('#editor-acts');
  if (!here) return;
  try {
    const response = await fetchUpdate();
    if (!response.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.querySelector('#editor-acts');
    if (!fresh || here.contains(document.activeElement)) return;
    here.replaceWith(document.adoptNode(fresh));
    fresh.dispatchEvent(new Event('contentadded', { bubbles: true }));
  } catch {
    // The next dialog, or the next visit, shows it.
  }
}
