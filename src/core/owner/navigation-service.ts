import type { Call } from '../context.ts';
import {
  type CreatableOrganizationRow,
  countWaiting,
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
  /** How many inbox entries are unread, at most {@link MAX_COUNT}. */
  unread: number;
  /** How many reports are open, at most {@link MAX_COUNT}; `null` for who doesn't administer the instance. */
  reports: number | null;
}

/** Enough to show "99+", so that more needn't be counted. */
const MAX_COUNT = 100;

/** Loads the actor's organizations, and counts what waits for them. */
export async function getNavigation(call: Call): Promise<Navigation> {
  const [organizations, waiting] = await Promise.all([
    listOrganizationsByName(call.sql.read, call.actor.id, MAX_ORGANIZATIONS),
    countWaiting(call.sql.read, { accountId: call.actor.id, now: call.now(), limit: MAX_COUNT }),
  ]);
  return { organizations, ...waiting };
}

/** Lists the organizations where the actor can create documents, by name; the first 500. */
export async function listCreatableOrganizations(call: Call): Promise<CreatableOrganizationRow[]> {
  return listOrganizationsToCreateIn(call.sql.read, call.actor.id, MAX_CHOICES);
}
