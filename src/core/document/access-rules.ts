import { isVisibleTo, type OwnerType, type Visibility } from '../../base/schema/visibility.ts';

/** The levels of access to a document, lowest first. */
export const LEVELS = ['none', 'read', 'write', 'admin'] as const;
export type Level = (typeof LEVELS)[number];

/** The levels that a collaborator can have (specification, part "Permission levels"). */
export const PERMISSIONS = ['read', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * What a secret link allows. Reading needs no account; commenting does (`core/review/review-access.ts`).
 * A link makes no one an insider.
 */
export const LINK_ACCESS = ['read', 'comment'] as const;
export type LinkAccess = (typeof LINK_ACCESS)[number];

/** A visitor without an account, who has no role and no permission. */
export const NOBODY = { id: '' } as const;

/** What someone else's standing has to be replaced with for a visitor without an account. */
export const NO_STANDING = { actorId: NOBODY.id, role: null, permission: null } as const;

/** What an organization lets its members do with documents they can see. */
export type DefaultBriefPermission = 'none' | 'read' | 'write';

/** Everything that decides one person's level on one document. */
export interface Standing {
  ownerType: OwnerType;
  visibility: Visibility;
  ownerId: string;
  actorId: string;
  /** The person's role in the organization that owns the document. */
  role: 'admin' | 'member' | null;
  /** The person's permission as a collaborator, if any. */
  permission: Permission | null;
  /** The organization's setting for its members. */
  defaultBriefPermission: DefaultBriefPermission | null;
  /** When the account of the user who owns it was disabled; `null` if it isn't. */
  ownerDisabledAt: string | null;
  /** When an administrator of the instance took the document down; `null` if it isn't. */
  takenDownAt: string | null;
  /** What the request's secret link allows, if it came with one. */
  link?: LinkAccess | undefined;
}

/**
 * Returns the highest level from any source (decisions, part "Who may do what"). While the account
 * of its owner is disabled, a document is only there for its collaborators, who can read it
 * (decision 014). So what becomes public again with the account is what was public before.
 * A document that is taken down is there for nobody.
 */
export function effectiveLevel(standing: Standing): Level {
  if (standing.takenDownAt !== null) return 'none';
  if (standing.ownerDisabledAt !== null) return standing.permission === null ? 'none' : 'read';
  if (managesOwner(standing)) return 'admin';
  return highest(
    standing.permission ?? 'none',
    byMembership(standing),
    byVisibility(standing),
    byLink(standing),
  );
}

/**
 * Tells whether someone can read a document even without its public visibility or a secret link.
 * Only insiders can read all old texts, which may date from before the document was published.
 */
export function isInsider(standing: Standing): boolean {
  if (managesOwner(standing) || standing.permission !== null) return true;
  return byMembership(standing) !== 'none';
}

function byMembership({ role, visibility, defaultBriefPermission }: Standing): Level {
  return role === null ? 'none' : levelOfMembers(visibility, defaultBriefPermission);
}

/** Returns the level that membership alone gives on an organization's document. */
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

/** Returns the level that a secret link gives: every link allows reading. */
function byLink({ link }: Standing): Level {
  return link === undefined ? 'none' : 'read';
}

function highest(...levels: Level[]): Level {
  return levels.reduce((best, level) => (atLeast(level, best) ? level : best), 'none');
}

/** Returns the permission that allows more. */
export function higherPermission(one: Permission, other: Permission): Permission {
  return atLeast(one, other) ? one : other;
}

/** Tells whether `level` includes `needed`. */
function atLeast(level: Level, needed: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
}

/** Presents the caller's level as the API's `permissions`. */
export function presentPermissions(level: Level): Record<Permission, boolean> {
  return {
    admin: atLeast(level, 'admin'),
    write: atLeast(level, 'write'),
    read: atLeast(level, 'read'),
  };
}

interface Rule {
  allows: (standing: Standing) => boolean;
  /** Whom it allows, for the API's reference. */
  who: string;
}

const needs = (level: Permission): Rule => ({
  allows: (standing) => atLeast(effectiveLevel(standing), level),
  who: level,
});

/**
 * Tells whether someone manages all documents of the owner, as the owner or as an admin of the
 * organization.
 */
function managesOwner({ ownerId, actorId, role }: Standing): boolean {
  return ownerId === actorId || role === 'admin';
}

/**
 * Allows only the owner to move a user's document, because a move by a collaborator couldn't be
 * undone by the owner. Deleting needs less, because the owner can restore the document.
 */
const movesIt: Rule = {
  allows: (standing) =>
    standing.ownerType === 'user'
      ? standing.ownerId === standing.actorId
      : atLeast(effectiveLevel(standing), 'admin'),
  who: 'admin; a user’s document: its owner',
};

/** The access rules (specification, parts "Briefs" to "Brief invitations"). */
const RULES = {
  read: needs('read'),
  editContent: needs('write'),
  rename: needs('write'),
  changeVisibility: needs('admin'),
  delete: needs('admin'),
  move: movesIt,
  share: needs('admin'),
  pin: needs('admin'),
  eraseRevision: needs('admin'),
  label: needs('write'),
  pinToTop: { allows: managesOwner, who: 'owner, or admin of the organization' },
} satisfies Record<string, Rule>;

export type DocumentAction = keyof typeof RULES;

/**
 * Decides whether someone can do `action`. Hides the document from those who can't read it. Those who
 * manage a document that is taken down learn that it is, and can only delete it.
 *
 * @param standing the person's standing towards the document; `undefined` if there is no document
 */
export function decide(
  standing: Standing | undefined,
  action: DocumentAction,
): 'allow' | 'forbidden' | 'not-found' | 'taken-down' {
  if (!standing) return 'not-found';
  if (standing.takenDownAt !== null) return decideTakenDown(standing, action);
  if (!RULES.read.allows(standing)) return 'not-found';
  return RULES[action].allows(standing) ? 'allow' : 'forbidden';
}

function decideTakenDown(
  standing: Standing,
  action: DocumentAction,
): 'allow' | 'not-found' | 'taken-down' {
  if (standing.ownerDisabledAt !== null || !managesOwner(standing)) return 'not-found';
  return action === 'delete' ? 'allow' : 'taken-down';
}

/** Says whom `action` is allowed, for the API's reference. */
export function whoCan(action: DocumentAction): string {
  return RULES[action].who;
}

/**
 * Tells whether the actor can do `action`; `false` if the document was loaded for another actor.
 */
export function allow(actor: { id: string }, action: DocumentAction, document: Standing): boolean {
  return document.actorId === actor.id && decide(document, action) === 'allow';
}

/**
 * Tells whether an owner's documents can have this visibility: `internal` needs an organization.
 */
export function allowsVisibility(ownerType: OwnerType, visibility: Visibility): boolean {
  return visibility !== 'internal' || ownerType === 'organization';
}
