import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireUser } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { requirePerson } from '../../core/identity/person-acts.ts';
import { findHeldRole, insertMembership, updateRole } from '../../core/owner/membership-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { returnOutsiders } from '../../core/owner/policy-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { deleteInvitationOf } from '../invitations/invitation-store.ts';
import {
  countMembersOf,
  findOrganizationFacts,
  listMemberFacts,
  listOrganizationRows,
  type MemberCounts,
  type MemberFacts,
  type OrganizationFacts,
  type OrganizationFilter,
} from './organizations-store.ts';
import { listLargestDocuments, listUsage, type SizedDocument, type Usage } from './people-store.ts';
import { type By, requireBy, tell } from './person-service.ts';
import { readPrefix } from './prefix.ts';

/** How many members and documents of an organization are listed. */
const SHOWN = 50;

/** An organization in the list, with its members and what it stores. */
export interface ListedOrganization extends OrganizationFacts, MemberCounts {
  usage: Usage;
}

/**
 * Lists organizations, newest first.
 *
 * @param asked.search what the namespace begins with, case ignored
 * @throws FORBIDDEN
 */
export async function listOrganizations(
  context: Context,
  by: Actor | undefined,
  asked: { filter?: OrganizationFilter | undefined; search?: string | undefined },
  page: PageRequest,
): Promise<Page<ListedOrganization>> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const which = { filter: asked.filter ?? 'all', prefix: readPrefix(asked.search) };
  const { items, total } = await listOrganizationRows(read, which, page);
  return { items: await withCounts(read, items), total };
}

async function withCounts(
  db: Reader,
  rows: readonly OrganizationFacts[],
): Promise<ListedOrganization[]> {
  const ids = rows.map(({ id }) => id);
  const [usage, members] = await Promise.all([listUsage(db, ids), countMembersOf(db, ids)]);
  return rows.map((row) => ({
    ...row,
    ...(members.get(row.id) as MemberCounts),
    usage: usage.get(row.id) as Usage,
  }));
}

/** Everything that administrators of the instance see of an organization. */
export interface OrganizationDetails extends ListedOrganization {
  /** Admins first, at most 50. */
  people: readonly MemberFacts[];
  /** The largest documents, at most 50. */
  largest: readonly SizedDocument[];
}

/** Describes an organization. @throws FORBIDDEN; NOT_FOUND */
export async function describeOrganization(
  context: Context,
  by: Actor | undefined,
  org: string,
): Promise<OrganizationDetails> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const row = await requireFacts(read, org);
  const [[listed], people, largest] = await Promise.all([
    withCounts(read, [row]),
    listMemberFacts(read, row.id, SHOWN),
    listLargestDocuments(read, row.id, SHOWN),
  ]);
  return { ...(listed as ListedOrganization), people, largest };
}

/**
 * Makes somebody, a member or not, an admin of an organization. Administrators of the instance can
 * do this only if the organization has no admin whose account works, because an admin reads what is
 * in it; operators always can. Tells the new admin by mail.
 *
 * @throws FORBIDDEN; NOT_FOUND naming `org` or `username`; UNPROCESSABLE naming `org`
 */
export async function appointOrganizationAdmin(
  context: Context,
  by: By,
  org: string,
  username: string,
): Promise<void> {
  requirePerson(by, 'appointAdmin');
  await changeOwned(context, org, async (tx) => {
    await requireBy(tx, by);
    const { id: organizationId, namespace, name } = await requireFacts(tx, org);
    const account = await requireUser(tx, username);
    if (by?.id === account.id) {
      const problem = 'can’t be yourself: who administers the instance reads no private texts.';
      throw new FieldError('UNPROCESSABLE', 'username', problem);
    }
    const role = await findHeldRole(tx, organizationId, account.id);
    if (role === 'admin') return;
    const counts = (await countMembersOf(tx, [organizationId])).get(organizationId);
    if (by && (counts?.activeAdmins ?? 0) > 0) {
      throw new FieldError(
        'UNPROCESSABLE',
        'org',
        'this organization has an admin, who can appoint others.',
      );
    }
    if (role === undefined) {
      const [id, joinedAt] = [context.newId(), context.now()];
      const accountId = account.id;
      await insertMembership(tx, { id, organizationId, accountId, role: 'admin', joinedAt });
      // What was stopped because they were no member.
      await returnOutsiders(tx, { organizationId, accountId });
    } else {
      await updateRole(tx, organizationId, account.id, 'admin');
    }
    await deleteInvitationOf(tx, { organizationId }, { userId: account.id });
    await tell(context, tx, by, account, { what: 'organization', namespace, name });
    await audit(context, tx, {
      action: 'organization.admin_appointed',
      ...(by && { actor: by }),
      accountId: account.id,
      ownerId: organizationId,
      subject: namespace,
      detail: { username: account.username },
    });
  });
}

async function requireFacts(db: Reader, org: string): Promise<OrganizationFacts> {
  const namespace = parseNamespace(org);
  const facts = namespace && (await findOrganizationFacts(db, namespace));
  if (facts) return facts;
  throw new FieldError('NOT_FOUND', 'org', 'no organization has this namespace.');
}
