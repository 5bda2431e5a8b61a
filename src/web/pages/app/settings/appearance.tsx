import type { AppPage } from '../app-page.tsx';
import { settingsPage } from './settings-page.tsx';

const THEMES = [
  { value: 'system', label: 'System', means: 'As your device is set, also when that changes.' },
  { value: 'light', label: 'Light', means: 'Dark text on a light ground.' },
  { value: 'dark', label: 'Dark', means: 'Light text on a dark ground.' },
] as const;

/** How everything looks, in this browser. */
export function appearancePage(): AppPage {
  return settingsPage(
    'appearance',
    <section aria-labelledby="appearance">
      <h2 id="appearance">Appearance</h2>
      <fieldset class="choices needs-script" data-theme-choice>
        <legend>Theme</legend>
        {THEMES.map(({ value, label, means }) => (
          <div class="choice">
            <input
              type="radio"
              name="theme"
              value={value}
              id={`theme-${value}`}
              aria-describedby={`theme-${value}-hint`}
            />
            <label for={`theme-${value}`}>{label}</label>
            <p class="hint" id={`theme-${value}-hint`}>
              {means}
            </p>
          </div>
        ))}
        <p class="hint">Kept in this browser alone.</p>
      </fieldset>
      <noscript>
        <p>
          Without scripts, everything is light or dark as your device is set. Choosing here needs
          them.
        </p>
      </noscript>
    </section>,
  );
}
