/**
 * Makes a reload of a page that shows a secret once fetch the page again, instead of submitting the
 * form a second time.
 */
export function forgetForm(): void {
  if (document.querySelector('[data-shown-once]')) history.replaceState(null, '', location.href);
}
