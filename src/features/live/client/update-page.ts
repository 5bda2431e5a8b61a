import type { NewerFrame } from '../../pages/client/replace-frame.ts';
import { updateBlocks } from './blocks.ts';

export interface PageUpdate {
  /** The document's new and changed blocks. */
  changed: Element[];
  /** How many of its blocks are gone. */
  removed: number;
  /** The cards of comments that are new. */
  cards: Element[];
  /** Whether the page has to be loaded again to show the change. */
  needsReload: boolean;
  /** When an HTML page in its frame is there. */
  loaded?: Promise<void> | undefined;
}

/**
 * Tells scripts that there is a newer page: the event's `detail`. That of the comments prevents the
 * event, and brings them up to date itself.
 */
const NEWER_PAGE = 'newerpage';

/** Asks the frame's script (`pages/client/page-frame.ts`) to put a newer frame in the place of one: the event's `detail`. */
const NEWER_FRAME = 'newerframe';

const NOTHING: PageUpdate = { changed: [], removed: 0, cards: [], needsReload: false };

/** How long a changed block stays marked, in ms; `live.css` has the same. */
const MARKED_MS = 8_000;

/** The parts around the document that show something about it. */
const PARTS = [
  '#review-bar',
  '.foot',
  '.trail',
  '.own-actions',
  '.folded-contents',
  '.margin-contents',
  '.above-text',
  '.below-text',
];

/** Shows a page that was fetched later in place of this one, without moving the reader. */
export function updatePage(page: Document): PageUpdate {
  const [here, fresh] = [document.querySelector('#live'), page.querySelector('#live')];
  if (!(here instanceof HTMLElement) || !(fresh instanceof HTMLElement)) {
    return { ...NOTHING, needsReload: true };
  }
  const [before, after] = [Number(here.dataset.version), Number(fresh.dataset.version)];
  // A slower answer than the one that is shown.
  if (after < before) return NOTHING;
  const isSameText = after === before && here.dataset.typed === fresh.dataset.typed;
  const [frame, next] = [document, page].map((each) =>
    each.querySelector<HTMLIFrameElement>('.page-frame'),
  );
  // Only the frame beside comments begins with our script, which speaks for it first.
  const isReviewed = (one: Element | null | undefined) => Boolean(one?.closest('.reviewed-frame'));
  if (isReviewed(frame) !== isReviewed(next)) return { ...NOTHING, needsReload: true };
  const isNewer = frame && next && !isSameText;
  const framed = isNewer ? ({ frame, next, loaded: undefined } as NewerFrame) : undefined;
  if (framed) {
    document.adoptNode(framed.next);
    document.dispatchEvent(new CustomEvent(NEWER_FRAME, { detail: framed }));
    if (!framed.loaded) return { ...NOTHING, needsReload: true };
  }
  const keepPlace = holdPlace();
  const blocks = isSameText || framed ? NOTHING : updateBlocks(page);
  if (!blocks) return { ...NOTHING, needsReload: true };
  here.dataset.version = String(after);
  if (fresh.dataset.typed) here.dataset.typed = fresh.dataset.typed;
  else delete here.dataset.typed;
  document.title = page.title;
  updateParts(page);
  const known = new Set(openCards().map(({ id }) => id));
  const newer = new CustomEvent(NEWER_PAGE, { detail: page, cancelable: true });
  // Until their script runs, the comments are a part like others.
  if (document.dispatchEvent(newer)) updatePart('#comments', page);
  for (const block of blocks.changed) {
    block.classList.add('just-changed');
    block.dispatchEvent(new Event('contentadded', { bubbles: true }));
    setTimeout(() => block.classList.remove('just-changed'), MARKED_MS);
  }
  keepPlace();
  const cards = openCards().filter(({ id }) => !known.has(id));
  return {
    ...blocks,
    cards,
    needsReload: false,
    loaded: framed?.loaded,
  };
}

const openCards = () => [...document.querySelectorAll('#comments .thread:not(.closed)')];

function updateParts(page: Document): void {
  for (const part of PARTS) updatePart(part, page);
}

function updatePart(part: string, page: Document): void {
  const [here, fresh] = [document.querySelector(part), page.querySelector(part)];
  if (!here || !fresh || here.isEqualNode(fresh)) return;
  const isOpen = here instanceof HTMLDetailsElement && here.open;
  const { activeElement: focused } = document;
  const title = here.contains(focused) && focused instanceof HTMLElement ? focused.title : '';
  keepChangesLink(here, fresh, page);
  here.replaceWith(document.adoptNode(fresh));
  if (isOpen) (fresh as HTMLDetailsElement).open = true;
  if (title) fresh.querySelector<HTMLElement>(`[title="${CSS.escape(title)}"]`)?.focus();
  fresh.dispatchEvent(new Event('contentadded', { bubbles: true }));
}

/** Keeps the link to what is new since the last visit, which only the first page of a visit has. */
function keepChangesLink(here: Element, fresh: Element, page: Document): void {
  const link = here.querySelector<HTMLAnchorElement>('.changes-link');
  if (!link || fresh.querySelector('.changes-link')) return;
  const to = page.querySelector<HTMLElement>('#live')?.dataset.version ?? '';
  link.href = link.href.replace(/to=\d+/, `to=${to}`);
  fresh.querySelector('.review-says > p')?.append(' ', link);
}

/** Remembers what is at the top of the window. @returns a function that brings it back there */
function holdPlace(): () => void {
  const blocks = [...document.querySelectorAll('.reading .prose > *')];
  const below = blocks.filter((block) => block.getBoundingClientRect().bottom > 0);
  const tops = below.map((block) => block.getBoundingClientRect().top);
  // Browsers that do the same would do it twice.
  document.documentElement.style.overflowAnchor = 'none';
  return () => {
    const index = below.findIndex((block) => block.isConnected);
    const [block, top] = [below[index], tops[index]];
    if (block && top !== undefined) {
      scrollBy({ top: block.getBoundingClientRect().top - top, behavior: 'instant' });
    }
    requestAnimationFrame(() => {
      document.documentElement.style.overflowAnchor = '';
    });
  };
}
