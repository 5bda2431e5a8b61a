import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';

const BOXES = '[data-tasks] .prose .task-list-item-checkbox';

/** The line of a task in the source; the page has it at the list item. */
const lineOf = (box: Element) => box.closest<HTMLElement>('.task-list-item')?.dataset.line ?? '';

/** Lets the reader tick the tasks of the brief, also after the page has changed. */
export function offerTasks(): void {
  let focused = '';
  const enable = () => {
    for (const box of document.querySelectorAll<HTMLInputElement>(BOXES)) {
      box.disabled = lineOf(box) === '';
      if (lineOf(box) === focused && document.activeElement === document.body) box.focus();
    }
  };
  enable();
  document.addEventListener('contentadded', enable);
  document.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element && target.matches(BOXES) ? lineOf(target) : '';
  });
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(BOXES)) void tick(target);
  });
}

async function tick(box: HTMLInputElement): Promise<void> {
  const shown = document.querySelector<HTMLElement>('#live')?.dataset ?? {};
  // The lines on the page are those of words that no revision has yet.
  const isTyped = shown.typed !== undefined;
  const fault = isTyped
    ? 'Somebody is typing, and some words aren’t saved yet. Tick it in a moment.'
    : await send(box, shown.version ?? '');
  if (fault === undefined) return;
  box.checked = !box.checked;
  showToast(fault, { isFault: true });
}

/** Sends what a box shows. @returns why it was refused */
async function send(box: HTMLInputElement, revision: string): Promise<string | undefined> {
  const { tasks = '' } = box.closest<HTMLElement>('[data-tasks]')?.dataset ?? {};
  const done = box.checked ? 'on' : '';
  const body = new URLSearchParams({
    act: 'tick',
    document: tasks,
    revision,
    line: lineOf(box),
    done,
  });
  const headers = { accept: 'application/json' };
  try {
    const response = await fetch(location.pathname, { method: 'POST', body, headers });
    return response.ok ? undefined : readRefusal(await response.text()).sentence;
  } catch {
    return readRefusal('').sentence;
  }
}
