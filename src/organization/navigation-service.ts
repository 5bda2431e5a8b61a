import type { Actor, Context } from '../context.ts';
import {
  countInvitationsOf,
  listOrganizationsByName,
  listOrganizationsToCreateIn,
  type NamedOrganizationRow,
} from './navigation-store.ts';

const MAX_ORGANIZATIONS = 50;
const MAX_CHOICES = 500;

/** What is always at hand in the app. */
export interface Navigation {
  /** By name; the first 50. */
  organizations: readonly NamedOrganizationRow[];
  /** How many invitations wait for an answer. */
  invitations: number;
}

/** The places that the actor can go to, and how much waits there. */
export async function getNavigation(context: Context, actor: Actor): Promise<Navigation> {
  const [organizations, invitations] = await Promise.all([
    listOrganizationsByName(context.sql.read, actor.id, MAX_ORGANIZATIONS),
    countPendingInvitations(context, actor),
  ]);
  return { organizations, invitations };
}

/** The organizations where the actor may make documents, by name; the first 500. */
export async function listCreatableOrganizations(
  context: Context,
  actor: Actor,
): Promise<{ namespace: string; name: string }[]> {
  return listOrganizationsToCreateIn(context.sql.read, actor.id, MAX_CHOICES);
}

/** How many invitations, to documents and organizations, the actor can still accept. */
export async function countPendingInvitations(context: Context, actor: Actor): Promise<number> {
  return countInvitationsOf(context.sql.read, actor.id, context.now());
}
