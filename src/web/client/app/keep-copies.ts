/** Starts the service worker, which keeps what is read for when there is no network. */
export function keepCopies(): void {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
  const worker = manifest?.dataset.worker;
  if (worker === undefined || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    // Private windows and full disks refuse it. The app needs none.
    navigator.serviceWorker.register(worker, { updateViaCache: 'none' }).catch(() => {});
  });
}
