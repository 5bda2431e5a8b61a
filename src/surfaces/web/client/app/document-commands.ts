/** A place to go to or an action to run. */
export interface Command {
  label: string;
  /** Shown beside the label, in a lighter colour. */
  hint: string;
  run: () => void;
}

/** In characters. Longer headings don't fit on a line of the palette. */
const MAX_HEADING = 80;

/** Returns the actions in the bar and the menu of this screen. */
export function documentCommands(): Command[] {
  const actions = document.querySelectorAll<HTMLElement>(
    '.bar .actions a[data-shortcut], .bar .actions .menu-item',
  );
  return [...actions]
    .filter((action) => action.dataset.shortcut !== 'c' && !action.hidden)
    .map((action) => ({
      label: action.textContent?.trim() ?? '',
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
export function headingCommands(): Command[] {
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
export function themeCommands(): Command[] {
  const button = document.querySelector<HTMLButtonElement>('[data-action="theme"]');
  return button ? [{ label: button.title, hint: 'Theme', run: () => button.click() }] : [];
}
