// Loaded on demand by `app.ts`.

/** How often to ask who is editing the document. The service forgets an editor after 60 seconds. */
const EVERY_MS = 20_000;
/** Someone who hasn't touched an open editor for this long isn't editing. */
const IDLE_MS = 10 * 60_000;

const editor = document.querySelector<HTMLFormElement>('#editor');
let lastTouch = Date.now();
let lastAsked = 0;

const placeOf = () => document.querySelector<HTMLElement>('#editing-now');

/** Returns the path to ask; `undefined` while a document isn't saved yet. */
function pathOf(): string | undefined {
  if (!editor) return placeOf()?.dataset.path;
  const { pathname } = new URL(editor.action);
  return pathname.startsWith('/edit/') ? pathname.replace('/edit/', '/editing/') : undefined;
}

function bodyOf(act: 'begin' | 'end'): URLSearchParams {
  const fieldOf = (name: string) =>
    editor?.querySelector<HTMLInputElement>(`input[name="${name}"]`)?.value ?? '';
  return new URLSearchParams({
    act,
    account: fieldOf('account'),
    document: fieldOf('document'),
  });
}

async function ask(): Promise<void> {
  const path = pathOf();
  if (path === undefined) return;
  lastAsked = Date.now();
  const isEditing = editor !== null && lastAsked - lastTouch < IDLE_MS;
  try {
    const response = await fetch(path, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      ...(isEditing && { method: 'POST', body: bodyOf('begin') }),
    });
    // Someone who can no longer edit the document doesn't see who is editing.
    const { html } = response.ok ? await response.json() : { html: '' };
    const place = placeOf();
    // Replacing it with the same text would announce it again.
    if (place && place.dataset.shown !== html) {
      place.innerHTML = html;
      place.title = place.textContent ?? '';
      place.dataset.shown = html;
    }
  } catch {
    // Offline; the next attempt may find the service.
  }
}

const touched = () => {
  lastTouch = Date.now();
};
if (editor) {
  for (const type of ['keydown', 'pointerdown']) editor.addEventListener(type, touched);
  addEventListener('pagehide', () => {
    const path = pathOf();
    if (path !== undefined) navigator.sendBeacon(path, bodyOf('end'));
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void ask();
  });
  void ask();
} else {
  const place = placeOf();
  if (place) {
    place.dataset.shown = place.innerHTML;
    place.title = place.textContent ?? '';
  }
}

window.setInterval(() => {
  if (document.visibilityState === 'visible') void ask();
}, EVERY_MS);
document.addEventListener('visibilitychange', () => {
  const isDue = Date.now() - lastAsked >= EVERY_MS;
  if (document.visibilityState === 'visible' && isDue) void ask();
});

export {};
