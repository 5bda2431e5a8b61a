/**
 * Submits a form with `data-submits-itself` when the user chooses with a pointer. With the
 * keyboard, every arrow key changes the choice, so a button is shown instead, and the form is
 * submitted when the focus leaves it. If the user then clicks a link, the link opens after the form
 * is sent.
 */
export function connectSelfSubmittingForms(): void {
  let byKeyboard = false;
  /** The forms whose last choice has been sent. */
  const sentForms = new WeakSet<HTMLFormElement>();
  document.addEventListener('keydown', () => {
    byKeyboard = true;
  });
  /** The link that is being pressed, and the form that lost the focus to it. */
  let pressed: HTMLAnchorElement | null = null;
  let leaving: HTMLFormElement | undefined;
  document.addEventListener('pointerdown', ({ target }) => {
    byKeyboard = false;
    pressed = (target as Element).closest<HTMLAnchorElement>('a[href]:not([target])');
  });
  document.addEventListener(
    'click',
    (event) => {
      const form = leaving;
      leaving = undefined;
      const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
      if (!form) return;
      if (!link || link !== pressed || event.ctrlKey || event.metaKey || event.shiftKey) {
        form.requestSubmit();
        return;
      }
      // Navigating would abort the request that the browser sends for the form.
      event.preventDefault();
      sentForms.add(form);
      const body = new URLSearchParams(new FormData(form) as unknown as Record<string, string>);
      // The next page shows the result, unless the response asks something.
      void fetch(form.action, { method: 'POST', body, redirect: 'manual' }).then(
        ({ ok }) => (ok ? form.requestSubmit() : location.assign(link.href)),
        () => location.assign(link.href),
      );
    },
    { capture: true },
  );
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
    if (form.contains(relatedTarget as Node | null)) return;
    if (pressed && !byKeyboard && !form.closest('dialog')) leaving = form;
    else form.requestSubmit();
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
