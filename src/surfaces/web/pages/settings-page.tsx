import type { ComponentChildren, JSX } from 'preact';
import type { AppPage } from './app-page.tsx';
import type { Site } from './assets.ts';
import { PageHead, Tabs } from './parts.tsx';

interface Part {
  href: string;
  label: string;
  /** The part whose tab it shares. */
  of?: SettingsPart;
  /** What it is called beside the others of its tab. */
  besideOthers?: string;
}

export type SettingsPart =
  | 'profile'
  | 'security'
  | 'password'
  | 'sessions'
  | 'activity'
  | 'notifications'
  | 'tokens'
  | 'applications'
  | 'webhooks'
  | 'appearance'
  | 'storage'
  | 'uploads'
  | 'account';

/** The parts of the settings. Each has its own address. */
const PARTS: Record<SettingsPart, Part> = {
  profile: { href: '/settings', label: 'Profile' },
  security: {
    href: '/settings/security',
    label: 'Security',
    besideOthers: 'Passkeys and codes',
  },
  password: { href: '/settings/password', label: 'Password', of: 'security' },
  sessions: { href: '/settings/sessions', label: 'Sessions', of: 'security' },
  activity: { href: '/settings/activity', label: 'Activity', of: 'security' },
  notifications: { href: '/settings/notifications', label: 'Notifications' },
  tokens: { href: '/settings/tokens', label: 'Tokens' },
  applications: { href: '/settings/applications', label: 'Apps' },
  webhooks: { href: '/settings/webhooks', label: 'Webhooks' },
  appearance: { href: '/settings/appearance', label: 'Appearance' },
  storage: { href: '/settings/storage', label: 'Storage', besideOthers: 'Limits' },
  uploads: { href: '/settings/uploads', label: 'Uploads', of: 'storage' },
  account: { href: '/settings/account', label: 'Account' },
};

export function settingsPath(part: SettingsPart): string {
  return PARTS[part].href;
}

/** Returns the available parts: those about mail and passwords only if there are any. */
function partsOf({ sendsMail, hasPasswords }: Site): [SettingsPart, Part][] {
  return (Object.entries(PARTS) as [SettingsPart, Part][]).filter(
    ([name]) => (name !== 'notifications' || sendsMail) && (name !== 'password' || hasPasswords),
  );
}

const tabOf = (part: SettingsPart) => PARTS[part].of ?? part;

/** Renders what shares the tab of a part, if something does. */
function PartsOfTab({ site, part }: { site: Site; part: SettingsPart }): JSX.Element | null {
  const parts = partsOf(site).filter(([name]) => tabOf(name) === tabOf(part));
  if (parts.length === 1) return null;
  return (
    <nav class="segments" aria-label={PARTS[tabOf(part)].label}>
      {parts.map(([name, { href, label, besideOthers }]) => (
        <a href={href} aria-current={name === part ? 'page' : undefined}>
          {besideOthers ?? label}
        </a>
      ))}
    </nav>
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
          tabs={partsOf(site)
            .filter(([, { of }]) => of === undefined)
            .map(([name, { href, label }]) => ({
              href,
              label,
              isHere: name === part || (name === tabOf(part) && 'within'),
            }))}
        />
        <PartsOfTab site={site} part={part} />
        <div class="settings-column">{children}</div>
      </div>
    ),
  };
}
