import type { Asked } from './drafts.ts';

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

/** What comes with every word, and isn't said each time. */
const IS_USUAL = /^(?:unsaved|saving|saved)$/;

/** Shows the state in the bar, and announces to screen readers what isn't usual and what ends that. */
export function showSaveState(place: HTMLElement, state: SaveState, isKept: boolean): void {
  const isLost = !isKept && state !== 'saved' && state !== 'saving' && state !== 'fresh';
  const text = isLost ? 'Not saved. This browser can’t store drafts' : WORDS[state];
  const shown = isLost ? 'failed' : state;
  const isUsual = [place.dataset.state ?? '', shown].every((each) => IS_USUAL.test(each));
  place.ariaLive = isUsual ? 'off' : 'polite';
  if (place.textContent !== text) place.textContent = text;
  place.dataset.state = shown;
}

/** Shows a message below the bar, with actions. Replaces an earlier one with the same id. */
export function showNotice(
  notices: HTMLElement,
  notice: {
    id: string;
    text: string;
    isFault?: boolean;
    details?: HTMLElement;
    actions?: HTMLElement[];
  },
): void {
  removeNotice(notices, notice.id);
  const element = document.createElement('div');
  element.className = notice.isFault ? 'editor-notice form-fault' : 'editor-notice';
  element.id = `notice-${notice.id}`;
  element.setAttribute('role', notice.isFault ? 'alert' : 'status');
  const text = document.createElement('p');
  text.textContent = notice.text;
  element.append(text);
  if (notice.details) element.append(notice.details);
  element.append(...(notice.actions ?? []));
  notices.append(element);
}

export function removeNotice(notices: HTMLElement, id: string): void {
  notices.querySelector(`#notice-${id}`)?.remove();
}

/** Asks what becomes of the user's version where others have changed the same words. */
export function showAsked(
  notices: HTMLElement,
  all: readonly Asked[],
  choose: Record<'use' | 'propose' | 'discard', (asked: Asked) => void>,
): void {
  for (const before of notices.querySelectorAll('[id^="notice-asked-"]')) before.remove();
  for (const [index, asked] of all.entries()) {
    const details = document.createElement('dl');
    for (const { theirs, yours } of asked.places) {
      for (const [label, text] of [
        ['In the text', theirs || '(deleted)'],
        ['Yours', yours || '(deleted)'],
      ] as const) {
        const [term, value] = [document.createElement('dt'), document.createElement('dd')];
        [term.textContent, value.textContent] = [label, text];
        details.append(term, value);
      }
    }
    const copied = asked.places.map(({ yours }) => yours).join('\n\n');
    showNotice(notices, {
      id: `asked-${index}`,
      text:
        'Others changed the same words while you wrote. Their version is in the text. Yours is kept ' +
        'on this computer, and nobody else sees it until you choose.',
      details,
      actions: [
        makeButton('Put mine in the text', () => choose.use(asked)),
        makeButton('Propose mine', () => choose.propose(asked)),
        makeButton('Copy mine', () => void navigator.clipboard.writeText(copied)),
        makeButton('Discard mine', () => choose.discard(asked)),
      ],
    });
  }
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
