import type { Actor, Context } from '../context.ts';
import {
  countInvitationsOf,
  listOrganizationsByName,
  listOrganizationsToCreateIn,
  type NamedOrganizationRow,
} from './navigation-store.ts';

const MAX_ORGANIZATIONS = 50;
const MAX_CHOICES = 500;

/** What the app's navigation shows. */
export interface Navigation {
  /** By name; the first 50. */
  organizations: readonly NamedOrganizationRow[];
  /** How many invitations the user can accept. */
  invitations: number;
}

/** Loads the actor's organizations and number of invitations. */
export async function getNavigation(context: Context, actor: Actor): Promise<Navigation> {
  const [organizations, invitations] = await Promise.all([
    listOrganizationsByName(context.sql.read, actor.id, MAX_ORGANIZATIONS),
    countPendingInvitations(context, actor),
  ]);
  return { organizations, invitations };
}

/** Lists the organizations where the actor can create documents, by name; the first 500. */
export async function listCreatableOrganizations(
  context: Context,
  actor: Actor,
): Promise<{ namespace: string; name: string }[]> {
  return listOrganizationsToCreateIn(context.sql.read, actor.id, MAX_CHOICES);
}

/** Counts the invitations, to documents and organizations, that the actor can accept. */
export async function countPendingInvitations(context: Context, actor: Actor): Promise<number> {
  return countInvitationsOf(context.sql.read, actor.id, context.now());
}
