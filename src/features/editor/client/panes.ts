/**
 * What to show: the text as it will be read, its source, the source beside the preview, or the preview. Pages
 * have no source of their own: there, “write” is the source.
 */
type Shown = 'write' | 'source' | 'both' | 'view';

/** Matches if the window is wide enough to show text and preview side by side. */
const WIDE = matchMedia('(width >= 56rem)');

/** The keys, with Ctrl, Alt and Shift, that switch to a view and back. */
const KEYS: Record<string, Shown> = { s: 'source', d: 'both' };

/** Makes the view switch work, with the view that was chosen last in this browser for this kind. */
export function connectPanes(form: HTMLFormElement, kind: 'brief' | 'page'): void {
  const panes = form.querySelector<HTMLElement>('.panes');
  const buttons = [...form.querySelectorAll<HTMLButtonElement>('[data-pane]')];
  if (!panes) return;
  const key = `editor-view-${kind}`;
  let chosen = remembered(key, buttons) ?? (kind === 'page' ? 'both' : 'write');
  const show = () => {
    const shown = chosen === 'both' && !WIDE.matches ? narrow(kind) : chosen;
    panes.dataset.shows = shown;
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.pane === shown));
    }
    panes.dispatchEvent(new CustomEvent('paneschanged'));
  };
  const choose = (shown: Shown) => {
    chosen = shown;
    try {
      localStorage.setItem(key, shown);
    } catch {
      // Without storage, the next visit begins as the first.
    }
    show();
  };
  for (const button of buttons) {
    button.addEventListener('click', () => choose(button.dataset.pane as Shown));
  }
  document.addEventListener('keydown', (event) => {
    const isOurs = (event.ctrlKey || event.metaKey) && event.altKey && event.shiftKey;
    // With Alt, some systems type another character than the key's.
    const letter = /^[a-z]$/i.test(event.key) ? event.key : event.code.replace('Key', '');
    const shown = KEYS[letter.toLowerCase()];
    const isOffered = buttons.some(({ dataset }) => dataset.pane === shown);
    if (!isOurs || !shown || !isOffered || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    choose(panes.dataset.shows === shown ? 'write' : shown);
  });
  WIDE.addEventListener('change', show);
  show();
}

function narrow(kind: 'brief' | 'page'): Shown {
  return kind === 'page' ? 'write' : 'source';
}

function remembered(key: string, buttons: readonly HTMLButtonElement[]): Shown | undefined {
  try {
    const shown = localStorage.getItem(key);
    return buttons.find(({ dataset }) => dataset.pane === shown)?.dataset.pane as Shown | undefined;
  } catch {
    return undefined;
  }
}
