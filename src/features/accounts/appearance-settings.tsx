import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';

const THEMES: { value: string; label: string; means?: string }[] = [
  { value: 'system', label: 'System', means: 'Follows your device.' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

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
              aria-describedby={means && `theme-${value}-hint`}
            />
            <label for={`theme-${value}`}>{label}</label>
            {means && (
              <p class="hint" id={`theme-${value}-hint`}>
                {means}
              </p>
            )}
          </div>
        ))}
        <p class="hint">Saved in this browser only.</p>
      </fieldset>
      <noscript>
        <p>Without JavaScript, the theme follows your device. Turn JavaScript on to choose one.</p>
      </noscript>
    </section>,
  );
}
