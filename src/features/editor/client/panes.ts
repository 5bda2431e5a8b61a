/** The panes to show: one of them, or both side by side. */
type Shown = 'write' | 'both' | 'view';

/** Matches if the window is wide enough to show text and preview side by side. */
const WIDE = matchMedia('(width >= 56rem)');

/** Makes the view switch work. Wide screens start with both panes. */
export function connectPanes(form: HTMLFormElement): void {
  const panes = form.querySelector<HTMLElement>('.panes');
  const buttons = [...form.querySelectorAll<HTMLButtonElement>('[data-pane]')];
  if (!panes) return;
  const show = (shown: Shown) => {
    panes.dataset.shows = shown;
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.pane === shown));
    }
    panes.dispatchEvent(new CustomEvent('paneschanged'));
  };
  for (const button of buttons) {
    button.addEventListener('click', () => show(button.dataset.pane as Shown));
  }
  const fit = () => {
    if (WIDE.matches) show('both');
    else if (panes.dataset.shows === 'both') show('write');
    else show(panes.dataset.shows as Shown);
  };
  WIDE.addEventListener('change', fit);
  fit();
}
