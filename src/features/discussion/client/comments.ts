import { showFetched, submitForm } from '../../../surfaces/web/client/app/dialog.ts';
import { isShortcut } from '../../../surfaces/web/client/app/page-shortcuts.ts';
import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { adoptToasts, carryToasts, showToast } from '../../../surfaces/web/client/app/toast.ts';
import { connectSelectionButton, createComposer } from './composer.ts';
import { guardDecisions } from './decisions.ts';
import { createFrameReading } from './frame.ts';
import { createArticleReading } from './marks.ts';
import type { Passage } from './reading.ts';
import { connectSuggestions } from './suggestion.ts';
import { connectWritingDetails, openWriting } from './writing-details.ts';

/** Matches if there is a margin for the cards. `comments.css` has the same width. */
const WIDE = matchMedia('(width >= 68.75rem)');
/** Whether the cards stand beside the document; else they are in a drawer. */
const isBeside = () => WIDE.matches && !document.querySelector('.reviewed-page:not(:has(.thread))');

const reading = createReading();
const composer = createComposer(reading, { isBeside: () => WIDE.matches, place: () => align() });
const panelOf = () => document.querySelector<HTMLElement>('#comments');
const openCards = () => [
  ...document.querySelectorAll<HTMLElement>('#comments li:not([hidden]) > .thread:not(.closed)'),
];

function createReading() {
  const listener = {
    show: (card: HTMLElement | undefined) => (card ? show(card, true) : choose(undefined)),
    press: (key: string) => KEYS[key]?.(),
    pick: (passage: Passage) => void composer.open(passage),
  };
  const frame = document.querySelector<HTMLIFrameElement>('.page-frame');
  return frame ? createFrameReading(frame, listener) : createArticleReading(listener);
}

/** The panel as the server sent it. */
let shownHtml = panelOf()?.outerHTML;
/** The card that is open. */
let current: HTMLElement | undefined;

const align = () => reading.align(isBeside(), composer.element.open ? composer.element : current);
const resizes = new ResizeObserver(align);

/** Finds the panel and the article again, after either was replaced. */
function refresh(): void {
  const panel = panelOf();
  if (!panel) return;
  // It was among the cards that were replaced.
  if (composer.element.open && !composer.element.isConnected) composer.close();
  // In the margin it is part of the page; elsewhere it is a drawer.
  if (isBeside()) panel.removeAttribute('popover');
  else panel.popover = 'auto';
  // Only the open card has anything else to focus.
  for (const card of panel.querySelectorAll<HTMLElement>('.thread')) card.tabIndex = 0;
  applyFilter();
  reading.draw();
  align();
  resizes.disconnect();
  // The article is as tall as the panel beside it.
  const sized = document.querySelectorAll('.reading .prose, #comments > .threads > li');
  for (const element of sized) resizes.observe(element);
}

/** Which threads are shown: all (''), or those with this attribute. */
let filter = '';

/** Shows only the threads that the reader has chosen. */
function applyFilter(): void {
  const panel = panelOf();
  const isThere = panel?.querySelector(`[data-filter="${filter}"]`);
  if (!isThere) filter = '';
  for (const button of panel?.querySelectorAll<HTMLElement>('[data-filter]') ?? []) {
    button.ariaPressed = String(button.dataset.filter === filter);
  }
  for (const item of panel?.querySelectorAll<HTMLElement>('.threads > li') ?? []) {
    item.hidden = filter !== '' && !(filter in item.dataset);
  }
}

function openDrawer(): void {
  const panel = panelOf();
  if (panel?.popover && !panel.matches(':popover-open')) panel.showPopover();
}

/** Opens a card and closes the one that was open. Returns whether it is beside its passage. */
function choose(card: HTMLElement | undefined): boolean {
  current?.classList.remove('active');
  current = card;
  card?.classList.add('active');
  reading.emphasise(card);
  return align();
}

/**
 * Opens a card, and focuses it.
 *
 * @param isPassageSeen whether the reader has clicked its passage, which stays where it is then
 */
function show(card: HTMLElement, isPassageSeen = false): void {
  const folded = card.closest<HTMLDetailsElement>('#comments > details');
  if (folded) folded.open = true;
  openDrawer();
  const item = card.parentElement;
  if (item?.hidden) {
    filter = '';
    applyFilter();
  }
  const isBeside = choose(card);
  card.focus({ preventScroll: true });
  if (!isPassageSeen) reading.reveal(card);
  if (!isBeside) card.scrollIntoView({ block: 'nearest' });
}

function move(step: 1 | -1): void {
  const cards = openCards();
  if (cards.length === 0) return;
  const at = current ? cards.indexOf(current) : -1;
  const next = at < 0 ? (step > 0 ? 0 : cards.length - 1) : at + step;
  show(cards[Math.min(Math.max(next, 0), cards.length - 1)] as HTMLElement);
}

function press(key: 'a' | 'x'): void {
  current?.querySelector<HTMLElement>(`button[data-key="${key}"]`)?.click();
}

function reply(): void {
  const details = current?.querySelector<HTMLDetailsElement>('[data-key="r"]');
  if (details) openWriting(details);
}

const KEYS: { [key: string]: () => void } = {
  m: () => void composer.open(),
  n: () => move(1),
  p: () => move(-1),
  r: reply,
  x: () => press('x'),
  a: () => press('a'),
};

/** Sends a form and shows the updated comments. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const fields = new FormData(form, submitter);
  const [act, thread] = [String(fields.get('act')), String(fields.get('thread'))];
  const response = await submitForm(form, submitter, 'application/json');
  // Something else was shown: the page that the browser gets for the form shows what has changed.
  if (response.status === 409) return sendWithBrowser(form, submitter);
  if (!response.ok) return showFault(form, readRefusal(await response.text()).sentence);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const known = new Set(openCards().map(({ id }) => id));
  const position = openCards().findIndex(({ id }) => id === `thread-${thread}`);
  // The cards act on the text on the screen, so a newer text is shown with them.
  const isSameText = versionIn(page) === versionIn(document);
  if (!(isSameText ? replacePanel(page) : showFetched(page))) {
    carryToasts(page);
    location.reload();
    return;
  }
  knowDecisions();
  adoptToasts(page);
  if (composer.element.contains(form)) {
    // The new panel has its own form.
    form.remove();
    reading.clearSelection?.();
    composer.close();
  }
  const cards = openCards();
  const same = document.getElementById(`thread-${thread}`);
  const isGone = !cards.some((card) => card === same);
  const next =
    act === 'open'
      ? cards.find(({ id }) => !known.has(id))
      : isGone
        ? cards[Math.min(position, cards.length - 1)]
        : same;
  if (next) show(next);
  else panelOf()?.querySelector<HTMLElement>('.new-thread summary')?.focus();
}

function versionIn(page: Document): string | undefined {
  return page.querySelector<HTMLElement>('#comments')?.dataset.version;
}

/** Submits a form without a script. */
function sendWithBrowser(form: HTMLFormElement, submitter: HTMLElement | null): void {
  form.dataset.unscripted = '';
  form.requestSubmit(submitter);
}

/**
 * Shows the comments of a fetched page, and what other parts show about them.
 *
 * @returns whether both pages have comments
 */
function replacePanel(page: Document): boolean {
  const [here, fresh] = [panelOf(), page.querySelector('#comments')];
  if (!here || !fresh) return false;
  const isOpen = here.matches(':popover-open');
  shownHtml = fresh.outerHTML;
  for (const { className } of here.querySelectorAll(':scope > details[open]:not(.new-thread)')) {
    for (const same of fresh.getElementsByClassName(className)) same.setAttribute('open', '');
  }
  const link = page.querySelector('.comments-link');
  if (link) document.querySelector('.comments-link')?.replaceWith(document.adoptNode(link));
  here.replaceWith(document.adoptNode(fresh));
  current = undefined;
  fresh.dispatchEvent(new Event('contentadded', { bubbles: true }));
  if (isOpen) openDrawer();
  return true;
}

/** Shows the comments of a newer page, if they differ, and keeps the one that is chosen. */
function adoptPanel(page: Document): void {
  const fresh = page.querySelector('#comments');
  if (!fresh || fresh.outerHTML === shownHtml || movesPlaces(fresh)) return;
  const chosen = current?.id;
  const hadFocus = current?.contains(document.activeElement);
  if (!replacePanel(page)) return;
  const card = chosen === undefined ? null : document.getElementById(chosen);
  if (card) choose(card);
  if (hadFocus) card?.focus({ preventScroll: true });
}

/** Attributes of cards and their panel that differ with each word that somebody types. */
const PLACES = ['data-version', 'data-line', 'data-start', 'data-quote'];
const withoutPlaces = (html = '') =>
  PLACES.reduce((rest, name) => rest.replaceAll(new RegExp(` ${name}="[^"]*"`, 'g'), ''), html);

/** Takes over where passages are now, and leaves the cards alone. @returns `false` if more has changed */
function movesPlaces(fresh: Element): boolean {
  if (withoutPlaces(fresh.outerHTML) !== withoutPlaces(shownHtml)) return false;
  shownHtml = fresh.outerHTML;
  for (const card of [fresh, ...fresh.querySelectorAll('.thread')]) {
    for (const name of PLACES) {
      const value = card.getAttribute(name);
      const here = document.getElementById(card.id);
      if (value === null) here?.removeAttribute(name);
      else here?.setAttribute(name, value);
    }
  }
  reading.draw();
  choose(current);
  return true;
}

function showFault(form: HTMLFormElement, sentence: string): void {
  form.querySelector('.form-fault')?.remove();
  const fault = document.createElement('p');
  fault.className = 'form-fault';
  fault.setAttribute('role', 'alert');
  fault.textContent = sentence;
  form.prepend(fault);
  form.querySelector<HTMLElement>('textarea[name="body"]')?.focus();
}

const cardOf = (target: EventTarget | null) =>
  (target as Element).closest?.<HTMLElement>('#comments .thread') ?? undefined;

/** Returns the form of “Choose new passage”, if that was pressed. */
function placingForm({ target }: Event): HTMLFormElement | null | undefined {
  return (target as Element).closest('.place-again > summary')?.closest('form');
}

function followHash(): void {
  const card = /^#thread-[\w-]+$/.test(location.hash) && document.querySelector(location.hash);
  if (card instanceof HTMLElement) show(card);
}

document.addEventListener('keydown', (event) => {
  const act = KEYS[event.key];
  if (!act || !isShortcut(event) || !panelOf()) return;
  event.preventDefault();
  act();
});
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (event.defaultPrevented || 'unscripted' in form.dataset) return;
  if (!form.closest('#comments, .composer')) return;
  event.preventDefault();
  send(form, event.submitter).catch(() => {
    showToast('Not sent: no connection.', { isFault: true });
  });
});
document.addEventListener('focusin', ({ target }) => {
  if (composer.element.open) return;
  const card = cardOf(target);
  if (card === current) return;
  choose(card);
  if (card) reading.reveal(card);
});
document.addEventListener('mouseover', ({ target }) => {
  if (!composer.element.open) reading.emphasise(cardOf(target) ?? current);
});
document.addEventListener('click', (event) => {
  const target = event.target as Element;
  if (target.closest('.comments-link') && !isBeside()) {
    event.preventDefault();
    openDrawer();
    panelOf()?.querySelector<HTMLElement>('.comments-close')?.focus();
    return;
  }
  const chosen = target.closest<HTMLElement>('[data-filter]')?.dataset.filter;
  if (chosen !== undefined) {
    filter = chosen;
    applyFilter();
    choose(undefined);
    return;
  }
  if (target.closest('.pick-element')) {
    document.querySelector<HTMLElement>('#comments:popover-open')?.hidePopover();
    reading.startPicking?.();
  }
});
document.addEventListener('pointerdown', (event) => {
  // Pressing it must not clear the selection, which the click needs.
  if (placingForm(event)) event.preventDefault();
});
document.addEventListener('click', async (event) => {
  const form = placingForm(event);
  const passage = form && (await reading.selected());
  if (!passage) return;
  for (const name of ['quote', 'prefix', 'suffix', 'line', 'element'] as const) {
    (form.elements.namedItem(name) as HTMLInputElement).value = String(passage[name] ?? '');
  }
});
// Comes after the listener above, because the focus clears the selection that the listener reads.
connectWritingDetails(document);
document.addEventListener('contentadded', ({ target }) => {
  if (
    target instanceof Element &&
    (target.id === 'comments' || target.querySelector('#comments'))
  ) {
    refresh();
  }
});
// The live page's script (`features/live/client/update-page.ts`) has fetched it.
document.addEventListener('newerpage', (event) => {
  event.preventDefault();
  adoptPanel((event as CustomEvent<Document>).detail);
});
const knowDecisions = guardDecisions((why) => showToast(why, { isFault: true }));
WIDE.addEventListener('change', refresh);
addEventListener('hashchange', followHash);
connectSelectionButton(reading, composer);
connectSuggestions();
refresh();
followHash();
