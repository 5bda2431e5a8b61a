import { nothingAtAddress, ServiceError, undefinedIfNotFound } from '../../base/errors.ts';
import type { OwnerRole, OwnerType } from '../../base/schema/visibility.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor } from '../context.ts';
import { requireExistingAccount, requireUser } from '../identity/account-service.ts';
import { beyondReach } from '../identity/reach.ts';
import { parseNamespace } from './namespace.ts';
import { mayCreateDocuments } from './organization-access.ts';
import { requireOrganization } from './organization-service.ts';

/** The current or future owner of a document, by namespace. */
export interface OwnerRef {
  type: OwnerType;
  namespace: string;
}

/**
 * Finds out whether a namespace means a user or an organization; the caller if it is empty or
 * absent. An unknown namespace counts as a user's; the service called next throws NOT_FOUND.
 */
export async function resolveOwner(
  db: Reader,
  actor: Actor,
  namespace: string = '',
): Promise<OwnerRef> {
  if (namespace === '' || namespace.toLowerCase() === actor.username) {
    return { type: 'user', namespace: actor.username };
  }
  const organization = await undefinedIfNotFound(
    requireOrganization(db, actor, namespace, { evenShutOut: true }),
  );
  return { type: organization ? 'organization' : 'user', namespace };
}

/**
 * Returns the owner if the actor can create documents there.
 *
 * @throws NOT_FOUND if there is no such owner, FORBIDDEN if the actor can't create there
 */
export async function requireCreatableOwner(
  db: Reader,
  actor: Actor,
  owner: OwnerRef,
): Promise<OwnerRef & { id: string }> {
  const found = await creatableOwner(db, actor, owner);
  if (actor.reach && !actor.reach.owners.includes(found.id)) throw beyondReach(actor.via);
  return found;
}

async function creatableOwner(
  db: Reader,
  actor: Actor,
  owner: OwnerRef,
): Promise<OwnerRef & { id: string }> {
  if (owner.type === 'user') {
    // No query: authentication has found the actor already.
    if (parseNamespace(owner.namespace) === actor.username) {
      return { id: actor.id, type: 'user', namespace: actor.username };
    }
    await requireUser(db, owner.namespace);
    throw new ServiceError('FORBIDDEN', `Only ${owner.namespace} can create documents there.`);
  }
  const organization = await requireOrganization(db, actor, owner.namespace);
  const { id, namespace, role } = organization;
  if (!mayCreateDocuments(organization)) {
    const who = role === null ? 'members' : 'admins';
    throw new ServiceError('FORBIDDEN', `Only ${who} of this organization can create documents.`);
  }
  return { id, type: 'organization', namespace };
}

/**
 * Checks again, in a write's transaction, what {@link requireCreatableOwner} has found.
 *
 * @throws UNAUTHORIZED if the owner is a user whose account is gone; NOT_FOUND if another owner has
 *   the namespace now; errors of {@link requireCreatableOwner}
 */
export async function requireStillCreatable(
  db: Reader,
  actor: Actor,
  owner: OwnerRef & { id: string },
): Promise<void> {
  if (owner.type === 'user') return requireExistingAccount(db, actor.id);
  const { id } = await requireCreatableOwner(db, actor, owner);
  if (id !== owner.id) throw nothingAtAddress();
}

/**
 * Returns the actor's role towards an owner's documents, for lists that everyone can read: `none` for a
 * member without the second factor that the organization requires.
 *
 * @throws NOT_FOUND if there is no such owner
 */
export async function requireOwnerRole(
  db: Reader,
  actor: Actor,
  { type, namespace }: OwnerRef,
): Promise<{ ownerId: string; actorId: string; role: OwnerRole }> {
  if (type === 'organization') {
    const { id, role } = await requireOrganization(db, actor, namespace, { evenShutOut: true });
    return { ownerId: id, actorId: actor.id, role: role ?? 'none' };
  }
  const { id } = await requireUser(db, namespace);
  return { ownerId: id, actorId: actor.id, role: id === actor.id ? 'admin' : 'none' };
}
