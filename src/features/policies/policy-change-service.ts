import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { requirePerson } from '../../core/identity/person-acts.ts';
import { insertPendingOf } from '../../core/outbox/search-pending-store.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { allowsOutsiders, isLooser, mayMakeLinks, type Policies } from '../../core/owner/policy.ts';
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
import { whyShutOut } from '../../core/owner/program-rule.ts';
import { listMemberPrograms, type MemberProgram } from '../../core/owner/program-store.ts';
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
  /** Tokens of members that reach the organization. */
  tokens: number;
  /** Tokens of members that work, but don't reach it. */
  stoppedTokens: number;
  /** Connected applications of members through which it is reached. */
  apps: number;
  /** Connected applications of members through which it isn't. */
  stoppedApps: number;
}

type ProgramCounts = Pick<Effects, 'tokens' | 'stoppedTokens' | 'apps' | 'stoppedApps'>;

/** A member's working tokens and connected applications. */
export interface MemberPrograms extends ProgramCounts {
  username: string;
}

/** An organization's policies, and what they stop. */
export interface PoliciesWithEffects {
  policies: Policies;
  effects: Effects;
}

/**
 * Returns an organization's policies, and what they stop.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin
 */
export async function getPolicies(call: Call, org: string): Promise<PoliciesWithEffects> {
  const { read } = call.sql;
  const { id } = await requireAllowed(read, call.actor, 'changeSettings', org);
  const policies = await findPolicies(read, id);
  return { policies, effects: await effectsOf(call, read, id, policies) };
}

/**
 * Lists the members who have tokens or connected applications that work, by name.
 *
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin
 */
export async function listProgramsOfMembers(call: Call, org: string): Promise<MemberPrograms[]> {
  const { read } = call.sql;
  const { id } = await requireAllowed(read, call.actor, 'changeSettings', org);
  const [policies, programs] = await Promise.all([
    findPolicies(read, id),
    listMemberPrograms(read, id, call.now()),
  ]);
  const byMember = Map.groupBy(programs, ({ username }) => username);
  return [...byMember]
    .map(([username, own]) => ({ username, ...countPrograms(own, policies, call.now()) }))
    .sort((one, other) => (one.username < other.username ? -1 : 1));
}

function countPrograms(
  programs: readonly MemberProgram[],
  policies: Policies,
  now: string,
): ProgramCounts {
  const counts = { tokens: 0, stoppedTokens: 0, apps: 0, stoppedApps: 0 };
  for (const program of programs) {
    const reaches = whyShutOut(policies, program.role, program, now) === undefined;
    if (program.means === 'token') counts[reaches ? 'tokens' : 'stoppedTokens']++;
    else counts[reaches ? 'apps' : 'stoppedApps']++;
  }
  return counts;
}

async function effectsOf(
  context: Context,
  db: Reader,
  id: string,
  policies: Policies,
): Promise<Effects> {
  const { linkMakers } = policies;
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
    ...countPrograms(await listMemberPrograms(db, id, context.now()), policies, context.now()),
  };
}

/**
 * Changes an organization's policies. A stricter one stops links, collaborators, tokens and applications,
 * and a looser one lets them work again. Documents that are public already stay so.
 *
 * @returns what is stopped now
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin, and a person if a policy becomes looser
 */
export async function changePolicies(
  call: Call,
  org: string,
  change: Partial<Policies>,
): Promise<PoliciesWithEffects> {
  const changed = await changeOwned(call, org, async (tx) => {
    const { id, namespace } = await requireAllowed(tx, call.actor, 'changeSettings', org);
    const before = await findPolicies(tx, id);
    const policies = { ...before, ...change };
    if (isLooser(policies, before)) requirePerson(call.actor, 'loosenPolicies');
    const isSame = Object.entries(before).every(
      ([name, value]) => policies[name as keyof Policies] === value,
    );
    if (!isSame) {
      await upsertPolicies(tx, id, policies);
      await (allowsOutsiders(policies) ? returnOutsiders : stopOutsiders)(tx, {
        organizationId: id,
      });
      // Searches find by who collaborates.
      if (before.outsideInviters !== policies.outsideInviters) await insertPendingOf(tx, id);
    }
    const effects = await effectsOf(call, tx, id, policies);
    if (!isSame) {
      const { stoppedLinks, stoppedCollaborators, stoppedTokens, stoppedApps } = effects;
      const stopped = { stoppedLinks, stoppedCollaborators, stoppedTokens, stoppedApps };
      await audit(call, tx, {
        action: 'organization.policies_changed',
        actor: call.actor,
        ownerId: id,
        subject: namespace,
        detail: { ...policies, ...stopped },
      });
    }
    return { policies, effects };
  });
  call.wakeIndexer();
  return changed;
}
