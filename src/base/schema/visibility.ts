export const VISIBILITIES = ['public', 'private', 'internal'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export type OwnerType = 'user' | 'organization';

/** Roles towards an owner's documents. A user is the admin of their own. */
export const OWNER_ROLES = ['admin', 'member', 'none'] as const;
export type OwnerRole = (typeof OWNER_ROLES)[number];

/** The visibilities of the documents that each role can read without a permission. */
export const VISIBLE_TO = {
  admin: VISIBILITIES,
  member: ['public', 'internal'],
  none: ['public'],
} as const satisfies Record<OwnerRole, readonly Visibility[]>;

/** Tells whether a role alone allows reading documents of this visibility. */
export function isVisibleTo(role: OwnerRole, visibility: Visibility): boolean {
  return (VISIBLE_TO[role] as readonly Visibility[]).includes(visibility);
}

/** Who can see a document: whom its visibility lets in, or anyone with a secret link. */
export type SeenBy = Visibility | 'link';

/** Returns who can see a document of this visibility, with or without a secret link that works. */
export function seenBy(visibility: Visibility, hasLink: boolean): SeenBy {
  return hasLink && visibility !== 'public' ? 'link' : visibility;
}
