/**
 * What a form's answer shows once is not asked for again: reloading gives the page itself, and does
 * not send the form a second time.
 */
export function forgetForm(): void {
  if (document.querySelector('[data-shown-once]')) history.replaceState(null, '', location.href);
}
