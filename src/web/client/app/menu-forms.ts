/**
 * Sends a form with `data-submits-itself` as soon as something is chosen in it with a pointer. With the
 * keyboard every arrow key chooses, which would be too soon: its button shows, and the form is sent
 * when the focus leaves it, so that closing a dialog loses no choice.
 */
export function connectMenuForms(): void {
  let byKeyboard = false;
  /** Those whose last choice has been sent. */
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
  // In a dialog that is filled anew, the button is hidden again and cannot keep the focus.
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
