import type { Actor, Context } from '../context.ts';
import type { OwnerRef } from '../document/document-service.ts';
import { ServiceError } from '../errors.ts';
import { requireOrganization } from '../organization/organization-service.ts';

/**
 * Whether a namespace is a user's or an organization's; the actor's own when it is omitted. One that
 * nobody has counts as a user's, whom the service called next will not find.
 */
export async function resolveOwner(
  context: Context,
  actor: Actor,
  namespace: string = actor.username,
): Promise<OwnerRef> {
  if (namespace.toLowerCase() === actor.username) {
    return { type: 'user', namespace: actor.username };
  }
  const organization = await orUndefined(requireOrganization(context.sql.read, actor, namespace));
  return { type: organization ? 'organization' : 'user', namespace };
}

/** What is asked for, or `undefined` where it is missing or not for the actor to know of. */
export async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
