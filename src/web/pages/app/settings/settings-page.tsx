import type { ComponentChildren } from 'preact';
import type { AppPage } from '../app-page.tsx';
import { PageHead, Tabs } from '../parts.tsx';

/** The parts of the settings. Each has its own address. */
const PARTS = {
  profile: { href: '/settings', label: 'Profile' },
  password: { href: '/settings/password', label: 'Password' },
  sessions: { href: '/settings/sessions', label: 'Sessions' },
  tokens: { href: '/settings/tokens', label: 'Tokens' },
  applications: { href: '/settings/applications', label: 'Apps' },
  uploads: { href: '/settings/uploads', label: 'Uploads' },
  trash: { href: '/settings/trash', label: 'Trash' },
  appearance: { href: '/settings/appearance', label: 'Appearance' },
  account: { href: '/settings/account', label: 'Account' },
} as const;

export type SettingsPart = keyof typeof PARTS;

export function settingsPath(part: SettingsPart): string {
  return PARTS[part].href;
}

/** Lays out a part of the settings with tabs that lead to the others. */
export function settingsPage(
  part: SettingsPart,
  children: ComponentChildren,
  more: Pick<AppPage, 'scripts'> = {},
): AppPage {
  const tabs = Object.entries(PARTS).map(([name, tab]) => ({ ...tab, isHere: name === part }));
  return {
    title: `Settings: ${PARTS[part].label.toLowerCase()}`,
    place: 'settings',
    ...more,
    children: (
      <div class="sheet settings">
        <PageHead title="Settings" />
        <Tabs label="Settings" tabs={tabs} />
        <div class="settings-column">{children}</div>
      </div>
    ),
  };
}
