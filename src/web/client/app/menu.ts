/** Unfolded menus close on Escape, on a click elsewhere, and once something in them is chosen. */
export function connectMenus(): void {
  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    for (const menu of openMenus()) {
      const isChosen = menu.contains(target) && target.closest('a.menu-item') !== null;
      if (menu.contains(target) && !isChosen) continue;
      menu.open = false;
      // A dialog gives the focus back to what had it, which a folded link cannot take.
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
  return [...document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')];
}
