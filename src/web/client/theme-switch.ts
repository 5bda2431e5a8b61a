export type Theme = 'light' | 'dark';

/** What the reader has chosen; `system` follows the system's. */
export type ThemeChoice = Theme | 'system';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The reader's choice. */
export function chosenTheme(): ThemeChoice {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** The theme the page is shown in: the reader's choice, else the system's. */
export function currentTheme(): Theme {
  const chosen = chosenTheme();
  if (chosen !== 'system') return chosen;
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

  const sayWhatItDoes = () => {
    const other = otherTheme();
    button.setAttribute('aria-label', `Switch to ${other} theme`);
    button.title = `Switch to ${other} theme`;
  };

  button.addEventListener('click', () => {
    const theme = otherTheme();
    // Agreeing with the system means following it.
    chooseTheme((theme === 'dark') === systemIsDark.matches ? 'system' : theme);
  });
  systemIsDark.addEventListener('change', announce);
  onThemeChange(sayWhatItDoes);
  announce();
}

/** Shows a theme from now on, in this browser. */
export function chooseTheme(choice: ThemeChoice): void {
  const root = document.documentElement;
  if (choice === 'system') delete root.dataset.theme;
  else root.dataset.theme = choice;
  try {
    if (choice === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', choice);
  } catch {
    // The choice then lasts for this page alone.
  }
  announce();
}

function announce(): void {
  document.dispatchEvent(new Event('themechange'));
}

function otherTheme(): Theme {
  return currentTheme() === 'dark' ? 'light' : 'dark';
}
