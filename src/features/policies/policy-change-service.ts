import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { insertPendingOf } from '../../core/outbox/search-pending-store.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { allowsOutsiders, mayMakeLinks, type Policies } from '../../core/owner/policy.ts';
import {
  countOutsiders,
  countPublicDocuments,
  countStopped,
  findPolicies,
  listLinkMakerRoles,
  returnOutsiders,
  stopOutsiders,
  upsertPolicies,
} from '../../core/owner/policy-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';

/** What policies stop, and what they don't. */
export interface Effects {
  /** Secret links that haven't expired and don't work. */
  stoppedLinks: number;
  /** Secret links that work. */
  links: number;
  /** Collaborations of people who aren't members, without access. */
  stoppedCollaborators: number;
  /** Collaborations of people who aren't members. */
  outsideCollaborators: number;
  /** Documents that are public, also if no other can become so. */
  publicDocuments: number;
}

/**
 * Returns an organization's policies, and what they stop.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin
 */
export async function getPolicies(
  context: Context,
  actor: Actor,
  org: string,
): Promise<{ policies: Policies; effects: Effects }> {
  const { read } = context.sql;
  const { id } = await requireAllowed(read, actor, 'changeSettings', org);
  const policies = await findPolicies(read, id);
  return { policies, effects: await effectsOf(context, read, id, policies) };
}

async function effectsOf(
  context: Context,
  db: Reader,
  id: string,
  { linkMakers }: Policies,
): Promise<Effects> {
  const makers = await listLinkMakerRoles(db, id, context.now());
  const count = (works: boolean) =>
    makers
      .filter(({ role }) => mayMakeLinks(linkMakers, role) === works)
      .reduce((sum, { links }) => sum + links, 0);
  return {
    stoppedLinks: count(false),
    links: count(true),
    stoppedCollaborators: await countStopped(db, id),
    outsideCollaborators: await countOutsiders(db, { organizationId: id }),
    publicDocuments: await countPublicDocuments(db, id),
  };
}

/**
 * Changes an organization's policies. A stricter one stops links and collaborators, and a looser one
 * lets them work again. Documents that are public already stay so.
 *
 * @returns what is stopped now
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin
 */
export async function changePolicies(
  context: Context,
  actor: Actor,
  org: string,
  change: Partial<Policies>,
): Promise<{ policies: Policies; effects: Effects }> {
  const changed = await changeOwned(context, org, async (tx) => {
    const { id, namespace } = await requireAllowed(tx, actor, 'changeSettings', org);
    const before = await findPolicies(tx, id);
    const policies = { ...before, ...change };
    const isSame = Object.entries(before).every(
      ([name, value]) => policies[name as keyof Policies] === value,
    );
    if (!isSame) {
      await upsertPolicies(tx, id, policies);
      await (allowsOutsiders(policies) ? returnOutsiders : stopOutsiders)(tx, {
        organizationId: id,
      });
      await insertPendingOf(tx, id);
    }
    const effects = await effectsOf(context, tx, id, policies);
    if (!isSame) {
      const { stoppedLinks, stoppedCollaborators } = effects;
      await audit(context, tx, {
        action: 'organization.policies_changed',
        actor,
        ownerId: id,
        subject: namespace,
        detail: { ...policies, stoppedLinks, stoppedCollaborators },
      });
    }
    return { policies, effects };
  });
  context.wakeIndexer();
  return changed;
}
