/** What is shown beside each other, or one at a time. */
type Shown = 'write' | 'both' | 'view';

/** From this width in pixels on, text and view fit beside each other. */
const WIDE = matchMedia('(width >= 56rem)');

/** Makes the switch above the text choose what is shown; wide screens begin with both. */
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
