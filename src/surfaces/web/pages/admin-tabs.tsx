import type { ComponentChildren } from 'preact';
import { REPORTS_PATH, SIGN_UP_INVITATIONS_PATH, TAKEDOWNS_PATH } from '../addresses.ts';
import type { AppPage } from './app-page.tsx';
import { PageHead, Tabs } from './parts.tsx';

const TABS = [
  { tab: 'reports', label: 'Reports', href: REPORTS_PATH },
  { tab: 'takedowns', label: 'Taken down', href: TAKEDOWNS_PATH },
  { tab: 'invitations', label: 'Invitations', href: SIGN_UP_INVITATIONS_PATH },
] as const;

export type ModerationTab = (typeof TABS)[number]['tab'];

/** Returns a screen of administrators of the instance about what others published. */
export function moderationPage(page: {
  tab: ModerationTab;
  title: string;
  /** The heading; by default the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}): AppPage {
  const { tab, title, actions, children } = page;
  return {
    title,
    children: (
      <div class="sheet">
        <PageHead title={title}>{actions}</PageHead>
        <Tabs
          label="This instance"
          tabs={TABS.map((one) => ({ href: one.href, label: one.label, isHere: one.tab === tab }))}
        />
        {children}
      </div>
    ),
  };
}
