import { removeNotice, showNotice } from './save-state.ts';
import { one } from './settings.ts';

const OUTDATED =
  'This page is from before an update. Reload it; what you wrote is kept on this computer.';
const OFFLINE =
  'This needs a connection, and there is none. What you wrote is kept on this computer.';

/**
 * Waits for code that is fetched only now; where it does not come, says what that means.
 *
 * @param missing what to say, if not that what is written is kept
 * @returns `undefined` where it does not come: without a connection, or since the service has been
 *   updated and has other code now
 */
export async function onDemand<Code>(
  coming: Promise<Code>,
  missing?: string,
): Promise<Code | undefined> {
  const notices = one<HTMLElement>(document, '#editor-notices');
  try {
    const code = await coming;
    removeNotice(notices, 'missing');
    return code;
  } catch {
    const text = missing ?? (navigator.onLine ? OUTDATED : OFFLINE);
    showNotice(notices, { id: 'missing', text, isFault: true });
    return undefined;
  }
}
