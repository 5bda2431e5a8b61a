/** How much somebody may do with a document, least first. */
export const LEVELS = ['none', 'read', 'write', 'admin'] as const;
export type Level = (typeof LEVELS)[number];

/** The levels that can be given to somebody (specification, part "Permission levels"). */
export const PERMISSIONS = ['read', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const VISIBILITIES = ['public', 'private', 'internal'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export type OwnerType = 'user' | 'organization';

/** The level each action needs (specification, parts "Briefs" to "Brief invitations"). */
const NEEDED = {
  read: 'read',
  editContent: 'write',
  rename: 'write',
  changeVisibility: 'admin',
  delete: 'admin',
  share: 'admin',
  pin: 'admin',
  eraseRevision: 'admin',
} as const satisfies Record<string, Permission>;

export type DocumentAction = keyof typeof NEEDED;

/** Where one person stands towards one document: all that decides their level. */
export interface Standing {
  ownerType: OwnerType;
  visibility: Visibility;
  ownerId: string;
  /** The person. */
  actorId: string;
  /** The person's role in the organization that owns the document. */
  role: 'admin' | 'member' | null;
  /** The person's permission as a collaborator. */
  permission: Permission | null;
  /** What the organization that owns the document gives its members. */
  defaultBriefPermission: 'none' | 'read' | 'write' | null;
}

/** The highest level that any source gives (decisions, part "Who may do what"). */
export function effectiveLevel(standing: Standing): Level {
  if (standing.ownerId === standing.actorId || standing.role === 'admin') return 'admin';
  return highest(standing.permission ?? 'none', byMembership(standing), byVisibility(standing));
}

/**
 * Whether somebody can read a document for another reason than that it is public. Only insiders read old
 * texts: what was written before a document became public was not written for everyone.
 */
export function isInsider(standing: Standing): boolean {
  const { ownerId, actorId, role, permission } = standing;
  if (ownerId === actorId || role === 'admin' || permission !== null) return true;
  return byMembership(standing) !== 'none';
}

function byMembership({ role, visibility, defaultBriefPermission }: Standing): Level {
  if (role === null || visibility === 'private') return 'none';
  return defaultBriefPermission === 'write' ? 'write' : 'read';
}

function byVisibility({ visibility }: Standing): Level {
  return visibility === 'public' ? 'read' : 'none';
}

function highest(...levels: Level[]): Level {
  return levels.reduce((best, level) => (atLeast(level, best) ? level : best), 'none');
}

/** Whether `level` includes `needed`. */
function atLeast(level: Level, needed: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
}

/** The caller's rights as the API shows them. */
export function presentPermissions(level: Level): Record<Permission, boolean> {
  return {
    admin: atLeast(level, 'admin'),
    write: atLeast(level, 'write'),
    read: atLeast(level, 'read'),
  };
}

/**
 * Whether somebody with `level` may do `action`. Who may not even read must not learn that the
 * document is there.
 */
export function decide(level: Level, action: DocumentAction): 'allow' | 'forbidden' | 'not-found' {
  if (!atLeast(level, 'read')) return 'not-found';
  return atLeast(level, NEEDED[action]) ? 'allow' : 'forbidden';
}

/** Whether a document of this owner may have this visibility: only organizations have an inside. */
export function allowsVisibility(ownerType: OwnerType, visibility: Visibility): boolean {
  return visibility !== 'internal' || ownerType === 'organization';
}
