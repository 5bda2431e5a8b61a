import type { ComponentChildren } from 'preact';
import { REPORTS_PATH, SIGN_UP_INVITATIONS_PATH, TAKEDOWNS_PATH } from '../addresses.ts';
import type { AppPage } from './app-page.tsx';
import { PageHead, Tabs } from './parts.tsx';

/** The parts of the administration. Each has its own address. */
const PARTS = {
  people: { href: '/admin/people', label: 'People' },
  organizations: { href: '/admin/organizations', label: 'Organizations' },
  reports: { href: REPORTS_PATH, label: 'Reports' },
  takedowns: { href: TAKEDOWNS_PATH, label: 'Taken down' },
  invitations: { href: SIGN_UP_INVITATIONS_PATH, label: 'Invitations' },
  work: { href: '/admin/work', label: 'Background work' },
  storage: { href: '/admin/storage', label: 'Storage' },
  audit: { href: '/admin/audit', label: 'Audit trail' },
} as const;

export type AdministrationPart = keyof typeof PARTS;

/** Lays out a part of the administration with tabs that lead to the others. */
export function administrationPage(
  part: AdministrationPart,
  page: {
    /** What the page is about, if it is one of a list. */
    about?: ComponentChildren;
    title?: string;
    /** Buttons and links beside the heading. */
    actions?: ComponentChildren;
    children: ComponentChildren;
  },
): AppPage {
  const { about = 'Administration', title = PARTS[part].label, actions, children } = page;
  return {
    title: `Administration: ${title}`,
    place: 'administration',
    stylesheets: ['administration.css'],
    children: (
      <div class="sheet settings administration">
        <PageHead title={about}>{actions}</PageHead>
        <Tabs
          label="Administration"
          tabs={Object.entries(PARTS).map(([name, tab]) => ({ ...tab, isHere: name === part }))}
        />
        {children}
      </div>
    ),
  };
}
