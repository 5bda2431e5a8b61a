/** Paths that the test replaces with addresses known only to the running service. */
export const CONSENT = 'consent';
export const SECRET_LINK = 'secret link';

/** Every screen of the web host, by the name of its screenshot: its path and viewer. */
export const SCREENS: readonly Screen[] = [
  { name: 'front', path: '/', as: 'nobody' },
  { name: 'sign-in', path: '/sign-in', as: 'nobody' },
  { name: 'sign-up', path: '/sign-up', as: 'nobody' },
  { name: 'public-brief', path: '/ada/reading-list', as: 'nobody' },
  { name: 'public-page', path: '/ada/pages/dice', as: 'nobody' },
  { name: 'profile', path: '/ada', as: 'nobody' },
  { name: 'not-found', path: '/ada/nothing', as: 'nobody', status: 404 },
  { name: 'profile-organization', path: '/observatory', as: 'nobody' },
  { name: 'reference', path: '/reference', as: 'nobody' },
  { name: 'home-empty', path: '/', as: 'newcomer' },
  { name: 'home', path: '/' },
  { name: 'home-own', path: '/?in=own' },
  { name: 'shared', path: '/shared' },
  { name: 'shared-empty', path: '/shared', as: 'newcomer' },
  { name: 'search', path: '/search?q=mirror' },
  { name: 'search-nothing', path: '/search?q=xyzzy' },
  { name: 'read-brief', path: '/read/ada/plan' },
  { name: 'read-page', path: '/read/ada/pages/dice' },
  { name: 'history', path: '/history/ada/plan' },
  { name: 'comparison', path: '/history/ada/plan?from=1&to=2' },
  { name: 'erase', path: '/history/ada/plan?erase=1' },
  { name: 'revision-brief', path: '/read/ada/plan@1' },
  { name: 'revision-page', path: '/read/ada/pages/dice@1' },
  { name: 'rename', path: '/rename/ada/plan' },
  { name: 'delete', path: '/delete/ada/plan' },
  { name: 'share', path: '/share/ada/plan' },
  { name: 'review', path: '/review/ada/plan' },
  { name: 'share-as-reader', path: '/share/ada/reading-list', as: 'newcomer' },
  { name: 'new-brief', path: '/new' },
  { name: 'edit-brief', path: '/edit/ada/plan' },
  { name: 'new-page', path: '/new/page' },
  { name: 'edit-page', path: '/edit/ada/pages/dice' },
  { name: 'inbox', path: '/inbox' },
  { name: 'inbox-empty', path: '/inbox', as: 'newcomer' },
  { name: 'notifications', path: '/notifications/ada/plan' },
  { name: 'invitations', path: '/invitations' },
  { name: 'invitations-empty', path: '/invitations', as: 'newcomer' },
  { name: 'connect', path: '/connect' },
  { name: 'connect-device', path: '/connect/device?user_code=BCDF-GHJK' },
  { name: 'organizations', path: '/organizations' },
  { name: 'organizations-empty', path: '/organizations', as: 'newcomer' },
  { name: 'new-organization', path: '/organizations/new' },
  { name: 'organization', path: '/organizations/observatory' },
  { name: 'organization-members', path: '/organizations/observatory/members' },
  { name: 'organization-invitations', path: '/organizations/observatory/invitations' },
  { name: 'organization-trash', path: '/organizations/observatory/trash' },
  { name: 'organization-settings', path: '/organizations/observatory/settings' },
  { name: 'settings', path: '/settings' },
  { name: 'settings-password', path: '/settings/password' },
  { name: 'settings-security', path: '/settings/security' },
  { name: 'settings-passkey', path: '/settings/security/passkeys/new' },
  { name: 'settings-codes', path: '/settings/security/codes' },
  { name: 'settings-sessions', path: '/settings/sessions' },
  { name: 'settings-notifications', path: '/settings/notifications' },
  { name: 'settings-tokens', path: '/settings/tokens' },
  { name: 'settings-applications', path: '/settings/applications' },
  { name: 'settings-webhooks', path: '/settings/webhooks' },
  { name: 'organization-webhooks', path: '/organizations/observatory/webhooks' },
  { name: 'settings-uploads', path: '/settings/uploads' },
  { name: 'trash', path: '/trash' },
  { name: 'drafts', path: '/drafts' },
  { name: 'settings-appearance', path: '/settings/appearance' },
  { name: 'settings-storage', path: '/settings/storage' },
  { name: 'settings-activity', path: '/settings/activity' },
  { name: 'settings-account', path: '/settings/account' },
  { name: 'import', path: '/import' },
  ...[
    ['people', '/admin/people'],
    ['new-person', '/admin/people/new'],
    ['person', '/admin/people/ada'],
    ['rename-person', '/admin/people/ada/rename'],
    ['disable-person', '/admin/people/ada/disable'],
    ['delete-person', '/admin/people/grace/delete'],
    ['hand-over-person', '/admin/people/grace/hand-over'],
    ['managed-organizations', '/admin/organizations'],
    ['managed-organization', '/admin/organizations/observatory'],
    ['work', '/admin/work'],
    ['storage', '/admin/storage'],
    ['reports', '/admin/reports'],
    ['takedowns', '/admin/takedowns'],
    ['sign-up-invitations', '/admin/invitations'],
    ['limits-of-one', '/admin/quotas/ada'],
    ['audit', '/admin/audit'],
    ['audit-of-one', '/admin/audit?person=ada'],
    ['no-person', '/admin/people?q=nobody'],
  ].map(([name, path]) => ({ name: `${name}`, path: `${path}`, as: 'steward' as const })),
  { name: 'not-found-in-app', path: '/read/ada/nothing', status: 404 },
  { name: 'forbidden-in-app', path: '/edit/ada/reading-list', as: 'newcomer', status: 403 },
];

/** Dialogs and menus over screens, and screens whose addresses only the running service knows. */
export const STATES: readonly Screen[] = [
  { name: 'consent', path: CONSENT },
  { name: 'consent-signed-out', path: CONSENT, as: 'nobody' },
  { name: 'secret-link', path: SECRET_LINK, as: 'nobody' },
  ...['share', 'review', 'notifications', 'labels', 'rename', 'move', 'delete'].map((act) => ({
    name: `dialog-${act}`,
    path: '/read/ada/plan',
    opens: { click: `a[data-dialog][href^="/${act}/ada/plan"]`, shows: 'dialog[open]' },
  })),
  ...[
    ['remove-member', '/organizations/observatory/members'],
    ['revoke-token', '/settings/tokens'],
    ['delete-forever', '/trash'],
  ].map(([name, path]) => ({
    name: `dialog-${name}`,
    path: `${path}`,
    opens: { click: 'main a[data-dialog]', shows: 'dialog[open]' },
  })),
  {
    name: 'menu-document',
    path: '/read/ada/reading-list',
    opens: { click: 'summary[title="More"]', shows: '.menu[open]' },
  },
  {
    name: 'menu-row',
    path: '/?in=own',
    opens: { click: 'summary[title="More"]', shows: '.menu[open]' },
  },
  {
    name: 'menu-filter',
    path: '/search?q=mirror',
    opens: { click: '.list-tools summary', shows: '.menu[open]' },
  },
  {
    name: 'dialog-disable-person',
    path: '/admin/people/ada',
    as: 'steward',
    opens: { click: 'a[data-dialog][href$="/disable"]', shows: 'dialog[open]' },
  },
  { name: 'palette', path: '/read/ada/plan', opens: { key: 'Control+k', shows: 'dialog[open]' } },
  { name: 'shortcuts', path: '/', opens: { key: '?', shows: 'dialog[open]' } },
];

export interface Screen {
  name: string;
  path: string;
  /** `ada` by default, who has everything; `steward` administers the instance. */
  as?: 'nobody' | 'newcomer' | 'steward';
  /** 200 by default. */
  status?: number;
  /** A dialog or menu over the screen: what opens it, and what then appears. */
  opens?: { shows: string } & ({ click: string } | { key: string });
}
