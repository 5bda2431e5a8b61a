import { connectDialogs } from './dialog.ts';
import { connectShortcuts } from './page-shortcuts.ts';
import { connectRows } from './rows.ts';
import { connectSelfSubmittingForms } from './self-submitting-forms.ts';
import { adoptToasts, takeCarriedToasts } from './toast.ts';
import { connectUsernameFields } from './username-field.ts';

// Each of these finds its own elements and does nothing on a page without them.
adoptToasts();
takeCarriedToasts();
connectDialogs();
connectMenus();
connectRows();
connectShortcuts();
forgetForm();
connectSelfSubmittingForms();
connectUsernameFields();
sayClock();
startWorker();
// On phones, the tabs are in one line, which scrolls.
document
  .querySelector('.tabs [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

const connectFields = () => void import('../fields.ts');
// For forms of dialogs and beside documents once somebody uses them.
if (document.querySelector('.sheet form')) connectFields();
else document.addEventListener('focusin', connectFields, { once: true });

/** Says how the user's clock differs from UTC in forms that need to know. */
function sayClock(): void {
  const say = ({ target }: Event) => {
    const field = (target as HTMLFormElement).elements.namedItem('offset');
    if (field instanceof HTMLInputElement) field.value = String(new Date().getTimezoneOffset());
  };
  document.addEventListener('submit', say, true);
}

/** Starts the service worker, which says without a network what is kept. */
function startWorker(): void {
  if (!('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    // Private windows and full disks refuse it. The app works without it.
    navigator.serviceWorker
      .register('/service-worker.js', { updateViaCache: 'none' })
      .catch(() => {});
  });
}

/** Closes open menus on Escape, on a click outside, and after a choice. */
function connectMenus(): void {
  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    for (const menu of openMenus()) {
      const isChosen = menu.contains(target) && target.closest('a.menu-item') !== null;
      if (menu.contains(target) && !isChosen) continue;
      menu.open = false;
      // Focuses the summary, because a dialog can't return the focus to a link in a closed menu.
      if (isChosen) menu.querySelector('summary')?.focus();
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}

function openMenus(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]')];
}

/**
 * Makes a reload of a page that shows a secret once fetch the page again, instead of submitting the
 * form a second time.
 */
function forgetForm(): void {
  if (document.querySelector('[data-shown-once]')) history.replaceState(null, '', location.href);
}
