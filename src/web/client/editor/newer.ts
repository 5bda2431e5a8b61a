import { withLineFeeds } from './answers.ts';

/** How often to ask the service for a newer version. */
const EVERY_MS = 20_000;

/** A version of the document as the service sends it. */
export interface CurrentVersion {
  etag: string;
  name: string;
  visibility: string;
  content: string;
  path: string;
  readPath: string;
  savedBy?: string;
  savedAt?: string;
}

/**
 * Checks for a newer version every 20 seconds while the page is visible, and when it becomes visible.
 *
 * @param known returns the document's address and known version, or `undefined` to skip the check
 * @param onNewer receives the newer version, unless the known one has changed since the check
 */
export function watchForNewer(
  known: () => { path: string; etag: string } | undefined,
  onNewer: (current: CurrentVersion) => void,
): void {
  let lastAsked = Date.now();
  let isAsking = false;

  async function ask(): Promise<void> {
    const asked = known();
    if (!asked || isAsking) return;
    isAsking = true;
    lastAsked = Date.now();
    try {
      const headers = { accept: 'application/json', 'if-none-match': asked.etag };
      const response = await fetch(asked.path, { headers, cache: 'no-store' });
      // If something is wrong, the next save reports it.
      if (response.status !== 200) return;
      const current: CurrentVersion = await response.json();
      const now = known();
      if (now?.etag !== asked.etag || now.path !== asked.path) return;
      onNewer({ ...current, content: withLineFeeds(current.content) });
    } catch {
      // Offline; the next attempt may find the service.
    } finally {
      isAsking = false;
    }
  }

  const isSeen = () => document.visibilityState === 'visible' && document.hasFocus();
  window.setInterval(() => {
    if (isSeen()) void ask();
  }, EVERY_MS);
  addEventListener('focus', () => {
    if (Date.now() - lastAsked >= EVERY_MS) void ask();
  });
}
