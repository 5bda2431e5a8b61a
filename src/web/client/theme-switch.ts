export type Theme = 'light' | 'dark';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The theme the page is shown in: the reader's choice, else the system's. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return systemIsDark.matches ? 'dark' : 'light';
}

/** Calls back after every change of the theme, by the switch or by the system. */
export function onThemeChange(changed: () => void): void {
  document.addEventListener('themechange', changed);
}

/** Makes the theme button work and keeps its name true to what pressing it does. */
export function connectThemeSwitch(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-action="theme"]');
  if (!button) return;

  const announce = () => {
    const other = currentTheme() === 'dark' ? 'light' : 'dark';
    button.setAttribute('aria-label', `Switch to ${other} theme`);
    button.title = `Switch to ${other} theme`;
    document.dispatchEvent(new Event('themechange'));
  };

  button.addEventListener('click', () => {
    choose(currentTheme() === 'dark' ? 'light' : 'dark');
    announce();
  });
  systemIsDark.addEventListener('change', announce);
  announce();
}

/** Keeps a choice only while it differs from the system's, so that agreeing means following it. */
function choose(theme: Theme): void {
  const followsSystem = (theme === 'dark') === systemIsDark.matches;
  const root = document.documentElement;
  if (followsSystem) delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    if (followsSystem) localStorage.removeItem('theme');
    else localStorage.setItem('theme', theme);
  } catch {
    // The choice then lasts for this page alone.
  }
}
