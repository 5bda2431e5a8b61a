/** Starts the service worker, which stores briefs for reading without a network. */
export function keepCopies(): void {
  const manifest = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
  const worker = manifest?.dataset.worker;
  if (worker === undefined || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    // Private windows and full disks refuse it. The app works without it.
    navigator.serviceWorker.register(worker, { updateViaCache: 'none' }).catch(() => {});
  });
}
