import type { PageUpdate } from './update-page.ts';

/** How long the bar stays, in ms. */
const SHOWN_FOR_MS = 12_000;

/** The bar that says what has changed on the page. */
export interface LiveBar {
  /** Offers changes that would disturb the reader now. */
  offer(deeds: readonly string[], show: () => void): void;
  /** Takes back what is offered, because it is shown. */
  withdraw(): void;
  /** Says what an update has changed. */
  tell(update: PageUpdate, deeds: readonly string[]): void;
  /** Says that the document can no longer be read. */
  lost(): void;
}

export function createBar(place: HTMLElement): LiveBar {
  let timer = 0;
  /** The sentence of the latest offer, which isn't repeated. */
  let offered = '';

  function say(sentence: string, action?: { label: string; run(): void }): void {
    clearTimeout(timer);
    const text = document.createElement('p');
    text.textContent = sentence;
    const act = action && button(action.label, action.run);
    const close = button('✕', hide);
    close.setAttribute('aria-label', 'Close');
    place.replaceChildren(text, ...(act ? [act] : []), close);
  }

  function hide(): void {
    clearTimeout(timer);
    place.replaceChildren();
  }

  function button(label: string, run: () => void): HTMLButtonElement {
    const element = document.createElement('button');
    element.type = 'button';
    element.className = label === '✕' ? 'quiet small' : 'secondary small';
    element.textContent = label;
    element.addEventListener('click', run);
    return element;
  }

  return {
    offer(deeds, show) {
      const sentence = deeds.length > 0 ? sentenceOf(deeds) : 'Somebody is typing here.';
      if (sentence !== offered) say(sentence, { label: 'Show', run: show });
      offered = sentence;
    },
    withdraw() {
      if (offered !== '') hide();
      offered = '';
    },
    tell({ changed, removed, cards, needsReload }, deeds) {
      offered = '';
      if (needsReload) {
        say(sentenceOf(deeds), { label: 'Show', run: () => location.reload() });
        return;
      }
      const count = changed.length + removed;
      // The cards say it themselves.
      const isSeen = cards.length > 0 && cards.every(isVisible);
      const untold = deeds.filter((deed) => !isSeen || !deed.endsWith(' commented on'));
      if (count === 0 && untold.length === 0) return hide();
      const [first] = changed;
      const show = () => {
        first?.scrollIntoView({ block: 'center' });
        hide();
      };
      const sentence = sentenceOf(deeds, count);
      say(sentence, first && !isVisible(first) ? { label: 'Show', run: show } : undefined);
      timer = window.setTimeout(hide, SHOWN_FOR_MS);
    },
    lost: () =>
      say('You can no longer read this document here.', {
        label: 'Reload',
        run: () => location.reload(),
      }),
  };
}

/** @param blocks how many blocks of the text have changed */
function sentenceOf(deeds: readonly string[], blocks = 0): string {
  const paragraphs = blocks === 1 ? '1 paragraph' : `${blocks} paragraphs`;
  if (deeds.length === 0) return blocks > 0 ? `${paragraphs} changed.` : 'This document changed.';
  const [last = ''] = deeds.slice(-1);
  const more = deeds.length > 1 ? `, and ${deeds.length - 1} more` : '';
  const isText = blocks > 0 && last.endsWith(' changed');
  return `${last} ${isText ? paragraphs : 'this document'}${more}.`;
}

function isVisible(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
