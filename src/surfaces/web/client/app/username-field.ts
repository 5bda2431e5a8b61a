import { createCombobox } from './combobox.ts';

const WAIT_MS = 120;

let fields = 0;

/** Completes usernames in inputs with `data-completes="usernames"`. */
export function connectUsernameFields(): void {
  connectIn(document);
  document.addEventListener('contentadded', ({ target }) => {
    const added = target as Element;
    connectIn(added);
    // Browsers apply `autofocus` only when a page or dialog opens.
    if (!added.matches('dialog')) return;
    added.querySelector<HTMLElement>('[data-completes][autofocus]')?.focus();
  });
}

function connectIn(root: ParentNode): void {
  for (const input of root.querySelectorAll<HTMLInputElement>('[data-completes="usernames"]')) {
    if (input.role !== 'combobox') connect(input);
  }
}

function connect(input: HTMLInputElement): void {
  const list = makeList(input);
  let timer = 0;
  let asked: AbortController | undefined;

  const combobox = createCombobox(input, list, {
    isRequired: false,
    take(option) {
      input.value = option.textContent ?? '';
      close();
    },
  });
  const show = (usernames: readonly string[]) => {
    combobox.show(usernames.map(makeOption), -1);
    list.hidden = usernames.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
  };
  const close = () => {
    clearTimeout(timer);
    asked?.abort();
    show([]);
  };
  const suggest = async () => {
    asked?.abort();
    const controller = new AbortController();
    asked = controller;
    const usernames = await findUsernames(input.value.trim(), controller.signal);
    if (!controller.signal.aborted && document.activeElement === input) show(usernames);
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    if (input.value.trim() === '') close();
    else timer = window.setTimeout(suggest, WAIT_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = KEYS[event.key];
    const isOpen = !list.hidden;
    if (!isOpen && event.key === 'ArrowDown' && input.value.trim() !== '') {
      event.preventDefault();
      void suggest();
      return;
    }
    if (!isOpen || !key) return;
    if (key === 'leave') return close();
    if (key === 'dismiss') {
      // Keeps the dialog around it open.
      event.preventDefault();
      return close();
    }
    if (key === 'take') {
      if (combobox.take()) event.preventDefault();
      else close();
      return;
    }
    event.preventDefault();
    combobox.step(key);
  });
  input.addEventListener('blur', close);
}

const KEYS: Record<string, 1 | -1 | 'take' | 'dismiss' | 'leave'> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Enter: 'take',
  Escape: 'dismiss',
  Tab: 'leave',
};

function makeList(input: HTMLInputElement): HTMLUListElement {
  const list = document.createElement('ul');
  list.className = 'suggestions';
  list.id = `suggestions-${++fields}`;
  list.role = 'listbox';
  list.ariaLabel = 'Usernames';
  list.hidden = true;
  input.after(list);
  input.role = 'combobox';
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-expanded', 'false');
  input.setAttribute('aria-controls', list.id);
  return list;
}

function makeOption(username: string): HTMLElement {
  const option = document.createElement('li');
  option.textContent = username;
  return option;
}

/** Returns no suggestions if the request fails. The field works without them. */
async function findUsernames(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const path = `/people?prefix=${encodeURIComponent(prefix)}`;
    const response = await fetch(path, { headers: { accept: 'application/json' }, signal });
    if (!response.ok) return [];
    const { usernames } = (await response.json()) as { usernames: string[] };
    return usernames;
  } catch {
    return [];
  }
}
