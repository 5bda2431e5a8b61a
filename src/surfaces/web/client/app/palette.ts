import { createCombobox } from './combobox.ts';
import { showHelp } from './shortcut-help.ts';

/** A place to go to or an action to run. */
interface Command {
  label: string;
  /** Shown beside the label, in a lighter colour. */
  hint: string;
  run: () => void;
}

/** In characters. Longer headings don't fit on a line of the palette. */
const MAX_HEADING = 80;

/** Returns the actions in the bar and the menu of this screen. */
function documentCommands(): Command[] {
  const actions = document.querySelectorAll<HTMLElement>(
    '.bar .actions a[data-shortcut], .bar .actions .menu-item',
  );
  return [...actions]
    .filter((action) => action.dataset.shortcut !== 'c' && !action.hidden)
    .map((action) => ({
      label: (action.querySelector('.label') ?? action).textContent?.trim() ?? '',
      hint: 'This document',
      run() {
        // Shows the button, because its label then confirms the copy.
        if (action instanceof HTMLButtonElement)
          action.closest('details')?.setAttribute('open', '');
        action.click();
      },
    }));
}

/** Returns a command for each heading of the open document. */
function headingCommands(): Command[] {
  const headings = document.querySelectorAll<HTMLElement>(
    'article :is(h1, h2, h3, h4, h5, h6)[id]',
  );
  return [...headings].map((heading) => ({
    label: (heading.textContent ?? '').trim().slice(0, MAX_HEADING),
    hint: 'Heading',
    run() {
      location.hash = encodeURIComponent(heading.id);
      heading.setAttribute('tabindex', '-1');
      heading.focus();
    },
  }));
}

/**
 * Returns the command of the theme button. Its code is in `page.js`, which must load no other
 * script.
 */
function themeCommands(): Command[] {
  const button = document.querySelector<HTMLButtonElement>('[data-action="theme"]');
  return button ? [{ label: button.title, hint: 'Theme', run: () => button.click() }] : [];
}

const SEARCH_AFTER_MS = 120;

/** A search result. */
interface Found {
  title: string;
  name: string;
  owner: string;
  kind: 'brief' | 'page';
  path: string;
}

const PLACES: [label: string, path: string][] = [
  ['New brief', '/new'],
  ['New page', '/new/page'],
  ['Home', '/'],
  ['My documents', '/?in=own'],
  ['Shared with me', '/shared'],
  ['Inbox', '/inbox'],
  ['Drafts', '/drafts'],
  ['Invitations', '/invitations'],
  ['Organizations', '/organizations'],
  ['New organization', '/organizations/new'],
  ['Import documents', '/import'],
  ['Export my documents', '/export'],
  ['Connect an agent', '/connect'],
  ['Trash', '/trash'],
  ['Settings', '/settings'],
  ['Access tokens', '/settings/tokens'],
  ['Uploads', '/settings/uploads'],
];

/** Opens the palette, which finds views, this page's actions, and documents by name and text. */
export function openPalette(): void {
  // A palette that was just closed is still in the page for a moment.
  if (document.querySelector('.palette[open]')) return;
  const palette = document.createElement('dialog');
  palette.className = 'palette';
  palette.setAttribute('aria-label', 'Search and go anywhere');
  palette.innerHTML =
    '<input type="search" role="combobox" aria-expanded="true" aria-controls="palette-list" ' +
    'aria-autocomplete="list" aria-label="Search and go anywhere" autocomplete="off" ' +
    'placeholder="Search documents, or go to a place">' +
    '<ul id="palette-list" role="listbox" aria-label="Results"></ul>' +
    '<p class="visually-hidden" role="status"></p>';
  document.body.append(palette);
  const field = palette.querySelector('input') as HTMLInputElement;
  const list = palette.querySelector('ul') as HTMLUListElement;
  const status = palette.querySelector('[role="status"]') as HTMLElement;
  const places = commandsHere();
  let commands: Command[] = [];

  const combobox = createCombobox(field, list, {
    isRequired: true,
    take(_option, index) {
      palette.close();
      commands[index]?.run();
    },
  });
  const show = (next: Command[]) => {
    commands = next;
    combobox.show(next.map(optionOf), 0);
  };

  const search = latest(async (text: string) => {
    if (text.trim() === '') return;
    const documents = await findDocuments(text);
    if (field.value !== text) return;
    show([...matching(places, text), ...documents, everywhere(text)]);
    status.textContent = documents.length === 1 ? '1 document' : `${documents.length} documents`;
  });
  field.addEventListener('input', () => {
    const text = field.value;
    show(text.trim() === '' ? places : [...matching(places, text), everywhere(text)]);
    search(text);
  });
  palette.addEventListener('keydown', (event) => {
    // During input method composition, Enter and the arrows belong to the input method.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') combobox.step(1);
    else if (event.key === 'ArrowUp') combobox.step(-1);
    else if (event.key === 'Enter') combobox.take();
    // By default, Escape only clears a search field.
    else if (event.key === 'Escape') palette.close();
    else return;
    event.preventDefault();
  });
  palette.addEventListener('click', (event) => {
    if (event.target === palette) palette.close();
  });
  palette.addEventListener('close', () => palette.remove());
  show(places);
  palette.showModal();
}

/**
 * Returns the open document's actions and headings, the organizations in the rail, and the other
 * commands.
 */
function commandsHere(): Command[] {
  const organizations = [
    ...document.querySelectorAll<HTMLAnchorElement>('.rail a[href^="/organizations/"]'),
  ]
    .filter((link) => !link.matches('.rail-add'))
    .map((link) => ({ label: textOf(link), hint: 'Organization', run: () => go(link.href) }));
  const places = PLACES.map(([label, path]) => ({ label, hint: '', run: () => go(path) }));
  const help = { label: 'Keyboard shortcuts', hint: '?', run: showHelp };
  const everywhere = [...places, ...organizations, ...themeCommands(), help];
  return [...documentCommands(), ...everywhere, ...headingCommands()];
}

function textOf(link: Element): string {
  return link.textContent?.trim() ?? '';
}

function matching(commands: Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

function everywhere(text: string): Command {
  const path = `/search?q=${encodeURIComponent(text)}`;
  return { label: `Search for “${text}”`, hint: 'All results', run: () => go(path) };
}

async function findDocuments(text: string): Promise<Command[]> {
  const response = await fetch(`/search?q=${encodeURIComponent(text)}`, {
    headers: { accept: 'application/json' },
  });
  if (!response.ok) return [];
  const { data } = (await response.json()) as { data: Found[] };
  return data.map(({ title, name, owner, kind, path }) => ({
    label: title,
    hint: kind === 'page' ? `${owner}/${name} · page` : `${owner}/${name}`,
    run: () => go(path),
  }));
}

function go(path: string): void {
  location.assign(path);
}

function optionOf({ label, hint }: Command): HTMLLIElement {
  const option = document.createElement('li');
  const name = document.createElement('span');
  name.textContent = label;
  name.dir = 'auto';
  const about = document.createElement('span');
  about.className = 'palette-hint';
  about.textContent = hint;
  option.append(name, about);
  return option;
}

/** Returns a function that runs the work after a pause in typing. */
function latest(work: (text: string) => Promise<void>): (text: string) => void {
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      work(text).catch(() => {
        // Without a connection, the palette still shows views.
      });
    }, SEARCH_AFTER_MS);
  };
}
