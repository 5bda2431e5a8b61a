import { chooseTheme, chosenTheme, onThemeChange, type ThemeChoice } from './theme-switch.ts';

/** Makes the theme setting work, and keeps it in sync with the switch in the bar. */
export function connectThemeChoice(): void {
  const choice = document.querySelector('[data-theme-choice]');
  if (!choice) return;
  const radios = choice.querySelectorAll<HTMLInputElement>('input[type="radio"]');
  const showChosen = () => {
    for (const radio of radios) radio.checked = radio.value === chosenTheme();
  };
  choice.addEventListener('change', (event) => {
    chooseTheme((event.target as HTMLInputElement).value as ThemeChoice);
  });
  onThemeChange(showChosen);
  showChosen();
}
