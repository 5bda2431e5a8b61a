import { asInTextArea } from '../../../base/text/text-area.ts';

/** How often to ask the service for a newer version. */
const EVERY_MS = 20_000;

/** A version of the document from the service. */
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

/** Returns the document's address and known version; `undefined` if a newer one can't be used. */
export type Known = () => { path: string; etag: string } | undefined;

/**
 * Asks the service for a newer version.
 *
 * @returns `undefined` if there is none, the service didn't answer, or the known version has
 *   changed since
 */
export async function fetchNewer(known: Known): Promise<CurrentVersion | undefined> {
  const asked = known();
  if (!asked) return undefined;
  try {
    const headers = { accept: 'application/json', 'if-none-match': asked.etag };
    const response = await fetch(asked.path, { headers, cache: 'no-store' });
    // If something is wrong, the next save reports it.
    if (response.status !== 200) return undefined;
    const current: CurrentVersion = await response.json();
    const now = known();
    if (now?.etag !== asked.etag || now.path !== asked.path) return undefined;
    return { ...current, content: asInTextArea(current.content) };
  } catch {
    // Offline; the next attempt may find the service.
    return undefined;
  }
}

/**
 * Checks for a newer version every 20 seconds while the page is visible and has the focus, and when
 * it gets the focus at least 20 seconds after the last check.
 */
export function watchForNewer(known: Known, onNewer: (current: CurrentVersion) => void): void {
  let lastAsked = Date.now();

  async function ask(): Promise<void> {
    lastAsked = Date.now();
    const current = await fetchNewer(known);
    if (current) onNewer(current);
  }

  const isSeen = () => document.visibilityState === 'visible' && document.hasFocus();
  window.setInterval(() => {
    if (isSeen()) void ask();
  }, EVERY_MS);
  addEventListener('focus', () => {
    if (Date.now() - lastAsked >= EVERY_MS) void ask();
  });
}
