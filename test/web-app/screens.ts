/** Every screen of the web host, by the name of its picture: where it is, and who looks at it. */
export const SCREENS: readonly Screen[] = [
  { name: 'front', path: '/', as: 'nobody' },
  { name: 'sign-in', path: '/sign-in', as: 'nobody' },
  { name: 'sign-up', path: '/sign-up', as: 'nobody' },
  { name: 'public-brief', path: '/ada/reading-list', as: 'nobody' },
  { name: 'public-page', path: '/ada/pages/dice', as: 'nobody' },
  { name: 'profile', path: '/ada', as: 'nobody' },
  { name: 'not-found', path: '/ada/nothing', as: 'nobody' },
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
  { name: 'rename', path: '/rename/ada/plan' },
  { name: 'delete', path: '/delete/ada/plan' },
  { name: 'share', path: '/share/ada/plan' },
  { name: 'share-as-reader', path: '/share/ada/reading-list', as: 'newcomer' },
  { name: 'new-brief', path: '/new' },
  { name: 'edit-brief', path: '/edit/ada/plan' },
  { name: 'new-page', path: '/new/page' },
  { name: 'edit-page', path: '/edit/ada/pages/dice' },
  { name: 'invitations', path: '/invitations' },
  { name: 'invitations-empty', path: '/invitations', as: 'newcomer' },
  { name: 'organizations', path: '/organizations' },
  { name: 'organizations-empty', path: '/organizations', as: 'newcomer' },
  { name: 'new-organization', path: '/organizations/new' },
  { name: 'organization', path: '/organizations/observatory' },
  { name: 'organization-members', path: '/organizations/observatory/members' },
  { name: 'organization-invitations', path: '/organizations/observatory/invitations' },
  { name: 'organization-settings', path: '/organizations/observatory/settings' },
  { name: 'settings', path: '/settings' },
  { name: 'settings-password', path: '/settings/password' },
  { name: 'settings-sessions', path: '/settings/sessions' },
  { name: 'settings-tokens', path: '/settings/tokens' },
  { name: 'settings-applications', path: '/settings/applications' },
  { name: 'settings-uploads', path: '/settings/uploads' },
  { name: 'settings-appearance', path: '/settings/appearance' },
  { name: 'settings-account', path: '/settings/account' },
  { name: 'import', path: '/import' },
];

export interface Screen {
  name: string;
  path: string;
  /** `ada`, who has everything, where it is not said. */
  as?: 'nobody' | 'newcomer';
}
