export type Theme = 'light' | 'dark';

/** The chosen theme. `system` follows the operating system. */
export type ThemeChoice = Theme | 'system';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme(): ThemeChoice {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** Returns the theme in use: the chosen one, else the system's. */
export function currentTheme(): Theme {
  const chosen = chosenTheme();
  if (chosen !== 'system') return chosen;
  return systemIsDark.matches ? 'dark' : 'light';
}

/** Calls back after every change of the theme, by the user or by the system. */
export function onThemeChange(changed: () => void): void {
  document.addEventListener('themechange', changed);
}

/** Makes the theme button work, and names it after the theme that it switches to. */
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
    // Choosing the system's theme means following it.
    chooseTheme((theme === 'dark') === systemIsDark.matches ? 'system' : theme);
  });
  systemIsDark.addEventListener('change', announce);
  onThemeChange(sayWhatItDoes);
  announce();
}

/** Applies a theme and saves it in this browser. */
export function chooseTheme(choice: ThemeChoice): void {
  const root = document.documentElement;
  if (choice === 'system') delete root.dataset.theme;
  else root.dataset.theme = choice;
  try {
    if (choice === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', choice);
  } catch {
    // Without storage, the choice applies only to this page.
  }
  announce();
}

function announce(): void {
  document.dispatchEvent(new Event('themechange'));
}

function otherTheme(): Theme {
  return currentTheme() === 'dark' ? 'light' : 'dark';
}
