const WAIT_MS = 120;

let fields = 0;

/**
 * Completes usernames in inputs with `data-completes="people"`: an editable combobox with a list
 * (ARIA Authoring Practices Guide, "Combobox").
 */
export function connectPeopleFields(): void {
  connectIn(document);
  document.addEventListener('contentadded', ({ target }) => {
    const added = target as Element;
    connectIn(added);
    // Browsers heed it only as a page or dialog opens.
    if (!added.matches('dialog')) return;
    added.querySelector<HTMLElement>('[data-completes][autofocus]')?.focus();
  });
}

function connectIn(root: ParentNode): void {
  for (const input of root.querySelectorAll<HTMLInputElement>('[data-completes="people"]')) {
    if (input.role !== 'combobox') connect(input);
  }
}

function connect(input: HTMLInputElement): void {
  const list = makeList(input);
  let chosen = -1;
  let timer = 0;
  let asked: AbortController | undefined;

  const options = () => Array.from(list.children) as HTMLElement[];
  const close = () => {
    clearTimeout(timer);
    asked?.abort();
    list.hidden = true;
    list.replaceChildren();
    choose(-1);
    input.setAttribute('aria-expanded', 'false');
  };
  const choose = (index: number) => {
    chosen = index;
    for (const [at, option] of options().entries()) {
      option.setAttribute('aria-selected', String(at === index));
    }
    const option = options()[index];
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  };
  const take = (option: HTMLElement) => {
    input.value = option.textContent ?? '';
    close();
  };
  const open = (usernames: readonly string[]) => {
    list.replaceChildren(...usernames.map((username, at) => makeOption(list, username, at)));
    list.hidden = usernames.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    choose(-1);
  };
  const suggest = async () => {
    asked?.abort();
    const controller = new AbortController();
    asked = controller;
    const usernames = await findPeople(input.value.trim(), controller.signal);
    if (!controller.signal.aborted && document.activeElement === input) open(usernames);
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
      // The dialog around it stays open.
      event.preventDefault();
      return close();
    }
    const option = options()[chosen];
    if (key === 'take') {
      if (!option) return close();
      event.preventDefault();
      return take(option);
    }
    event.preventDefault();
    choose(stepped(chosen, key, options().length));
  });
  input.addEventListener('blur', close);
  // Before the input loses the focus.
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    const option = (event.target as Element).closest<HTMLElement>('[role="option"]');
    if (option) take(option);
  });
}

const KEYS: Record<string, number | 'take' | 'dismiss' | 'leave'> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Enter: 'take',
  Escape: 'dismiss',
  Tab: 'leave',
};

/** Round and round, with the input itself between the last and the first. */
function stepped(from: number, by: number, count: number): number {
  return ((from + 1 + by + count + 1) % (count + 1)) - 1;
}

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

function makeOption(list: Element, username: string, at: number): HTMLElement {
  const option = document.createElement('li');
  option.role = 'option';
  option.id = `${list.id}-${at}`;
  option.textContent = username;
  return option;
}

/** Nobody where there is no answer: the field works without. */
async function findPeople(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
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
