/** Member roles (specification, part "Organization"). */
export const ROLES = ['admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** What members can do with documents that are not private. */
export const DEFAULT_BRIEF_PERMISSIONS = ['none', 'read', 'write'] as const;
export type DefaultBriefPermission = (typeof DEFAULT_BRIEF_PERMISSIONS)[number];
