import type { Reader } from '../../storage/sql/sql.ts';
import { type Actor, type Call, type Context, callOf } from '../context.ts';
import { type ClosedOwner, demandClause, type Program, whyShutOut } from './program-rule.ts';
import { listProgramPolicies, type ProgramPolicies, sqlWithout } from './program-store.ts';

/** Finds the organizations that shut an account's program out, of those it has to do with. */
export async function findClosedOwners(
  db: Reader,
  accountId: string,
  program: Program,
  now: string,
): Promise<ClosedOwner[]> {
  return closedOwners(await listProgramPolicies(db, accountId), program, now);
}

/** Returns the organizations that shut a program out, of those with these policies. */
export function closedOwners(
  all: readonly ProgramPolicies[],
  program: Program,
  now: string,
): ClosedOwner[] {
  return all.flatMap((policies) => {
    const { id, namespace, role, programDays: days } = policies;
    const reason = whyShutOut(policies, role, program, now);
    return reason ? [{ id, namespace, role, reason, days }] : [];
  });
}

/**
 * Returns the context for what an actor does: to a program that organizations shut out, one in which its
 * person is neither their member nor their collaborator, nor invited. So every rule and every list
 * leaves out what the program doesn't reach. To a program that is limited to some documents, one
 * without all others, even public ones.
 */
export function contextFor(
  context: Context,
  { id: accountId, closedOwners: closed = [], reach }: Pick<Actor, 'id' | 'closedOwners' | 'reach'>,
): Context {
  if (closed.length === 0 && !reach) return context;
  const ownerIds = closed.map(({ id }) => id);
  return { ...context, sql: sqlWithout(context.sql, { accountId, ownerIds, reach }) };
}

/** Returns the call of an actor, in the context of {@link contextFor}. */
export function callFor(context: Context, actor: Actor): Call {
  return callOf(contextFor(context, actor), actor);
}

/** Finds the organization with this namespace or id, if it shuts the actor's program out. */
export function closedOwnerOf(
  { closedOwners: closed = [] }: Actor,
  namespaceOrId: string,
): ClosedOwner | undefined {
  return closed.find(({ id, namespace }) => id === namespaceOrId || namespace === namespaceOrId);
}

/** An organization that shuts programs out, and why, as a clause. */
export interface Demand {
  namespace: string;
  clause: string;
}

/** Lists what organizations demand of the actor's new token or application, by namespace. */
export async function listDemands(
  context: Context,
  { id }: Pick<Actor, 'id'>,
  means: Program['means'],
): Promise<Demand[]> {
  const all = await listProgramPolicies(context.sql.read, id);
  return all.flatMap((policies) => {
    const clause = demandClause(policies, policies.role, means);
    return clause === undefined ? [] : [{ namespace: policies.namespace, clause }];
  });
}
