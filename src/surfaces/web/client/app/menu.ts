/** Closes open menus on Escape, on a click outside, and after a choice. */
export function connectMenus(): void {
  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    for (const menu of openMenus()) {
      const isChosen = menu.contains(target) && target.closest('a.menu-item') !== null;
      if (menu.contains(target) && !isChosen) continue;
      menu.open = false;
      // Focuses the summary, because a dialog can't return the focus to a link in a closed menu.
      if (isChosen) menu.querySelector('summary')?.focus();
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}

function openMenus(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]')];
}
