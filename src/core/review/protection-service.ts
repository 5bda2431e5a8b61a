import { FieldError, ServiceError } from '../../base/errors.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor, Context } from '../context.ts';
import { decide, type Level, type Permission } from '../document/access-rules.ts';
import type { OwnedName } from '../document/document-alias-store.ts';
import { listStandings } from '../document/document-store.ts';
import { listUsernamesOf } from '../identity/account-store.ts';
import type { Role } from '../owner/organization-access.ts';
import { restrictsSharing } from '../owner/policy-service.ts';
import { listPinned } from '../revision/revision-store.ts';
import { rulingOn, type Situation } from './protection.ts';
import {
  findProtectedAt,
  findProtection,
  hasProtected,
  isProtected,
  listAppointed,
  listLeftAddresses,
  listManagers,
  type Protection,
} from './protection-store.ts';
import { type Approvals, isApproved, type Part, unapprovedParts } from './review.ts';
import { findLastRename, listJudgements, listTextWrites } from './review-store.ts';

/** A document, as far as its protection depends on it. */
interface Guarded {
  id: string;
  kind: Kind;
  name: string;
  ownerId: string;
  version: number;
  visibility: Visibility;
  /** The actor's role in the organization that owns it. */
  role: Role | null;
}

/**
 * Describes an act on a protected document.
 *
 * @param level the actor's level on the document, or role in its organization
 */
export function situationOf(
  { via }: Actor,
  level: Level | Role | null,
  given: Partial<Situation> = {},
): Situation {
  return {
    shown: 'unsaid',
    isWeb: via.means === 'web',
    isAdmin: level === 'admin',
    isProtected: true,
    isPublic: false,
    isApproved: false,
    isOwnWords: false,
    ...given,
  };
}

/** Who can put words that no one has approved before the public: whoever could end the protection. */
interface Answerable {
  isActor: boolean;
  /** Who that is, for messages. */
  inWords: string;
}

/**
 * Returns who answers for a protected document. If its organization protects it, or it has its
 * protection from its address, these are not all of its admins: members have full access to the
 * documents that they create, and could let in a second account of their own.
 */
export async function findAnswerable(
  db: Reader,
  actor: Actor,
  document: Guarded,
  { isInherited, level }: { isInherited: boolean; level: Level },
): Promise<Answerable> {
  if (!isInherited && (await isHeldByOthers(db, document))) {
    return {
      isActor: managesOwner(actor, document),
      inWords: 'the owner, or an admin of the organization,',
    };
  }
  return adminOf(document, { isInherited, level });
}

function adminOf(
  { role }: Pick<Guarded, 'role'>,
  { isInherited, level }: { isInherited: boolean; level: Level },
): Answerable {
  return isInherited
    ? { isActor: role === 'admin', inWords: 'an admin of the organization' }
    : { isActor: level === 'admin', inWords: 'an admin' };
}

function managesOwner(
  { id }: Actor,
  { ownerId, role }: Pick<Guarded, 'ownerId' | 'role'>,
): boolean {
  return ownerId === id || role === 'admin';
}

/** Tells whether another protected document was public at a document's address. */
async function isHeldByOthers(db: Reader, document: OwnedName & { id: string }): Promise<boolean> {
  const held = await findProtectedAt(db, document);
  return held?.documentIds.some((id) => id !== document.id) === true;
}

interface Change {
  level: Level;
  /** Whether the write replaces the text. */
  isNewText: boolean;
  /**
   * The authors of the suggestions that the write accepts, if it does nothing else; `null` for
   * deleted accounts.
   */
  accepted: readonly (string | null)[] | undefined;
  becomes: Visibility;
}

/**
 * Prevents a protected document from becoming public without an approval, and from being changed
 * directly while it is public.
 *
 * @returns whether the write lets words into a protected public text
 * @throws UNPROCESSABLE
 */
export async function requireApproval(
  db: Reader,
  actor: Actor,
  document: Guarded,
  { level, isNewText, accepted, becomes }: Change,
): Promise<boolean> {
  const isPublic = document.visibility === 'public';
  const changesPublic = isPublic && isNewText;
  if (becomes !== 'public' || (isPublic && !changesPublic)) return false;
  const { id, kind, ownerId } = document;
  const { isOwn, isInherited, twoPeople } = await findProtection(db, { documentId: id, ownerId });
  if (!isOwn && !isInherited) return false;
  if (!isPublic) {
    await requireApprovedWords(db, actor, document, { twoPeople, isNewText });
    return false;
  }
  const isOwnWords = twoPeople && accepted?.includes(actor.id) === true;
  const { isActor: isAdmin, inWords } = await findAnswerable(db, actor, document, {
    isInherited,
    level,
  });
  const ruling = rulingOn(
    accepted ? 'accept' : 'write',
    situationOf(actor, level, { isPublic, isOwnWords, isAdmin }),
  );
  if (ruling === 'allowed') return true;
  if (ruling === 'secondPerson') {
    throw new FieldError(
      'UNPROCESSABLE',
      'threads',
      `you wrote this suggestion yourself. This ${kind} is public and protected, so another admin ` +
        'has to accept it.',
    );
  }
  throw new FieldError(
    'UNPROCESSABLE',
    KINDS[kind].contentField,
    `this ${kind} is protected, so its text can’t be changed directly while it is public. ` +
      `Propose the change (in the API: "propose"); ${inWords} accepts it in the web app.`,
  );
}

/**
 * Refuses another name for a protected document that is public, or becomes so with it, unless whoever
 * answers for it gives it in the web app.
 *
 * @throws UNPROCESSABLE naming `name`
 */
export async function requireRenamable(
  db: Reader,
  actor: Actor,
  document: Guarded,
  { level, becomes }: { level: Level; becomes: Visibility },
): Promise<void> {
  if (becomes !== 'public') return;
  const { id, kind, ownerId } = document;
  const { isOwn, isInherited } = await findProtection(db, { documentId: id, ownerId });
  if (!isOwn && !isInherited) return;
  const { isActor: isAdmin, inWords } = await findAnswerable(db, actor, document, {
    isInherited,
    level,
  });
  const ruling = rulingOn('rename', situationOf(actor, level, { isPublic: true, isAdmin }));
  if (ruling !== 'allowed') throw nameProtected(kind, inWords);
}

function nameProtected(kind: Kind, who: string): FieldError {
  return new FieldError(
    'UNPROCESSABLE',
    'name',
    `this ${kind} is protected, and everyone reads its name while it is public, so only ${who} can ` +
      'change it, in the web app.',
  );
}

/**
 * Requires that the words that become readable are approved: the current text and those of pinned
 * revisions.
 *
 * @param options.isNewText whether the same write replaces the text, so no one can have read it
 * @throws UNPROCESSABLE
 */
async function requireApprovedWords(
  db: Reader,
  actor: Actor,
  document: Guarded,
  { twoPeople, isNewText = false }: { twoPeople: boolean; isNewText?: boolean },
): Promise<void> {
  const { id, kind, version } = document;
  const approvals = await loadApprovals(db, document);
  const isTextFine = !isNewText && isApprovedAt(approvals, { version, twoPeople });
  const isNameFine = await isNameApproved(db, approvals, id);
  const isFine = isTextFine && isNameFine;
  const ruling = rulingOn('publish', situationOf(actor, null, { isApproved: isFine }));
  if (ruling !== 'allowed') {
    if (isTextFine) {
      throw new FieldError(
        'UNPROCESSABLE',
        'visibility',
        `this ${kind} is protected, and was renamed since its text was approved. It becomes public ` +
          'once it is approved again in the web app.',
      );
    }
    const lacking = twoPeople && !isNewText ? await inAuthors(db, unapprovedParts(approvals)) : [];
    throw new FieldError(
      'UNPROCESSABLE',
      'visibility',
      `this ${kind} is protected: it becomes public once its text is approved in the web app by ` +
        'an admin, or a reviewer whom an admin asked there, and no one requests changes.' +
        lacking.map((each) => ` ${unapprovedInWords(each)}`).join(''),
    );
  }
  const pinned = await listPinned(db, id);
  const unapproved = pinned.find(
    (number) => !isApprovedAt(approvals, { version: number, twoPeople }),
  );
  if (unapproved === undefined) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'visibility',
    `this ${kind} is protected, and revision ${unapproved} is pinned without an approval, so it ` +
      'would become public, too. Unpin it first.',
  );
}

/**
 * Refuses a new public document in a protected organization or at a protected address. @throws
 * UNPROCESSABLE
 */
export async function requireUnprotected(
  db: Reader,
  document: OwnedName & { ownerType: OwnerType; visibility: Visibility },
): Promise<void> {
  const { ownerId, ownerType, kind, visibility } = document;
  if (visibility !== 'public') return;
  if (ownerType === 'organization' && (await isProtected(db, { documentId: '', ownerId }))) {
    throw new FieldError(
      'UNPROCESSABLE',
      'visibility',
      `this organization’s documents need an approval before they are public. Create the ${kind} ` +
        'as internal or private, and ask for a review.',
    );
  }
  if ((await findProtectedAt(db, document)) !== undefined) throw addressProtected(kind);
}

/**
 * Refuses to put a public document without an approval at the address of another protected one, or
 * from the trash into a protected organization, unless it was public there while it was protected.
 *
 * @param to the address, and the owner whose rules and approvals hold there
 * @param options.isFromTrash whether it isn't public at the moment
 * @param options.isNewText whether the same write replaces the text, so no one can have read it
 * @throws UNPROCESSABLE
 */
export async function requireArrival(
  db: Reader,
  actor: Actor,
  document: Guarded,
  to: OwnedName & { visibility: Visibility },
  { isFromTrash = false, isNewText = false }: { isFromTrash?: boolean; isNewText?: boolean } = {},
): Promise<void> {
  if (to.visibility !== 'public') return;
  const { id, kind } = document;
  const before = await findProtectedAt(db, to);
  if (before?.documentIds.every((held) => held === id)) return;
  const protection = await findProtection(db, { documentId: id, ownerId: to.ownerId });
  if (!before && !(isFromTrash && protection.isInherited)) return;
  const twoPeople = protection.twoPeople || before?.twoPeople === true;
  const there = { ...document, ownerId: to.ownerId };
  if (!isNewText && (await isWholeApproved(db, actor, there, { twoPeople }))) return;
  if (before) throw addressProtected(kind);
  throw new FieldError(
    'UNPROCESSABLE',
    'name',
    `this ${kind} would be public at once, and this organization’s documents need an approval before ` +
      'they are public, which this text didn’t get before it was deleted.',
  );
}

/**
 * Tells whether the current text and those of pinned revisions are approved.
 *
 * @param document.ownerId the owner for whom; for a move, the new one
 */
async function isWholeApproved(
  db: Reader,
  actor: Actor,
  document: Guarded,
  { twoPeople }: Pick<Protection, 'twoPeople'>,
): Promise<boolean> {
  const approvals = await loadApprovals(db, document);
  const texts = [document.version, ...(await listPinned(db, document.id))];
  const isApproved =
    texts.every((version) => isApprovedAt(approvals, { version, twoPeople })) &&
    (await isNameApproved(db, approvals, document.id));
  return rulingOn('publish', situationOf(actor, null, { isApproved })) === 'allowed';
}

function addressProtected(kind: Kind): FieldError {
  return new FieldError(
    'UNPROCESSABLE',
    'name',
    `a protected ${kind} was public under this name, so whatever takes the name is protected, too, ` +
      'and needs an approval before it is public. Choose another name, or make it private first.',
  );
}

/**
 * Refuses to move a document that will be public into a protected organization or to a protected
 * address without an approval. A protected document is moved only in the web app, by its owner or an
 * admin of its organization.
 *
 * @param document.role the actor's role in the organization that owns the document
 * @throws FORBIDDEN, UNPROCESSABLE
 */
export async function requireMovable(
  db: Reader,
  actor: Actor,
  document: Guarded,
  to: OwnedName & { visibility: Visibility },
): Promise<void> {
  const { id, ownerId, kind } = document;
  const here = await findProtection(db, { documentId: id, ownerId });
  const isAdmin = managesOwner(actor, document);
  const isProtectedHere = here.isOwn || here.isInherited;
  const leaving = situationOf(actor, isAdmin ? 'admin' : null, { isProtected: isProtectedHere });
  if (rulingOn('leave', leaving) !== 'allowed') {
    throw new ServiceError(
      'FORBIDDEN',
      here.isInherited
        ? 'This organization’s documents need an approval before they are public, so only its ' +
            'admins can move them to another owner, in the web app.'
        : `This ${kind} is protected, so only its owner can move it, in the web app.`,
    );
  }
  await requireAdmissible(db, actor, document, to);
}

/**
 * Refuses what {@link requireMovable} refuses because of the new owner.
 *
 * @throws UNPROCESSABLE
 */
export async function requireAdmissible(
  db: Reader,
  actor: Actor,
  document: Guarded,
  to: OwnedName & { visibility: Visibility },
): Promise<void> {
  const { kind } = document;
  await requireArrival(db, actor, document, to);
  const there = await findProtection(db, { documentId: '', ownerId: to.ownerId });
  if (to.visibility !== 'public' || !there.isInherited) return;
  const managesThere = (await listManagers(db, to.ownerId)).includes(actor.id);
  const naming = situationOf(actor, managesThere ? 'admin' : null, { isPublic: true });
  if (to.name !== document.name && rulingOn('rename', naming) !== 'allowed') {
    throw nameProtected(kind, 'an admin of that organization');
  }
  if (await isWholeApproved(db, actor, { ...document, ownerId: to.ownerId }, there)) return;
  throw new FieldError(
    'UNPROCESSABLE',
    'owner',
    'that organization’s documents need an approval before they are public' +
      `${there.twoPeople ? ', by someone who didn’t write them' : ''}. Get the text approved (and ` +
      `unpin revisions that aren’t), or make the ${kind} private first.`,
  );
}

/**
 * Refuses to pin a text of a protected document that is neither approved nor public, unless an admin
 * pins it in the web app.
 *
 * @throws UNPROCESSABLE
 */
export async function requirePinnable(
  db: Reader,
  actor: Actor,
  document: Guarded,
  { level, number }: { level: Level; number: number },
): Promise<void> {
  const { id, kind, ownerId } = document;
  const { isOwn, isInherited, twoPeople } = await findProtection(db, { documentId: id, ownerId });
  if (!isOwn && !isInherited) return;
  const approvals = await loadApprovals(db, document);
  const isCurrent = approvals.writes.every(({ version }) => version <= number);
  const isReadable = document.visibility === 'public' && isCurrent;
  const isFine = isReadable || isApprovedAt(approvals, { version: number, twoPeople });
  const { isActor: isAdmin, inWords } = await findAnswerable(db, actor, document, {
    isInherited,
    level,
  });
  const ruling = rulingOn('pin', situationOf(actor, level, { isApproved: isFine, isAdmin }));
  if (ruling === 'allowed') return;
  throw new FieldError(
    'UNPROCESSABLE',
    'pinned',
    `this ${kind} is protected and revision ${number} is not approved, so only ` +
      `${inWords} can pin it, in the web app.`,
  );
}

/**
 * Refuses a secret link to a protected document, unless an admin creates it in the web app: it shows
 * every text, approved or not, to people who can't read the document otherwise.
 *
 * @throws FORBIDDEN
 */
export async function requireLinkable(
  db: Reader,
  actor: Actor,
  document: Guarded,
  level: Level,
): Promise<void> {
  const { id, kind, ownerId } = document;
  const { isOwn, isInherited } = await findProtection(db, { documentId: id, ownerId });
  if (!isOwn && !isInherited) return;
  const { isActor: isAdmin, inWords } = adminOf(document, { isInherited, level });
  if (rulingOn('link', situationOf(actor, level, { isAdmin })) === 'allowed') return;
  throw new ServiceError(
    'FORBIDDEN',
    `This ${kind} is protected, and a link would also show texts that aren’t approved. Only ` +
      `${inWords} can create one, in the web app.`,
  );
}

/**
 * Refuses to make someone an admin of a protected document, also by an invitation, unless an admin
 * does it in the web app.
 *
 * @param permission what they are given
 * @throws FORBIDDEN
 */
export async function requireGrantable(
  db: Reader,
  actor: Actor,
  { document, level }: { document: Guarded; level: Level },
  permission: Permission,
): Promise<void> {
  if (permission !== 'admin' || actor.via.means === 'web') return;
  const { id, kind, ownerId } = document;
  if (!(await isProtected(db, { documentId: id, ownerId }))) return;
  if (rulingOn('makeAdmin', situationOf(actor, level)) === 'allowed') return;
  throw new ServiceError(
    'FORBIDDEN',
    `This ${kind} is protected, so only an admin can give someone full access, in the web app.`,
  );
}

/**
 * Refuses to make someone an admin of an organization that has protected documents, also by an
 * invitation, unless an admin does it in the web app: approvals of its admins count.
 *
 * @param organization with the actor's role
 * @param given the role that they are given
 * @throws FORBIDDEN
 */
export async function requireRoleGrantable(
  db: Reader,
  actor: Actor,
  { id: ownerId, role }: { id: string; role: Role | null },
  given: Role,
): Promise<void> {
  if (given !== 'admin' || actor.via.means === 'web') return;
  if (!(await isGuarded(db, { documentId: null, ownerId }))) return;
  if (rulingOn('makeAdmin', situationOf(actor, role)) === 'allowed') return;
  throw new ServiceError(
    'FORBIDDEN',
    'This organization has protected documents, or restricts sharing outside it, so only an admin can ' +
      'make someone an admin, in the web app.',
  );
}

/**
 * Tells whether a document is protected, or whether an organization's admins could release documents
 * from protection, or loosen its policies.
 *
 * @param place.documentId `null` for the organization
 */
export async function isGuarded(
  db: Reader,
  { documentId, ownerId }: { documentId: string | null; ownerId: string },
): Promise<boolean> {
  if (documentId !== null) return isProtected(db, { documentId, ownerId });
  return (await hasProtected(db, ownerId)) || (await restrictsSharing(db, ownerId));
}

/**
 * Refuses to end or weaken the protection of a document that has it from its address, where another
 * one was public, unless the actor manages the owner. Whoever creates a document in an organization
 * is its admin, so everyone who can vacate the address could free it.
 *
 * @throws FORBIDDEN
 */
export async function requireReleasable(
  db: Reader,
  actor: Actor,
  document: Guarded,
): Promise<void> {
  const { kind } = document;
  if (managesOwner(actor, document) || !(await isHeldByOthers(db, document))) return;
  throw new ServiceError(
    'FORBIDDEN',
    `Another protected ${kind} was public at this address, so only the owner, or an admin of the ` +
      'organization, can end the protection here.',
  );
}

/** Returns how a document is protected. The caller has checked that the actor can read it. */
export async function getProtection(
  { sql }: Context,
  { id, ownerId }: Pick<Guarded, 'id' | 'ownerId'>,
): Promise<Protection> {
  return findProtection(sql.read, { documentId: id, ownerId });
}

/**
 * Lists the addresses that a document has left and that its protection covers, as `owner/name`. The
 * caller has checked that the actor is an admin, who can know them all.
 */
export async function getLeftAddresses(
  { sql }: Context,
  { id }: Pick<Guarded, 'id'>,
): Promise<string[]> {
  return listLeftAddresses(sql.read, id);
}

/**
 * Returns the accounts whose approvals count for the protection: those who answer for the document,
 * and the reviewers whom they asked in the web app. Anyone else could be let in by a token or by
 * whoever wrote the words.
 *
 * @param document.ownerId whose people answer for it: its owner's, or those of where it is moved to
 */
export async function findApprovers(
  db: Reader,
  { id: documentId, ownerId }: Pick<Guarded, 'id' | 'ownerId'>,
): Promise<Set<string>> {
  const approvers = new Set(await listManagers(db, ownerId));
  const appointed = await listAppointed(db, documentId, [...approvers]);
  // Whoever can no longer read the document no longer decides about it.
  for (const standing of await listStandings(db, documentId, appointed)) {
    if (decide(standing, 'read') === 'allow') approvers.add(standing.actorId);
  }
  return approvers;
}

/** What somebody changed in a document that needs two people, and that nobody else has approved. */
export interface Unapproved {
  /** A username; `null` for deleted accounts. */
  author: string | null;
  /** The first and the last revision of these changes. */
  first: number;
  last: number;
}

/**
 * Lists whose changes in the current text still need somebody else's approval before a document can
 * become public; nothing if it is public, or doesn't need two people.
 */
export async function listUnapproved(
  db: Reader,
  document: Pick<Guarded, 'id' | 'ownerId' | 'visibility'>,
): Promise<Unapproved[]> {
  const { id: documentId, ownerId, visibility } = document;
  const { isOwn, isInherited, twoPeople } = await findProtection(db, { documentId, ownerId });
  if (!(isOwn || isInherited) || !twoPeople || visibility === 'public') return [];
  return inAuthors(db, unapprovedParts(await loadApprovals(db, document)));
}

async function inAuthors(db: Reader, parts: readonly Part[]): Promise<Unapproved[]> {
  const byWriter = Map.groupBy(parts, ({ writer }) => writer);
  const ids = [...byWriter.keys()].filter((id) => id !== null);
  const users = ids.length > 0 ? await listUsernamesOf(db, ids) : [];
  return [...byWriter].map(([writer, own]) => {
    const versions = own.map(({ version }) => version).sort((one, other) => one - other);
    return {
      author: users.find(({ id }) => id === writer)?.username ?? null,
      first: versions[0] ?? 0,
      last: versions.at(-1) ?? 0,
    };
  });
}

/** Says what is still missing, as a sentence. */
export function unapprovedInWords({ author, first, last }: Unapproved): string {
  const revisions = first === last ? `revision ${first}` : `revisions ${first} to ${last}`;
  return author === null
    ? `What a deleted account changed in ${revisions} needs the approval of two people.`
    : `What ${author} changed in ${revisions} needs the approval of somebody other than ${author}.`;
}

async function loadApprovals(
  db: Reader,
  document: Pick<Guarded, 'id' | 'ownerId'>,
): Promise<Approvals> {
  return {
    judgements: await listJudgements(db, document.id),
    writes: await listTextWrites(db, document.id, 0),
    mayApprove: await findApprovers(db, document),
  };
}

/**
 * Tells whether somebody whose approval counts has seen a document's name in the web app: they gave it,
 * or approved a text since.
 */
async function isNameApproved(
  db: Reader,
  { judgements, mayApprove }: Approvals,
  documentId: string,
): Promise<boolean> {
  const renamed = await findLastRename(db, documentId);
  if (!renamed || (renamed.isByPerson && mayApprove.has(renamed.accountId ?? ''))) return true;
  return judgements.some(
    ({ accountId, isByPerson, verdict, version }) =>
      isByPerson &&
      verdict === 'approved' &&
      version >= renamed.version &&
      mayApprove.has(accountId ?? ''),
  );
}

function isApprovedAt(
  { judgements, writes, mayApprove }: Approvals,
  { version, twoPeople }: { version: number; twoPeople: boolean },
): boolean {
  const next = writes.find((write) => write.version > version)?.version ?? Number.POSITIVE_INFINITY;
  const upTo = {
    judgements: judgements.filter((judgement) => judgement.version < next),
    writes: writes.filter((write) => write.version < next),
    mayApprove,
  };
  return isApproved(upTo, twoPeople);
}
