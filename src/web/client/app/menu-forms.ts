/**
 * Sends a form with `data-submits-itself` as soon as something is chosen in it with a pointer. With the
 * keyboard every arrow key chooses, which would be too soon: then its button shows instead.
 */
export function connectMenuForms(): void {
  let byKeyboard = false;
  document.addEventListener('keydown', () => {
    byKeyboard = true;
  });
  document.addEventListener('pointerdown', () => {
    byKeyboard = false;
  });
  document.addEventListener('change', (event) => {
    const form = (event.target as Element).closest<HTMLFormElement>('form[data-submits-itself]');
    if (!form) return;
    if (byKeyboard) form.dataset.chosen = '';
    else form.requestSubmit();
  });
  // In a dialog that is filled anew, the button is hidden again and cannot keep the focus.
  let sent = '';
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    sent = form.matches('[data-submits-itself]')
      ? (form.querySelector('select')?.ariaLabel ?? '')
      : '';
  });
  document.addEventListener('contentadded', ({ target }) => {
    if (sent === '') return;
    const dialog = target as Element;
    dialog.querySelector<HTMLElement>(`select[aria-label="${CSS.escape(sent)}"]`)?.focus();
    sent = '';
  });
}
