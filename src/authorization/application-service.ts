import { ALL_SCOPES, type Scope } from '../account/scope.ts';
import type { Actor, Context } from '../context.ts';
import { FieldError } from '../errors.ts';
import { normaliseId } from '../schema/id.ts';
import { deleteClientGrants, findGrant, type GrantRow, listGrants } from './grant-store.ts';

/** An application that a person has let in, perhaps more than once. */
export interface ConnectedApplication {
  /** Names the connection to {@link disconnectApplication}. */
  id: string;
  /** What the application calls itself. */
  name: string;
  /** Where it takes people back to: a host, or an installed application's scheme. */
  host: string;
  /** What it may do, all its grants together. */
  scopes: Scope[];
  since: string;
  /** To the minute; `null` when it never did anything. */
  lastUsedAt: string | null;
}

/** The applications that may act for a person, the latest connected first. */
export async function listConnectedApplications(
  context: Context,
  actor: Actor,
): Promise<ConnectedApplication[]> {
  const grants = await listGrants(context.sql.read, actor.id, context.now());
  const byClient = Map.groupBy(grants, (grant) => grant.clientId);
  return Array.from(byClient.values(), presentApplication);
}

/**
 * Ends everything that an application holds of a person, at once.
 *
 * @throws NOT_FOUND when no application of this person's has the id
 */
export async function disconnectApplication(
  context: Context,
  actor: Actor,
  id: string,
): Promise<void> {
  const ended = await context.sql.transaction(async (tx) => {
    const grant = await findGrant(tx, normaliseId(id));
    if (grant?.accountId !== actor.id) return 0;
    return deleteClientGrants(tx, { clientId: grant.clientId, accountId: actor.id });
  });
  if (ended === 0) {
    throw new FieldError('NOT_FOUND', 'id', 'no application that is connected has this id.');
  }
}

/** @param grants of one client, the newest first, at least one */
function presentApplication(grants: GrantRow[]): ConnectedApplication {
  const [newest, oldest] = [grants[0], grants.at(-1)] as [GrantRow, GrantRow];
  const given = new Set(grants.flatMap(({ scopes }) => scopes.split(' ')));
  const uses = grants.map(({ lastUsedAt }) => lastUsedAt).filter((at) => at !== null);
  return {
    id: newest.id,
    name: newest.clientName,
    host: newest.clientHost,
    scopes: ALL_SCOPES.filter((scope) => given.has(scope)),
    since: oldest.createdAt,
    lastUsedAt: uses.sort().at(-1) ?? null,
  };
}
