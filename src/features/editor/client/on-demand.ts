import { removeNotice, showNotice } from './save-state.ts';
import { one } from './settings.ts';

const OUTDATED = 'Briefs was updated. Reload this page. Your text is safe on this computer.';
const OFFLINE = 'No connection. Your text is safe on this computer.';

/**
 * Loads code on demand. Shows a notice if that fails.
 *
 * @param missing replaces the notice that the text is safe
 * @returns `undefined` without a connection, or after an update that removed the old code
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
