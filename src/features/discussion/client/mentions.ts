import { createCombobox } from '../../../surfaces/web/client/app/combobox.ts';

const WAIT_MS = 120;
const FIELDS = '.reply textarea[name="body"], .thread-form textarea[name="body"]';
/** The beginning of a mention before the caret. */
const BEGUN = /(?:^|[^\w@＠/.-])[@＠]([a-z0-9-]{0,39})$/i;

interface Person {
  username: string;
  hasAccess: boolean;
  /** The name of the agent that acts for the user. */
  agent?: string;
}

/** Completes usernames after `@` in the fields of comments, with a list below the field. */
export function connectMentions(): void {
  const list = document.createElement('ul');
  list.className = 'suggestions mention-suggestions';
  list.id = 'mention-suggestions';
  list.role = 'listbox';
  list.ariaLabel = 'People to mention';
  let field: HTMLTextAreaElement | undefined;
  let combobox: ReturnType<typeof createCombobox> | undefined;
  let timer = 0;
  let asked: AbortController | undefined;

  const close = () => {
    clearTimeout(timer);
    asked?.abort();
    list.remove();
    for (const name of ['aria-haspopup', 'aria-controls', 'aria-activedescendant']) {
      field?.removeAttribute(name);
    }
    field = undefined;
  };
  const begun = (in_: HTMLTextAreaElement) =>
    BEGUN.exec(in_.value.slice(0, in_.selectionStart ?? 0))?.[1];

  async function suggest(target: HTMLTextAreaElement, prefix: string): Promise<void> {
    asked?.abort();
    const controller = new AbortController();
    asked = controller;
    const people = await findPeople(target, prefix, controller.signal);
    if (controller.signal.aborted || document.activeElement !== target) return;
    if (people.length === 0) return close();
    if (field !== target) {
      close();
      field = target;
      target.after(list);
      list.style.top = `${target.offsetTop + target.offsetHeight}px`;
      list.style.left = `${target.offsetLeft}px`;
      // Not the role of a combobox, which a field of several lines can't have.
      target.setAttribute('aria-autocomplete', 'list');
      target.setAttribute('aria-haspopup', 'listbox');
      target.setAttribute('aria-controls', list.id);
      combobox = createCombobox(target, list, { isRequired: true, take });
    }
    combobox?.show(people.map(optionOf), 0);
  }

  function take(option: HTMLElement): void {
    const target = field;
    const prefix = target && begun(target);
    close();
    if (!target || prefix === undefined) return;
    const end = target.selectionStart;
    target.setRangeText(`${option.dataset.username} `, end - prefix.length, end, 'end');
  }

  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLTextAreaElement) || !target.matches(FIELDS)) return;
    clearTimeout(timer);
    const prefix = begun(target);
    if (prefix === undefined) close();
    else timer = window.setTimeout(() => void suggest(target, prefix), WAIT_MS);
  });
  document.addEventListener(
    'keydown',
    (event) => {
      if (!field || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'ArrowDown') combobox?.step(1);
      else if (event.key === 'ArrowUp') combobox?.step(-1);
      else if (event.key === 'Enter' || event.key === 'Tab') combobox?.take();
      else if (event.key === 'Escape') close();
      else return;
      // What is around the field doesn't get the key.
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
  document.addEventListener('focusout', ({ target }) => {
    if (target === field) close();
  });
}

function optionOf({ username, hasAccess, agent }: Person): HTMLElement {
  const option = document.createElement('li');
  option.dataset.username = username;
  option.textContent = agent ?? username;
  if (agent !== undefined || !hasAccess) {
    const note = document.createElement('small');
    note.textContent = agent === undefined ? ' may not see this' : ` agent of ${username}`;
    option.append(note);
  }
  return option;
}

/** Returns no people if the request fails, or with a secret link. The field works without them. */
async function findPeople(
  field: HTMLTextAreaElement,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly Person[]> {
  const { pathname } = new URL(field.form?.action ?? '', location.href);
  if (!pathname.startsWith('/read/')) return [];
  try {
    const path = pathname.replace('/read/', '/comments/');
    const response = await fetch(`${path}?mention=${encodeURIComponent(prefix)}`, {
      headers: { accept: 'application/json' },
      signal,
    });
    if (!response.ok) return [];
    return ((await response.json()) as { people: Person[] }).people;
  } catch {
    return [];
  }
}
