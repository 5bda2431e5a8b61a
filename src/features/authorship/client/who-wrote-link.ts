import { showToast } from '../../../surfaces/web/client/app/toast.ts';

/** Makes the menu of a brief show who wrote what. The code for it loads only then. */
export function connectWhoWrote(): void {
  document.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest?.('[data-action="who-wrote"]');
    if (!button) return;
    button.closest('details')?.removeAttribute('open');
    void import('./who-wrote.ts')
      .then(({ toggleWriters }) => toggleWriters())
      .catch(() => showToast('Who wrote this can’t be loaded. Try again.', { isFault: true }));
  });
}
