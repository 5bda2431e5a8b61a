// Runs before the scripts that change the document.

import type { ShownPeople } from '../../presence/client/people.ts';
import { rememberBlocks } from './blocks.ts';
import { createBar } from './live-bar.ts';
import { type PageUpdate, updatePage } from './update-page.ts';

/** How long to wait before connecting or loading again, in ms: at first, and at most. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 30_000;
/** How often to look for changes where no connection can be made. */
const POLL_MS = 20_000;
/** After this many attempts without success, the way is blocked, probably by a proxy. */
const ATTEMPTS = 3;
/** How often to look whether the reader has finished what an update would disturb. */
const FINISHED_MS = 1_000;
/** The service's reason for closing when access has ended. */
const LOST = 4403;

/** The account has too many pages open. */
const TOO_MANY = 4429;

const NOBODY: ShownPeople = { html: '', places: [] };

const place = document.querySelector<HTMLElement>('#live') as HTMLElement;
const bar = createBar(place);

let deeds: string[] = [];
/** Up to where somebody types, as the service says (`typedState`); `null` if a revision has it. */
let told: string | null = null;
/** What has changed while somebody typed, until a revision says who it was. */
let unsaid: Element[] = [];
let isDue = false;
let loadPause = FIRST_PAUSE_MS;
let isLoading = false;
let pause = FIRST_PAUSE_MS;
let attempts = 0;
let wasOpen = false;
let isGone = false;
let shown = NOBODY;

const toasts = document.querySelector('#toasts');
if (toasts) {
  const floating = document.createElement('div');
  floating.className = 'floating';
  toasts.before(floating);
  floating.append(toasts, place);
}
rememberBlocks();
connect();

function connect(): void {
  if (isGone) return;
  const url = new URL(place.dataset.path as string, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  // The service then tells what has happened since, also after a time without a connection.
  url.searchParams.set('version', place.dataset.version ?? '');
  const { after } = place.dataset;
  if (after !== undefined) url.searchParams.set('after', after);
  const socket = new WebSocket(url);
  let isOpen = false;
  socket.addEventListener('open', () => {
    isOpen = true;
    attempts = 0;
    pause = FIRST_PAUSE_MS;
    // Of pages that don't know the feed's position, only a new text would be told.
    if (wasOpen && after === undefined) changed([]);
    wasOpen = true;
  });
  socket.addEventListener('message', ({ data }) => {
    const { people, deeds, position, typed } = JSON.parse(data);
    if (people) return showPeople(people);
    if (typed !== undefined) return hearTyped(typed);
    if (position && place.dataset.after) place.dataset.after = String(position);
    changed(deeds);
  });
  socket.addEventListener('close', ({ code }) => {
    if (isOpen) showPeople(NOBODY);
    if (isGone) return;
    // If the page still loads, there is access again.
    if (code === LOST) changed([]);
    attempts += 1;
    // Another page may be closed at any time.
    if (code === TOO_MANY) return poll();
    if (!wasOpen && attempts >= ATTEMPTS) return poll();
    setTimeout(connect, pause * (0.5 + Math.random()));
    pause = Math.min(pause * 2, LAST_PAUSE_MS);
  });
}

/** Shows who else is there; without an argument the same again, because blocks have been replaced. */
function showPeople(people = shown): void {
  shown = people;
  document.dispatchEvent(new CustomEvent('people', { detail: people }));
}

function poll(): void {
  setInterval(() => {
    told = '';
    changed([]);
  }, POLL_MS);
}

function hearTyped(state: string | null): void {
  told = state;
  const isNews = () => told === state && (place.dataset.typed ?? null) !== state;
  // The revision that has it is told, too, unless the words were taken back or proposed.
  const wait = state === null ? 2 * FINISHED_MS : 0;
  setTimeout(() => isNews() && changed([]), wait);
}

function changed(more: string[]): void {
  deeds = [...new Set([...deeds, ...more])];
  isDue = true;
  void update();
}

/** Shows what has changed, at once or when the reader looks and has finished what they are doing. */
async function update({ evenIfBusy = false } = {}): Promise<void> {
  if (!isDue || isLoading || document.visibilityState === 'hidden') return;
  if (isBusy() && !evenIfBusy) {
    const isSaid = told !== null || deeds.length > 0;
    if (isSaid) bar.offer(deeds, () => void update({ evenIfBusy: true }));
    setTimeout(() => void update(), FINISHED_MS);
    return;
  }
  isLoading = true;
  isDue = false;
  try {
    // As `fetchUpdate` of the app's scripts, which pages at secret links don't load.
    const headers = new Headers({ accept: 'text/html', 'x-page-update': '1' });
    if (told !== null) headers.set('x-typed-text', told);
    // Past the browser's cache, where a request waits up to 20 s for another of the same address.
    const response = await fetch(location.href, { headers, cache: 'no-store' });
    if (response.redirected) return location.replace(response.url + location.hash);
    if (response.status === 404 || response.status === 451) {
      isGone = true;
      return bar.lost();
    }
    if (!response.ok) throw new Error(`${response.status}`);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    // The reader may have begun something meanwhile.
    if (isBusy() && !evenIfBusy) isDue = true;
    else {
      const update = updatePage(page);
      show(update);
      await update.loaded;
    }
    loadPause = FIRST_PAUSE_MS;
  } catch {
    isDue = true;
    setTimeout(() => void update(), loadPause * (0.5 + Math.random()));
    loadPause = Math.min(loadPause * 2, LAST_PAUSE_MS);
    return;
  } finally {
    isLoading = false;
  }
  if (isDue) setTimeout(() => void update(), FINISHED_MS);
}

function show(update: PageUpdate): void {
  unsaid = [...unsaid, ...update.changed].filter(({ isConnected }) => isConnected);
  showPeople();
  if (deeds.length === 0 && place.dataset.typed !== undefined) bar.withdraw();
  else {
    bar.tell({ ...update, changed: unsaid }, deeds);
    deeds = [];
    unsaid = [];
  }
}

/** Tells whether the reader is doing something that an update would disturb. */
function isBusy(): boolean {
  const selection = getSelection();
  const article = document.querySelector('.reading');
  if (selection && !selection.isCollapsed && article?.contains(selection.anchorNode)) return true;
  const opened = 'dialog[open], details[data-menu][open], #review-bar details[open]';
  if (document.querySelector(opened)) return true;
  // What has changed, or who wrote it, is of the revision.
  const isOnlyTyped = told !== null && deeds.length === 0;
  if (isOnlyTyped && document.querySelector('.changes-bar')) return true;
  const { activeElement } = document;
  // It would lose what the reader has done in it.
  if (activeElement?.matches('.page-frame')) return true;
  const fields = 'main textarea, main input:not([type="checkbox"]), main select';
  if (activeElement?.matches(fields)) return true;
  return [...document.querySelectorAll<HTMLTextAreaElement>('#comments textarea')].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );
}

document.addEventListener('visibilitychange', () => void update());
// A form's answer, or the page after a dialog has changed something. What others have written meanwhile
// comes with it, so it is shown and marked in the same way.
document.addEventListener('pagefetched', (event) => {
  const update = updatePage((event as CustomEvent<Document>).detail);
  if (update.needsReload) return;
  event.preventDefault();
  // The reader knows what they have done themselves.
  if (deeds.length > 0) bar.tell(update, deeds);
  showPeople();
});
