import { adoptToasts, showToast } from '../../../surfaces/web/client/app/toast.ts';
import { connectDropZone } from './drop-zone.ts';
import { connectImport } from './import.ts';
import { beginProgress } from './progress.ts';
import { isSignIn, refusalOf, sendForm } from './send-form.ts';

// Each of these finds its own form and does nothing on a page without it.
connectUpload();
connectImport();

/** Sends a form with files, shows the progress, and then shows the resulting page. */
function connectUpload(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-transfer="whole"]');
  if (!form) return;
  connectDropZone(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void upload(form);
  });
}

async function upload(form: HTMLFormElement): Promise<void> {
  const progress = beginProgress(form);
  try {
    const answer = await sendForm(form.action, new FormData(form), (sent, all) => {
      const share = all === 0 ? 0 : sent / all;
      progress.show(share, share < 1 ? `${Math.floor(share * 100)} %` : 'Almost done');
    });
    progress.end();
    const { url, page } = answer;
    const main = page.querySelector('form[data-transfer="whole"]')?.closest('main');
    if (!main) {
      if (isSignIn(answer)) location.assign(url);
      else showToast(`The upload ${refusalOf(answer)}.`, { isFault: true });
      return;
    }
    document.querySelector('main')?.replaceWith(document.adoptNode(main));
    history.replaceState(null, '', url);
    main.dispatchEvent(new Event('contentadded', { bubbles: true }));
    connectUpload();
    adoptToasts(page);
    document.querySelector<HTMLInputElement>('#file')?.focus();
  } catch {
    progress.end();
    showToast('Not uploaded: no connection.', { isFault: true });
  }
}
