import type { ComponentChildren } from 'preact';
import type { AppPage } from './app-page.tsx';
import type { Site } from './assets.ts';
import { PageHead, Tabs } from './parts.tsx';

/** The parts of the settings. Each has its own address. */
const PARTS = {
  profile: { href: '/settings', label: 'Profile' },
  password: { href: '/settings/password', label: 'Password' },
  security: { href: '/settings/security', label: 'Security' },
  sessions: { href: '/settings/sessions', label: 'Sessions' },
  notifications: { href: '/settings/notifications', label: 'Notifications' },
  tokens: { href: '/settings/tokens', label: 'Tokens' },
  applications: { href: '/settings/applications', label: 'Apps' },
  webhooks: { href: '/settings/webhooks', label: 'Webhooks' },
  uploads: { href: '/settings/uploads', label: 'Uploads' },
  appearance: { href: '/settings/appearance', label: 'Appearance' },
  account: { href: '/settings/account', label: 'Account' },
} as const;

export type SettingsPart = keyof typeof PARTS;

export function settingsPath(part: SettingsPart): string {
  return PARTS[part].href;
}

/** Returns the available parts: those about mail and passwords only if there are any. */
function partsOf({ sendsMail, hasPasswords }: Site) {
  return Object.entries(PARTS).filter(
    ([name]) => (name !== 'notifications' || sendsMail) && (name !== 'password' || hasPasswords),
  );
}

/** Lays out a part of the settings with tabs that lead to the others. */
export function settingsPage(
  part: SettingsPart,
  children: ComponentChildren,
  more: Pick<AppPage, 'scripts' | 'stylesheets'> = {},
): AppPage {
  return {
    title: `Settings: ${PARTS[part].label.toLowerCase()}`,
    place: 'settings',
    ...more,
    children: (site) => (
      <div class="sheet settings">
        <PageHead title="Settings" />
        <Tabs
          label="Settings"
          tabs={partsOf(site).map(([name, tab]) => ({ ...tab, isHere: name === part }))}
        />
        <div class="settings-column">{children}</div>
      </div>
    ),
  };
}
