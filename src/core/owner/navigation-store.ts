import type { Compilable } from 'kysely';
import { lookup, type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { INVITER_ENABLED } from '../identity/account-store.ts';

/** An organization that a user belongs to. */
export type NamedOrganizationRow = RowOf<typeof organizationsByName>;

const organizationsByName = lookup(
  (db, parameter: Parameter<{ accountId: string; limit: number }>) =>
    db
      .selectFrom('stored_membership as membership')
      .innerJoin('organization', 'organization.id', 'membership.organizationId')
      .innerJoin('owner', 'owner.id', 'organization.id')
      .where('membership.accountId', '=', parameter('accountId'))
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
export type CreatableOrganizationRow = Row<'organization', 'name' | 'defaultBriefPermission'> & {
  namespace: string;
  publicDocuments: boolean;
};

/** Lists the organizations where a user can create documents, by name, up to a limit. */
export async function listOrganizationsToCreateIn(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<CreatableOrganizationRow[]> {
  const rows = await db
    .selectFrom('membership')
    .innerJoin('organization', 'organization.id', 'membership.organizationId')
    .innerJoin('owner', 'owner.id', 'organization.id')
    .leftJoin('organization_policy as policy', 'policy.organizationId', 'organization.id')
    .where('membership.accountId', '=', accountId)
    .where((row) =>
      row.or([row('membership.role', '=', 'admin'), row('organization.membersCanCreate', '=', 1)]),
    )
    .select([
      'owner.namespace',
      'organization.name',
      'organization.defaultBriefPermission',
      'policy.publicDocuments',
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
      .where('accountId', '=', parameter('accountId'))
      .where('readAt', 'is', null)
      .where((is) =>
        is.or([is('laterUntil', 'is', null), is('laterUntil', '<=', parameter('now'))]),
      )
      .select('position')
      .limit(parameter('limit'));
    const reports = db
      .selectFrom('document_report')
      .where('closedAt', 'is', null)
      .select('id')
      .limit(parameter('limit'));
    return db.selectNoFrom((none) => [
      none
        .selectFrom('invitation')
        .where('recipientId', '=', parameter('accountId'))
        .where('expiresAt', '>', parameter('now'))
        .where(INVITER_ENABLED)
        // Those to a document that is taken down wait for its return.
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb('documentId', 'is', null),
            exists(
              selectFrom('document')
                .whereRef('document.id', '=', 'invitation.documentId')
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
        .where('adminSince', 'is not', null)
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
