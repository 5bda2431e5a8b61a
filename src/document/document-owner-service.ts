import { requireAccount, requireAccountStill } from '../account/account-service.ts';
import { parseNamespace } from '../account/namespace.ts';
import type { Actor } from '../context.ts';
import { nothingAtAddress, ServiceError, undefinedIfNotFound } from '../errors.ts';
import { mayCreateDocuments } from '../organization/organization-access.ts';
import { requireOrganization } from '../organization/organization-service.ts';
import type { Reader } from '../storage/sql/sql.ts';
import type { OwnerType } from './access.ts';

/** Who owns a document, or will own it: a user or an organization, by namespace. */
export interface OwnerRef {
  type: OwnerType;
  namespace: string;
}

/**
 * Returns the owner that a caller means: a user or an organization; the caller when the namespace is
 * empty or absent. A namespace that no one has counts as a user's; the service called next will not
 * find that user.
 */
export async function resolveOwner(
  db: Reader,
  actor: Actor,
  namespace: string = '',
): Promise<OwnerRef> {
  if (namespace === '' || namespace.toLowerCase() === actor.username) {
    return { type: 'user', namespace: actor.username };
  }
  const organization = await undefinedIfNotFound(requireOrganization(db, actor, namespace));
  return { type: organization ? 'organization' : 'user', namespace };
}

/**
 * The owner, if the actor may make documents there.
 *
 * @throws NOT_FOUND when there is no such owner, FORBIDDEN when the actor may not create there
 */
export async function requireCreatableOwner(
  db: Reader,
  actor: Actor,
  owner: OwnerRef,
): Promise<OwnerRef & { id: string }> {
  if (owner.type === 'user') {
    // Whoever acts has been looked up already.
    if (parseNamespace(owner.namespace) === actor.username) {
      return { id: actor.id, type: 'user', namespace: actor.username };
    }
    await requireAccount(db, owner.namespace);
    throw new ServiceError('FORBIDDEN', 'Only the user can create documents there.');
  }
  const organization = await requireOrganization(db, actor, owner.namespace);
  const { id, namespace, role } = organization;
  if (!mayCreateDocuments(organization)) {
    const who = role === null ? 'members' : 'admins';
    throw new ServiceError('FORBIDDEN', `Only ${who} of this organization can create documents.`);
  }
  return { id, type: 'organization', namespace };
}

/** @throws what {@link requireCreatableOwner} does, also where another owner has the namespace now */
export async function requireStillCreatable(
  db: Reader,
  actor: Actor,
  owner: OwnerRef & { id: string },
): Promise<void> {
  if (owner.type === 'user') return requireAccountStill(db, actor.id);
  const { id } = await requireCreatableOwner(db, actor, owner);
  if (id !== owner.id) throw nothingAtAddress();
}
