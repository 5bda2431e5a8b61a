/** The scopes, with what the consent page and the settings say about each. */
export const SCOPE_DESCRIPTIONS = {
  'documents:read': 'Read your briefs, pages and files, and those shared with you',
  'documents:write': 'Write, rename, publish and delete briefs, pages and files',
  comments: 'Comment on documents, suggest changes and review them',
  sharing: 'Invite people to documents, change or remove their access, and answer invitations',
  organizations:
    'See and manage your organizations, their members and settings, and delete them with all their documents',
  profile: 'See your username and email address, and look up other usernames',
  'profile:write': 'Change your public profile: display name, summary and picture',
  admin:
    'Administer this instance: see and change all accounts, repair organizations, and manage background work',
} as const;
