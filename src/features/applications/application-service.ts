import { FieldError } from '../../base/errors.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import {
  deleteClientGrants,
  findGrant,
  type GrantRow,
  listGrants,
} from '../../core/identity/grant-store.ts';
import { ALL_SCOPES, type Scope } from '../../core/identity/scope.ts';
import type { ClosedOwner } from '../../core/owner/program-rule.ts';
import { closedOwners } from '../../core/owner/program-service.ts';
import { listProgramPolicies } from '../../core/owner/program-store.ts';

/** An application with one or more grants of a user. */
export interface ConnectedApplication {
  /** For {@link disconnectApplication}. */
  id: string;
  name: string;
  /** Its redirect host, or an installed application's scheme. */
  host: string;
  scopes: Scope[];
  since: string;
  /** To the minute; `null` if never used. */
  lastUsedAt: string | null;
  /** The organizations that it doesn't reach because of their policies. */
  closedTo: readonly ClosedOwner[];
}

/** Lists a user's connected applications, the latest connected first. */
export async function listConnectedApplications(
  context: Context,
  actor: Actor,
): Promise<ConnectedApplication[]> {
  const now = context.now();
  const [grants, policies] = await Promise.all([
    listGrants(context.sql.read, actor.id, now),
    listProgramPolicies(context.sql.read, actor.id),
  ]);
  const byClient = Map.groupBy(grants, (grant) => grant.clientId);
  return Array.from(byClient.values(), (all) => ({
    ...presentApplication(all),
    // Who connects it again goes on with the newest.
    closedTo: closedOwners(policies, { means: 'application', ...(all[0] as GrantRow) }, now),
  }));
}

/**
 * Ends all grants and tokens of an application for a user. @throws NOT_FOUND if the user has no
 * such application
 */
export async function disconnectApplication(
  context: Context,
  actor: Actor,
  id: string,
): Promise<void> {
  const ended = await context.sql.transaction(async (tx) => {
    const grant = await findGrant(tx, normaliseId(id));
    if (grant?.accountId !== actor.id) return 0;
    const { clientId, clientName: subject } = grant;
    await audit(context, tx, { action: 'application.disconnected', actor, subject });
    return deleteClientGrants(tx, { clientId, accountId: actor.id });
  });
  if (ended === 0) {
    throw new FieldError('NOT_FOUND', 'id', 'no connected app has this id.');
  }
}

/** @param grants of one client, the newest first, at least one */
function presentApplication(grants: GrantRow[]): Omit<ConnectedApplication, 'closedTo'> {
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
