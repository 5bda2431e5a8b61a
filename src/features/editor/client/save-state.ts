/** Whether the text on the screen is saved. */
export type SaveState =
  | 'fresh'
  | 'saved'
  | 'unsaved'
  | 'saving'
  | 'offline'
  | 'failed'
  | 'signed-out';

const WORDS: Record<SaveState, string> = {
  fresh: '',
  saved: 'Saved',
  unsaved: 'Unsaved changes',
  saving: 'Saving…',
  offline: 'Offline, saved on this computer',
  failed: 'Couldn’t save',
  'signed-out': 'Signed out, saved on this computer',
};

/** Shows the state in the bar and announces it to screen readers. */
export function showSaveState(place: HTMLElement, state: SaveState, isKept: boolean): void {
  const isLost = !isKept && state !== 'saved' && state !== 'saving' && state !== 'fresh';
  const text = isLost ? 'Not saved. This browser can’t store drafts' : WORDS[state];
  if (place.textContent !== text) place.textContent = text;
  place.dataset.state = isLost ? 'failed' : state;
}

/** Shows a message below the bar, with actions. Replaces an earlier one with the same id. */
export function showNotice(
  notices: HTMLElement,
  notice: { id: string; text: string; isFault?: boolean; actions?: HTMLElement[] },
): void {
  removeNotice(notices, notice.id);
  const element = document.createElement('div');
  element.className = notice.isFault ? 'editor-notice form-fault' : 'editor-notice';
  element.id = `notice-${notice.id}`;
  element.setAttribute('role', notice.isFault ? 'alert' : 'status');
  const text = document.createElement('p');
  text.textContent = notice.text;
  element.append(text, ...(notice.actions ?? []));
  notices.append(element);
}

export function removeNotice(notices: HTMLElement, id: string): void {
  notices.querySelector(`#notice-${id}`)?.remove();
}

/** Shows where a new document is and who can read it, until the next save. */
export function showFirstSaved(
  notices: HTMLElement,
  { message, link }: { message?: string; link?: string },
): void {
  if (message === undefined || link === undefined) return;
  const copy = makeButton('', () => {});
  copy.dataset.action = 'copy-text';
  copy.dataset.text = link;
  const label = document.createElement('span');
  label.className = 'label';
  label.textContent = 'Copy link';
  copy.append(label);
  showNotice(notices, { id: 'first', text: message, actions: [copy] });
  copy.parentElement?.dispatchEvent(new Event('contentadded', { bubbles: true }));
}

/** Creates a link that opens in a new tab. */
export function makeLinkInNewTab(href: string, label: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = href;
  link.target = '_blank';
  link.textContent = label;
  return link;
}

export function makeButton(label: string, run: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'secondary small';
  button.textContent = label;
  button.addEventListener('click', run);
  return button;
}
