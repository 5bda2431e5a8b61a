/** How much somebody may do with a document, least first. */
export const LEVELS = ['none', 'read', 'write', 'admin'] as const;
export type Level = (typeof LEVELS)[number];

/** The levels that can be given to somebody (specification, part "Permission levels"). */
export const PERMISSIONS = ['read', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const VISIBILITIES = ['public', 'private', 'internal'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export type OwnerType = 'user' | 'organization';

/** The roles towards an owner's documents. A user is the admin of their own. */
export const OWNER_ROLES = ['admin', 'member', 'none'] as const;
export type OwnerRole = (typeof OWNER_ROLES)[number];

/** The visibilities that each role can see by itself, without a permission on the document. */
export const VISIBLE_TO = {
  admin: VISIBILITIES,
  member: ['public', 'internal'],
  none: ['public'],
} as const satisfies Record<OwnerRole, readonly Visibility[]>;

/** Whether a role by itself opens documents of this visibility. */
export function isVisibleTo(role: OwnerRole, visibility: Visibility): boolean {
  return (VISIBLE_TO[role] as readonly Visibility[]).includes(visibility);
}

/** What an organization's setting gives its members on documents that they can see. */
export type DefaultBriefPermission = 'none' | 'read' | 'write';

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
  defaultBriefPermission: DefaultBriefPermission | null;
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
  return role === null ? 'none' : levelOfMembers(visibility, defaultBriefPermission);
}

/** Returns what membership alone gives on a document of an organization. */
export function levelOfMembers(
  visibility: Visibility,
  defaultBriefPermission: DefaultBriefPermission | null,
): Level {
  if (!isVisibleTo('member', visibility)) return 'none';
  return defaultBriefPermission === 'write' ? 'write' : 'read';
}

function byVisibility({ visibility }: Standing): Level {
  return isVisibleTo('none', visibility) ? 'read' : 'none';
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

type Rule = (standing: Standing) => boolean;

const needs =
  (level: Permission): Rule =>
  (standing) =>
    atLeast(effectiveLevel(standing), level);

/** Who may do what (specification, parts "Briefs" to "Brief invitations"). */
const RULES = {
  read: needs('read'),
  editContent: needs('write'),
  rename: needs('write'),
  changeVisibility: needs('admin'),
  delete: needs('admin'),
  share: needs('admin'),
  pin: needs('admin'),
  eraseRevision: needs('admin'),
} satisfies Record<string, Rule>;

export type DocumentAction = keyof typeof RULES;

/**
 * Decides whether somebody may do `action`. Who cannot even read a document must not learn that it
 * is there.
 *
 * @param standing towards the document; `undefined` when there is no such document
 */
export function decide(
  standing: Standing | undefined,
  action: DocumentAction,
): 'allow' | 'forbidden' | 'not-found' {
  if (!standing || !RULES.read(standing)) return 'not-found';
  return RULES[action](standing) ? 'allow' : 'forbidden';
}

/** Whether the actor may do `action` to a document, which was looked up for this actor. */
export function allow(actor: { id: string }, action: DocumentAction, document: Standing): boolean {
  return document.actorId === actor.id && decide(document, action) === 'allow';
}

/** Whether a document of this owner may have this visibility: only organizations have an inside. */
export function allowsVisibility(ownerType: OwnerType, visibility: Visibility): boolean {
  return visibility !== 'internal' || ownerType === 'organization';
}
