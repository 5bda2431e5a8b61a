/**
 * Submits a form with `data-submits-itself` when the user chooses with a pointer. With the keyboard,
 * every arrow key changes the choice, so the button shows instead, and the form is submitted when the
 * focus leaves it.
 */
export function connectSelfSubmittingForms(): void {
  let byKeyboard = false;
  /** The forms whose last choice has been sent. */
  const sentForms = new WeakSet<HTMLFormElement>();
  document.addEventListener('keydown', () => {
    byKeyboard = true;
  });
  document.addEventListener('pointerdown', () => {
    byKeyboard = false;
  });
  document.addEventListener('change', (event) => {
    const form = (event.target as Element).closest<HTMLFormElement>('form[data-submits-itself]');
    if (!form) return;
    sentForms.delete(form);
    if (byKeyboard) form.dataset.chosen = '';
    else form.requestSubmit();
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    const form = (target as Element).closest<HTMLFormElement>('form[data-submits-itself]');
    if (form?.dataset.chosen === undefined || sentForms.has(form)) return;
    if (!form.contains(relatedTarget as Node | null)) form.requestSubmit();
  });
  // After a dialog is refilled, the button is hidden and can’t keep the focus.
  let sent = '';
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    sentForms.add(form);
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
