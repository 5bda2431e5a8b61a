import { FieldError, ServiceError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { parseShownName } from '../../base/text/shown-name.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { audit } from '../audit/audit.ts';
import type { Actor, Call, Context } from '../context.ts';
import { discardBlobs } from '../document/blob-lifecycle.ts';
import { deleteDocumentsOf } from '../document/deletion-store.ts';
import { requireExistingAccount } from '../identity/account-service.ts';
import { findWaysIn } from '../identity/second-factor-store.ts';
import { queueNoticeTo } from '../outbox/plain-notice.ts';
import { insertPendingOf } from '../outbox/search-pending-store.ts';
import { requireRoom } from '../quota/quota-service.ts';
import { countCreatedOrganizations } from '../quota/quota-store.ts';
import {
  insertMembership,
  listAdminIds,
  listOrganizationsOf,
  type OwnOrganizationRow,
} from './membership-store.ts';
import { parseNamespace } from './namespace.ts';
import { releaseNamespace, takeNamespace } from './namespace-service.ts';
import { type OrganizationAction, type Role, roleAllows, whoMay } from './organization-access.ts';
import {
  deleteOrganizationOwner,
  findOrganization,
  insertOrganization,
  type OrganizationRow,
  type OrganizationSettings,
  updateOrganization as updateOrganizationRow,
  updateSecondFactorRequired,
} from './organization-store.ts';
import { changeOwned } from './owner-service.ts';
import { findOwner } from './owner-store.ts';
import { closedToProgram } from './program-rule.ts';
import { closedOwnerOf } from './program-service.ts';
import { needsSecondFactor } from './second-factor-rule.ts';

/**
 * Returns the organization with this namespace, case ignored, and the actor's role in it.
 *
 * @param options.evenShutOut whether to return it also to a member without the second factor that it
 *   requires
 * @throws NOT_FOUND if there is none, or the namespace is a user's; FORBIDDEN if the actor is a
 *   member without the second factor that it requires, or with a program that it shuts out
 */
export async function requireOrganization(
  db: Reader,
  actor: Actor,
  org: string,
  { evenShutOut = false }: { evenShutOut?: boolean } = {},
): Promise<OrganizationRow> {
  const namespace = parseNamespace(org);
  const organization = namespace && (await findOrganization(db, namespace, actor.id));
  if (!organization) {
    throw new FieldError('NOT_FOUND', 'org', 'no organization has this namespace.');
  }
  const closed = closedOwnerOf(actor, organization.id);
  if (closed && closed.role !== null) throw closedToProgram(closed, actor.via.means);
  if (organization.role === null && organization.heldRole !== null && !evenShutOut) {
    throw needsSecondFactor(namespace);
  }
  return organization;
}

/** Returns the organization if the actor can do `action` there. @throws NOT_FOUND, FORBIDDEN */
export async function requireAllowed(
  db: Reader,
  actor: Actor,
  action: OrganizationAction,
  org: string,
): Promise<OrganizationRow> {
  const organization = await requireOrganization(db, actor, org);
  requireRole(organization.role, action);
  return organization;
}

/** @throws FORBIDDEN if the role doesn't allow `action` */
export function requireRole(role: Role | null, action: OrganizationAction): void {
  if (roleAllows(role, action)) return;
  const who = whoMay(action);
  throw new ServiceError('FORBIDDEN', `Only ${who} of the organization can do this.`);
}

/** Lists the actor's organizations, the latest joined first. */
export async function listOwnOrganizations(
  call: Call,
  page: PageRequest,
): Promise<Page<OwnOrganizationRow>> {
  return listOrganizationsOf(call.sql.read, call.actor.id, page);
}

/**
 * Creates an organization with the actor as its first admin.
 *
 * @throws BAD_REQUEST for a malformed namespace or name, UNPROCESSABLE for a taken or reserved one,
 *   UNAUTHORIZED if the account is gone; QuotaExceeded if they created as many as they may
 */
export async function createOrganization(
  call: Call,
  input: { namespace: string; name: string },
): Promise<{ id: string; namespace: string; name: string }> {
  const { actor } = call;
  const parsed = parseShownName(input.name);
  if ('problem' in parsed) throw new FieldError('BAD_REQUEST', 'name', `${parsed.problem}.`);
  const { name } = parsed;
  const now = call.now();
  return changeOwned(call, actor.username, async (tx) => {
    await requireExistingAccount(tx, actor.id);
    const created = await countCreatedOrganizations(tx, actor.id);
    await requireRoom(call, tx, actor.id, 'organizations', created);
    const owner = await takeNamespace(call, tx, 'organization', input.namespace, {
      field: 'namespace',
    });
    await insertOrganization(tx, { id: owner.id, name, createdBy: actor.id, createdAt: now });
    await insertMembership(tx, {
      id: call.newId(),
      organizationId: owner.id,
      accountId: actor.id,
      role: 'admin',
      joinedAt: now,
    });
    const of = { ownerId: owner.id, subject: owner.namespace };
    await audit(call, tx, { action: 'organization.created', actor, ...of });
    return { ...owner, name };
  });
}

/**
 * Returns an organization with what the actor can see of it.
 *
 * @throws NOT_FOUND; FORBIDDEN as {@link requireOrganization}
 */
export async function getOrganization(
  call: Call,
  org: string,
  options: { evenShutOut?: boolean } = {},
): Promise<OrganizationRow> {
  return requireOrganization(call.sql.read, call.actor, org, options);
}

/** Changes an organization's settings. @throws NOT_FOUND, FORBIDDEN */
export async function updateOrganization(
  call: Call,
  org: string,
  settings: OrganizationSettings,
): Promise<OrganizationRow> {
  return changeOwned(call, org, async (tx) => {
    const before = await requireAllowed(tx, call.actor, 'changeSettings', org);
    const isSame = Object.entries(settings).every(
      ([field, value]) => before[field as keyof OrganizationSettings] === value,
    );
    if (isSame) return before;
    await updateOrganizationRow(tx, before.id, settings, call.now());
    await audit(call, tx, {
      action: 'organization.settings_changed',
      actor: call.actor,
      ownerId: before.id,
      subject: before.namespace,
      detail: { ...settings },
    });
    return requireAllowed(tx, call.actor, 'changeSettings', org);
  });
}

/**
 * Sets whether the organization requires a second factor. While it does, the memberships of those who
 * have none don't count.
 *
 * @throws NOT_FOUND, FORBIDDEN; UNPROCESSABLE if the actor has no second factor
 */
export async function setSecondFactorRequired(
  call: Call,
  org: string,
  isRequired: boolean,
): Promise<void> {
  await changeOwned(call, org, async (tx) => {
    const { id, namespace, ...before } = await requireAllowed(
      tx,
      call.actor,
      'changeSettings',
      org,
    );
    if (before.secondFactorRequired === isRequired) return;
    const account = await findWaysIn(tx, call.actor.id);
    if (isRequired && !account?.secondFactorAt) {
      throw new ServiceError(
        'UNPROCESSABLE',
        'Set up a second factor yourself first, under Settings, Security.',
      );
    }
    await updateSecondFactorRequired(tx, id, isRequired, call.now());
    await audit(call, tx, {
      action: 'organization.second_factor_changed',
      actor: call.actor,
      ownerId: id,
      subject: namespace,
      detail: { required: isRequired },
    });
  });
  call.wakeIndexer();
}

/**
 * Deletes an organization with its members, invitations and documents. Its namespace stays reserved
 * for 90 days.
 *
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function deleteOrganization(
  context: Context,
  actor: Actor | undefined,
  org: string,
): Promise<void> {
  const storagePaths = await changeOwned(context, org, async (tx) => {
    const { id, namespace } = actor
      ? await requireAllowed(tx, actor, 'delete', org)
      : await requireAnyOrganization(tx, org);
    if (!actor) await tellOfDeletion(context, tx, { id, namespace });
    await insertPendingOf(tx, id);
    const { storagePaths: paths } = await deleteDocumentsOf(tx, id);
    await deleteOrganizationOwner(tx, id);
    const of = { ownerId: id, subject: namespace };
    await audit(context, tx, { action: 'organization.deleted', ...(actor && { actor }), ...of });
    await releaseNamespace(context, tx, namespace);
    return paths;
  });
  context.wakeIndexer();
  await discardBlobs(context, storagePaths);
}

/** Returns the organization with this namespace, for an operator. @throws NOT_FOUND naming `org` */
async function requireAnyOrganization(
  db: Reader,
  org: string,
): Promise<{ id: string; namespace: string }> {
  const namespace = parseNamespace(org);
  const found = namespace && (await findOwner(db, namespace));
  if (found && found.type === 'organization') return found;
  throw new FieldError('NOT_FOUND', 'org', 'no organization has this namespace.');
}

/** Mails an organization's admins that an operator deletes it. */
async function tellOfDeletion(
  context: Context,
  tx: Writer,
  { id, namespace }: { id: string; namespace: string },
): Promise<void> {
  await queueNoticeTo(context, tx, await listAdminIds(tx, id), {
    subject: `${namespace} was deleted`,
    says: [
      `An operator of this instance deleted the organization ${namespace} with all its documents.`,
    ],
    reason: `You get this mail because you were an admin of ${namespace}.`,
  });
}
