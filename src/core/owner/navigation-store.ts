import type { Compilable } from 'kysely';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { DefaultBriefPermission, Role } from './organization-access.ts';

/** An organization that a user belongs to. */
export interface NamedOrganizationRow {
  namespace: string;
  name: string;
  role: Role;
}

const organizationsByName = lookup<{ accountId: string; limit: number }, NamedOrganizationRow>(
  (db, parameter) =>
    db
      .selectFrom('stored_membership as membership')
      .innerJoin('organization', 'organization.id', 'membership.organization_id')
      .innerJoin('owner', 'owner.id', 'organization.id')
      .where('membership.account_id', '=', parameter('accountId'))
      .select(['owner.namespace', 'organization.name', 'membership.role'])
      .orderBy((organization) => organization.fn('lower', ['organization.name']))
      .orderBy('owner.namespace')
      .limit(parameter('limit')),
);

/** Lists the first organizations a user belongs to, by name. */
export async function listOrganizationsByName(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<readonly NamedOrganizationRow[]> {
  return organizationsByName(db, { accountId, limit });
}

/** An organization where a user can create documents. */
export interface CreatableOrganizationRow {
  namespace: string;
  name: string;
  defaultBriefPermission: DefaultBriefPermission;
  /** Whether its documents can become public. */
  publicDocuments: boolean;
}

/** Lists the organizations where a user can create documents, by name, up to a limit. */
export async function listOrganizationsToCreateIn(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<CreatableOrganizationRow[]> {
  const rows = await db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organization_id')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .leftJoin('organization_policy as policy', 'policy.organization_id', 'organization.id')
    .where('membership.account_id', '=', accountId)
    .where((row) =>
      row.or([
        row('membership.role', '=', 'admin'),
        row('organization.members_can_create', '=', 1),
      ]),
    )
    .select([
      'owner.namespace',
      'organization.name',
      'organization.default_brief_permission as defaultBriefPermission',
      'policy.public_documents as publicDocuments',
    ])
    .orderBy((organization) => organization.fn('lower', ['organization.name']))
    .orderBy('owner.namespace')
    .limit(limit)
    .execute();
  return rows.map(({ publicDocuments, ...row }) => ({
    ...row,
    publicDocuments: publicDocuments !== 0,
  }));
}

/** What waits for a user. */
export interface Waiting {
  /** Invitations, to documents and organizations, that the user can accept. */
  invitations: number;
  /** Unread inbox entries, up to the limit. */
  unread: number;
  /** Open reports, up to the limit; `null` for users who don't administer the instance. */
  reports: number | null;
}

const waiting = prepared<{ accountId: string; now: string; limit: number }, Waiting>(
  (db, parameter) => {
    const unread = db
      .selectFrom('inbox')
      .where('account_id', '=', parameter('accountId'))
      .where('read_at', 'is', null)
      .where((is) =>
        is.or([is('later_until', 'is', null), is('later_until', '<=', parameter('now'))]),
      )
      .select('position')
      .limit(parameter('limit'));
    const reports = db
      .selectFrom('document_report')
      .where('closed_at', 'is', null)
      .select('id')
      .limit(parameter('limit'));
    return db.selectNoFrom((none) => [
      none
        .selectFrom('invitation')
        .where('recipient_id', '=', parameter('accountId'))
        .where('expires_at', '>', parameter('now'))
        // Those to a document that is taken down wait for its return.
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb('document_id', 'is', null),
            exists(
              selectFrom('document')
                .whereRef('document.id', '=', 'invitation.document_id')
                .select('document.id'),
            ),
          ]),
        )
        .select((invitation) => invitation.fn.countAll<number>().as('count'))
        .$asScalar()
        .as('invitations'),
      none
        .selectFrom(unread.as('entry'))
        .select((entry) => entry.fn.countAll<number>().as('count'))
        .$asScalar()
        .as('unread'),
      none
        .selectFrom('account')
        .where('id', '=', parameter('accountId'))
        .where('admin_since', 'is not', null)
        .select((account) =>
          account
            .selectFrom(reports.as('report'))
            .select((report) => report.fn.countAll<number>().as('count'))
            .as('count'),
        )
        .$asScalar()
        .as('reports'),
    ]) as unknown as Compilable<Waiting>;
  },
);

/**
 * Counts the invitations that a user can accept at `now`, unread inbox entries, and for administrators
 * open reports, up to `limit`.
 */
export async function countWaiting(
  db: Reader,
  asked: { accountId: string; now: string; limit: number },
): Promise<Waiting> {
  const [counted] = await waiting(db, asked);
  return {
    invitations: Number(counted?.invitations ?? 0),
    unread: Number(counted?.unread ?? 0),
    reports: counted?.reports == null ? null : Number(counted.reports),
  };
}
